"""The rows of JSON-lines and CSV files, with the lines they stand at; for files from elsewhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from core.files.regular_file import open_regular_file, read_regular
from core.files.unreadable import too_many_failures, unreadable_file_error
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

CSV_LIMIT = 2**20
"""Most bytes of a CSV file."""
LONGEST = 2**24
"""Most bytes of a line of JSON."""
_BOM = b"\xef\xbb\xbf"
_SHOWN = 200


def json_values(raw: bytes, name: str, errors: list[DataError]) -> Iterator[tuple[int, Any]]:
    """The values of JSON lines or of one JSON array, with the lines they begin at.

    What is no JSON goes to `errors`. An array that breaks off has no values at all, and lines
    stop where too many of the first are no JSON.
    """
    raw = raw.removeprefix(_BOM)
    if raw.lstrip()[:1] != b"[":
        read, before = 0, len(errors)
        for number, line in enumerate(raw.split(b"\n"), 1):
            for value in _decoded(line, number, name, errors):
                read += 1
                yield value
            if too_many_failures(read, len(errors) - before):
                errors[before:] = [unreadable_file_error(errors[before])]
                return
        return
    try:
        elements = msgspec.json.decode(raw, type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        errors.append(_not_json(error, f"{name}:1"))
        return
    at, number = 0, 1
    for element in elements:
        text = bytes(element)
        start = raw.index(text, at)
        number += raw.count(b"\n", at, start)
        yield from _decoded(text, number, name, errors)
        number += text.count(b"\n")
        at = start + len(text)


def json_lines(path: Path, errors: list[DataError]) -> Iterator[tuple[int, Any]]:
    """The values of JSON lines, read one at a time, with their lines.

    What is no JSON goes to `errors`. Raises `DataError` for a file that cannot be read.
    """
    name = escape_control_characters(str(path))
    try:
        with open_regular_file(path, DataError) as handle:
            number = 0
            while line := handle.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    raise DataError("This line is too long.", where=f"{name}:{number}")
                if number == 1:
                    line = line.removeprefix(_BOM)
                yield from _decoded(line, number, name, errors)
    except FileNotFoundError:
        raise DataError("There is no such file or folder.", where=name) from None
    except OSError as error:
        raise DataError(f"This file cannot be read: {error.strerror}.", where=name) from error


def csv_rows(
    path: Path, known: tuple[str, ...], needed: tuple[str, ...]
) -> list[tuple[int, dict[str, str]]]:
    """The rows of a small CSV file below its header, by column, with the lines they end at.

    Cells are texts without blanks around them: an empty one, "NA" and "null" too.

    Raises:
        DataError: for a file that cannot be read, a column that is unknown, missing or there
            twice, and a row with more or fewer cells than the header.
    """
    shown = escape_control_characters(str(path))
    try:
        text = read_regular(path, CSV_LIMIT, DataError).decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError("There is no such file or folder.", where=shown) from None
    except UnicodeDecodeError as error:
        raise DataError("The file is not UTF-8 text.", where=shown) from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, dict[str, str]]] = []
    header: list[str] = []
    try:
        for cells in reader:
            where = f"{shown}:{reader.line_num}"
            stripped = [cell.strip() for cell in cells]
            if not any(stripped):
                continue
            if not header:
                header = _checked(stripped, known, needed, where)
            elif len(stripped) != len(header):
                what = f"This row has {len(stripped)} cells; the header has {len(header)}."
                raise DataError(what, where=where, hint="Quote a cell that holds a comma.")
            else:
                rows.append((reader.line_num, dict(zip(header, stripped, strict=True))))
    except csv.Error as error:
        where = f"{shown}:{reader.line_num}"
        raise DataError(f"This is not CSV: {error}.", where=where) from error
    if not header:
        raise DataError("The file is empty.", where=shown)
    return rows


def refusal(error: Exception) -> str:
    """What msgspec refused, as the end of a sentence that is safe to show."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return escape_control_characters(" ".join(str(error).split()), limit=_SHOWN)


def _decoded(
    text: bytes, number: int, name: str, errors: list[DataError]
) -> Iterator[tuple[int, Any]]:
    if not text or text.isspace():
        return
    try:
        yield number, msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        errors.append(_not_json(error, f"{name}:{number}"))


def _not_json(error: Exception, where: str) -> DataError:
    hint = "Expected is one JSON object a line."
    return DataError(f"This is not JSON: {refusal(error)}.", where=where, hint=hint)


def _checked(
    header: list[str], known: tuple[str, ...], needed: tuple[str, ...], where: str
) -> list[str]:
    hint = f"Columns: {','.join(known)}."
    for name in header:
        if name not in known:
            shown = escape_control_characters(name, limit=_SHOWN)
            raise DataError(f"The column “{shown}” is not known.", where=where, hint=hint)
    if len(set(header)) < len(header):
        raise DataError("A column stands here twice.", where=where, hint=hint)
    if missing := [name for name in needed if name not in header]:
        raise DataError(f"There is no column {', '.join(missing)}.", where=where, hint=hint)
    return header
