"""The JSON values of a log, one at a time, with the lines they begin at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from core.text.errors import DataError
from core.text.escaping import escape_control_characters

MOST_CHARACTERS = 64 * 2**20
"""Of one value."""
_CHUNK = 2**18
_BLANKS = " \t\r\n"


def values(handle: TextIO, path: Path) -> Iterator[tuple[int, Any]]:
    """The JSON values of a file, of lines or of one array, with the lines they begin at.

    `handle` must be open at its beginning, and can seek. Raises `DataError` with the line.
    """
    first = handle.read(1)
    while first and first in _BLANKS:
        first = handle.read(1)
    handle.seek(0)
    if first == "[":
        yield from _elements(handle, path)
        return
    number = 0
    while line := handle.readline(MOST_CHARACTERS + 1):
        number += 1
        if len(line) > MOST_CHARACTERS:
            raise DataError("This line is too long for a sample.", where=at_line(path, number))
        if not line.isspace():
            yield number, decoded(line, at_line(path, number))


def _elements(handle: TextIO, path: Path) -> Iterator[tuple[int, Any]]:
    """The elements of one JSON array, without holding more than one of them."""
    decoder = json.JSONDecoder()
    line = 1
    at, text = _beyond("", 0, handle)
    at += 1
    while True:
        at, text = _beyond(text, at, handle)
        line, text, at = line + text.count("\n", 0, at), text[at:], 0
        if not text:
            raise DataError("This array breaks off.", where=at_line(path, line))
        if text[0] == "]":
            return
        while True:
            try:
                value, at = decoder.raw_decode(text)
                break
            except json.JSONDecodeError as error:
                more = handle.read(max(_CHUNK, len(text)))
                if not more or len(text) > MOST_CHARACTERS:
                    raise _not_json(error, at_line(path, line + error.lineno - 1)) from error
                text += more
            except (RecursionError, ValueError) as error:
                raise too_much(error, at_line(path, line)) from error
        yield line, value


def _beyond(text: str, at: int, handle: TextIO) -> tuple[int, str]:
    """The position after blanks and commas, reading on where the text ends."""
    while True:
        while at < len(text) and text[at] in _BLANKS + ",":
            at += 1
        if at < len(text):
            return at, text
        more = handle.read(_CHUNK)
        if not more:
            return at, text
        text += more


def decoded(text: str, where: str) -> Any:
    """The value that a text is; raises `DataError`."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _not_json(error, where) from error
    except (RecursionError, ValueError) as error:
        raise too_much(error, where) from error


def too_much(error: Exception, where: str) -> DataError:
    """What is said of a value that is JSON, but more than Python takes."""
    deep = isinstance(error, RecursionError)
    what = "This is nested too deeply." if deep else "This holds a number that is too long."
    return DataError(what, where=where)


def _not_json(error: json.JSONDecodeError, where: str) -> DataError:
    return DataError(
        f"This is not JSON: {error.msg}.", where=where, hint="The log may have been cut off."
    )


def at_line(path: Path, line: int) -> str:
    """Where a message says that something stands."""
    return escape_control_characters(f"{path}:{line}")
