"""Reads the lines of a file up to a maximal length.

All lines are read by `lines`, so that a file without line breaks cannot fill the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

import msgspec

from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _

BOM = b"\xef\xbb\xbf"
LONGEST_LINE = 16 * 2**20
"""Most bytes of a row in JSON lines."""
LONGEST_SKIPPED = 256 * 2**20
"""Most bytes of a line that is skipped; a file with a longer one is refused."""
MOST_BLANK_LINES = 1_000_000
"""Most blank lines in a row; a file with more is refused."""
MOST_VALUES = 1_000_000
"""Most JSON values of a row, which take sixty times their bytes when they are decoded."""
_SHORT = 2 * MOST_VALUES
"""A row of no more bytes has no more values."""
_CHUNK = 2**20
_QUOTED = 200
_BLANKS = b" \t\r\n"
"""The blanks of JSON."""


class Row(NamedTuple):
    """The undecoded bytes of one JSON value of a file."""

    line: int
    """The line on which it (or its key) begins, from 1."""
    start: int
    """Position of its first byte in the unpacked file."""
    raw: bytes
    key: str | None = None
    """Its key in the object that holds it; None in arrays and JSON lines."""


class Digest(Protocol):
    """A hash object of `hashlib`."""

    def update(self, data: bytes, /) -> None:
        """Hash more bytes."""
        ...


def at_line(file: Path | str, line: int) -> str:
    """`file:line` without control characters, as messages name a line."""
    return escape_control_characters(f"{file}:{line}")


def lines(
    handle: IO[bytes],
    name: str,
    errors: list[DataError] | None = None,
    digest: Digest | None = None,
    *,
    with_blank: bool = False,
) -> Iterator[Row]:
    """Every line that is not blank, whatever it holds.

    Args:
        handle: the open file, which is read from its beginning.
        name: its name in messages.
        errors: receives an error for each line that is too long or holds too many values; without
            it the error is raised.
        digest: is updated with every byte.
        with_blank: also yield blank lines.

    Raises:
        DataError: for a line that goes on beyond `LONGEST_SKIPPED`, and for more than
            `MOST_BLANK_LINES` blank lines in a row.
    """
    handle.seek(0)
    start, number, filled = 0, 0, 0
    while raw := handle.readline(LONGEST_LINE + 1):
        number += 1
        size = len(raw)
        if digest is not None:
            digest.update(raw)
        if size > LONGEST_LINE and not raw.endswith(b"\n"):
            error = DataError(_("This line is too long."), where=at_line(name, number))
            if errors is None:
                raise error
            while raw and not raw.endswith(b"\n"):
                raw = handle.readline(_CHUNK)
                size += len(raw)
                if digest is not None:
                    digest.update(raw)
                if size > LONGEST_SKIPPED:
                    raise error
            errors.append(error)
        else:
            row = raw.removeprefix(BOM) if number == 1 else raw
            if row and not row.isspace():
                filled = number
                if (problem := too_many_values(row, name, number)) is None:
                    yield Row(number, start + size - len(row), row)
                elif errors is None:
                    raise problem
                else:
                    errors.append(problem)
            elif number - filled > MOST_BLANK_LINES:
                raise too_many_blank_lines(name, number)
            elif with_blank:
                yield Row(number, start + size - len(row), row)
        start += size


def counted_values(raw: bytes) -> int:
    """At least as many JSON values as there are in some bytes."""
    return 1 + sum(map(raw.count, (b",", b":", b"[", b"{")))


def too_many_values(raw: bytes, file: Path | str, line: int) -> DataError | None:
    """The error of a row that would fill the memory when it is decoded; None for all others."""
    if len(raw) <= _SHORT or counted_values(raw) <= MOST_VALUES:
        return None
    what = _("This row holds more than {most:,} values.", most=MOST_VALUES)
    return DataError(what, where=at_line(file, line))


def too_many_blank_lines(file: Path | str, line: int) -> DataError:
    """The error of a file that is blank for long; `line` is where it was given up."""
    what = _("There are more than {most:,} blank lines in a row.", most=MOST_BLANK_LINES)
    return DataError(what, where=at_line(file, line))


def first_character(handle: IO[bytes]) -> bytes:
    """The first byte of an open file that is not blank; empty if there is none."""
    handle.seek(0)
    block = handle.read(_CHUNK).removeprefix(BOM)
    while block and not block.strip(_BLANKS):
        block = handle.read(_CHUNK)
    return block.lstrip(_BLANKS)[:1]


def decoded(raw: bytes, where: str, expected: str) -> Any:
    """The value of a row; raises `DataError` at `where` with the hint `expected`."""
    try:
        return msgspec.json.decode(raw)
    except UnicodeDecodeError as error:
        raise DataError(_("This is not UTF-8 text."), where=where) from error
    except RecursionError as error:
        raise DataError(_("This is nested too deeply."), where=where) from error
    except msgspec.DecodeError as error:
        what = _("This is not JSON: {decoding_problem}.", decoding_problem=decoding_problem(error))
        raise DataError(what, where=where, hint=expected) from error


def decoding_problem(error: Exception) -> str:
    """A decoder's message, without control characters, to end a sentence."""
    if isinstance(error, RecursionError):
        return _("it is nested too deeply")
    return escape_control_characters(" ".join(str(error).split()), limit=_QUOTED)
