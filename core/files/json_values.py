"""Decodes the values in JSON files of other programs one at a time, each with its line.

Unlike `core.files.row_file.rows` it accepts what JSON does not allow (NaN, infinities, numbers of
any length), and an array that is larger than the memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from core.files.regular_file import opened
from core.files.rows import (
    LONGEST_LINE,
    at_line,
    decoded,
    first_character,
    lines,
    too_many_values,
)
from core.text.errors import DataError
from core.text.language import N_, _

EXPECTED_LINES = N_("Expected is one JSON object a line.")
_CHUNK = 2**18
_BLANKS = " \t\r\n"


def json_lines(path: Path, errors: list[DataError]) -> Iterator[tuple[str, Any]]:
    """The values of a file of JSON lines, each with its `file:line`.

    Errors about lines that are not JSON go to `errors`. Raises `DataError` if the file cannot be
    read.
    """
    with opened(path) as handle:
        for row in lines(handle, str(path), errors):
            where = at_line(path, row.line)
            try:
                value = decoded(row.raw, where, _(EXPECTED_LINES))
            except DataError as error:
                errors.append(error)
            else:
                yield where, value


def logged_values(
    path: Path, *, name: str = "This file", errors: str = "strict"
) -> Iterator[tuple[str, Any]]:
    """The values of a log of JSON lines or of one array, each with its `file:line`.

    Args:
        path: the file.
        name: what messages call it, such as "The predictions".
        errors: how bytes that are not UTF-8 are decoded, as in `bytes.decode`.

    Raises:
        DataError: for a file that cannot be read and, with its line, for what is not JSON.
    """
    with opened(path, name=name) as handle:
        if first_character(handle) == b"[":
            handle.seek(0)
            text = TextIOWrapper(handle, encoding="utf-8-sig", errors=errors, newline="\n")
            yield from _elements(text, path)
            return
        for row in lines(handle, str(path)):
            where = at_line(path, row.line)
            try:
                text_of_row = row.raw.decode("utf-8", errors)
            except UnicodeDecodeError as error:
                raise DataError(_("This is not UTF-8 text."), where=where) from error
            yield where, decoded_text(text_of_row, where)


def decoded_text(text: str, where: str) -> Any:
    """The value of a JSON text; raises `DataError`."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _not_json(error, where) from error
    except (RecursionError, ValueError) as error:
        raise beyond_python(error, where) from error


def beyond_python(error: Exception, where: str) -> DataError:
    """The error for valid JSON that Python cannot decode: nested too deeply, or a long number."""
    deep = isinstance(error, RecursionError)
    what = _("This is nested too deeply.")
    if not deep:
        what = _("This holds a number that is too long.")
    return DataError(what, where=where)


def _elements(handle: TextIO, path: Path) -> Iterator[tuple[str, Any]]:
    """The elements of a JSON array, decoded one at a time."""
    decoder = json.JSONDecoder()
    line, text = 1, ""
    try:
        while "[" not in text:
            line, text = line + text.count("\n"), handle.read(_CHUNK)
        at = text.index("[") + 1
        while True:
            while at < len(text) and text[at] in _BLANKS + ",":
                at += 1
            line, text, at = line + text.count("\n", 0, at), text[at:], 0
            if not text:
                text = handle.read(_CHUNK)
                if not text:
                    raise DataError(_("This array breaks off."), where=at_line(path, line))
                continue
            if text[0] == "]":
                return
            while True:
                problem = too_many_values(text.encode("utf-8", "replace"), path, line)
                if problem is not None:
                    raise problem
                try:
                    value, at = decoder.raw_decode(text)
                    break
                except json.JSONDecodeError as error:
                    more = handle.read(max(_CHUNK, len(text)))
                    if not more or len(text) > LONGEST_LINE:
                        raise _not_json(error, at_line(path, line + error.lineno - 1)) from error
                    text += more
                except (RecursionError, ValueError) as error:
                    raise beyond_python(error, at_line(path, line)) from error
            yield at_line(path, line), value
    except UnicodeDecodeError as error:
        raise DataError(_("This is not UTF-8 text."), where=at_line(path, line)) from error


def _not_json(error: json.JSONDecodeError, where: str) -> DataError:
    return DataError(
        _("This is not JSON: {why}.", why=error.msg),
        where=where,
        hint=_("The log may have been cut off."),
    )
