"""The rows of a JSON file, each with its line and byte position, so that it can be read again.

A file holds one row a line (JSON lines), a JSON array, a JSON object of rows by key, such an object
or array for each split (`{"test": {...}}`), or a single row. A part that is not JSON is reported
with its line and skipped; the rows after it are still read.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import IO, NamedTuple

import msgspec

from core.files.json_scanner import Scanner
from core.files.pinned_file import PACKED, PinnedFile
from core.files.rows import (
    BOM,
    LONGEST_LINE,
    MOST_BLANK_LINES,
    MOST_VALUES,
    Row,
    at_line,
    lines,
    too_many_blank_lines,
    too_many_values,
)
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _

LINE_SUFFIXES = frozenset({".jsonl", ".ndjson"})
"""Suffixes of files that hold a row a line."""
DOCUMENT_LIMIT = 64 * 2**20
"""Largest file, in bytes, that is read as one JSON document; JSON lines have no limit."""
_BLANK = b" \t\r\n,"
_CHUNK = 2**20
_HEAD = 2**16


class Shape(NamedTuple):
    """How a file holds its rows."""

    lines: bool
    """Whether it holds one on each line."""
    opening: str
    """The first character that is not blank; empty for an empty file."""


class RowFile(PinnedFile):
    """A file of rows that stays open. It may be read from several threads."""

    @property
    def stem(self) -> str:
        """The name without its suffixes."""
        return self.path.name.removesuffix(PACKED).rpartition(".")[0] or self.path.name

    @property
    def head(self) -> bytes:
        """The beginning of the file."""
        return self.read(0, _HEAD, 1)

    @cached_property
    def shown(self) -> str:
        """The path as messages show it."""
        return escape_control_characters(str(self.path))

    def where(self, line: int) -> str:
        """The name of a line in messages: `file:line`."""
        return f"{self.shown}:{line}"

    def lines(self, errors: list[DataError]) -> Iterator[Row]:
        """Every line that is not blank; as `core.files.rows.lines`."""
        return lines(self.handle, str(self.path), errors)

    def rows(
        self, errors: list[DataError], expected: str, single_keys: Collection[str] = ()
    ) -> Iterator[Row]:
        """Every row, in order; as `rows` of this module."""
        return rows(self.handle, str(self.path), errors, expected, single_keys)


def shape(handle: IO[bytes], name: str) -> Shape:
    """How the open file holds its rows; raises `DataError` for text in UTF-16 and as `lines`."""
    handle.seek(0)
    start = handle.read(2)
    # JSON begins with a character of ASCII: one of its two bytes is null in UTF-16 without a mark.
    if start in {b"\xff\xfe", b"\xfe\xff"} or (len(start) == 2 and start.count(0) == 1):
        where = at_line(name, 1)
        raise DataError(_("This text is in UTF-16."), where=where, hint=_("Save it as UTF-8."))
    handle.seek(0)
    first = handle.readline(LONGEST_LINE).removeprefix(BOM)
    blank = 0
    while first and not first.strip():
        blank += 1
        if blank > MOST_BLANK_LINES:
            raise too_many_blank_lines(name, blank)
        first = handle.readline(LONGEST_LINE)
    first = first.lstrip()
    opening = first[:1].decode("latin-1")
    named = name.lower().removesuffix(PACKED).endswith(tuple(LINE_SUFFIXES))
    if opening != "{":
        return Shape(lines=named and opening not in {"", "["}, opening=opening)
    try:
        msgspec.json.decode(first, type=msgspec.Raw)
    except (ValueError, RecursionError):
        # A line that is one brace begins an indented document, whatever the file is called.
        return Shape(lines=named and first.strip() != b"{", opening=opening)
    while block := handle.read(_CHUNK):
        if not block.isspace():
            return Shape(lines=True, opening=opening)
    return Shape(lines=False, opening=opening)


def rows(
    handle: IO[bytes],
    name: str,
    errors: list[DataError],
    expected: str,
    single_keys: Collection[str] = (),
) -> Iterator[Row]:
    """Every row of an open file, in order.

    Args:
        handle: the open file, which is read from its beginning.
        name: its name in messages and its suffix.
        errors: receives what is not JSON.
        expected: the hint of these errors, which says what rows there should be.
        single_keys: an object with one of these keys is a row, not an object of rows by key.

    Raises:
        DataError: for a document larger than `DOCUMENT_LIMIT`, for text in UTF-16, as `lines` and
            as `Scanner`.
    """
    form = shape(handle, name)
    if form.lines:
        yield from lines(handle, name, errors)
        return
    if handle.seek(0, os.SEEK_END) > DOCUMENT_LIMIT:
        raise DataError(
            _("This JSON document is larger than {most} MiB.", most=DOCUMENT_LIMIT // 2**20),
            where=name,
            hint=_("Write it as JSON lines, one item a line."),
        )
    if form.opening not in {"{", "["}:
        what = _("This is not JSON.") if form.opening else _("This file is empty.")
        errors.append(DataError(what, where=at_line(name, 1), hint=expected))
        return
    handle.seek(0)
    data = handle.read()
    if form.opening == "[" and (elements := _decoded_array(data)) is not None:
        for row in _elements(data, elements):
            problem = too_many_values(row.raw, name, row.line)
            if problem is None:
                yield row
            else:
                errors.append(problem)
        return
    scanner = Scanner(data, name, errors, expected, frozenset(single_keys))
    del data  # It holds them in a form of its own.
    yield from scanner.rows()


def _decoded_array(data: bytes) -> list[msgspec.Raw] | None:
    """The elements of a JSON array; None when it is damaged, or may have very many."""
    if data.count(b",") > 2 * MOST_VALUES:
        return None
    try:
        return msgspec.json.decode(data.removeprefix(BOM), type=list[msgspec.Raw])
    except (ValueError, RecursionError):
        return None


def _elements(data: bytes, elements: Sequence[msgspec.Raw]) -> Iterator[Row]:
    """The elements of an array with their positions."""
    at = data.index(b"[") + 1
    line, counted = 1, 0
    for element in elements:
        while data[at] in _BLANK:
            at += 1
        raw = bytes(element)
        line += data.count(b"\n", counted, at)
        counted = at
        yield Row(line, at, raw)
        at += len(raw)


class RowIndex:
    """Where rows of some files are, so that each can be read again by its number."""

    def __init__(self, files: Sequence[RowFile]) -> None:
        self.files = files
        self.file_numbers = array("H")
        """For each row the position of its file in `files`."""
        self._starts = array("Q")
        self._sizes = array("I")
        self._lines = array("I")

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._starts)

    def add(self, file_number: int, row: Row) -> None:
        """Add a row of a file; its number is how many there were before."""
        self.file_numbers.append(file_number)
        self._starts.append(row.start)
        self._sizes.append(len(row.raw))
        self._lines.append(row.line)

    def file(self, number: int) -> RowFile:
        """The file that a row is in."""
        return self.files[self.file_numbers[number]]

    def line(self, number: int) -> int:
        """The line of a row."""
        return self._lines[number]

    def where(self, number: int) -> str:
        """The `file:line` of a row."""
        return self.file(number).where(self._lines[number])

    def read(self, number: int) -> Row:
        """A row, read again; raises `DataError`."""
        start, line = self._starts[number], self._lines[number]
        return Row(line, start, self.file(number).read(start, self._sizes[number], line))


def joint_hash(files: Sequence[RowFile]) -> str:
    """SHA-256 over the names and the contents of some files; raises `DataError`."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.path.name.encode(errors="surrogatepass") + b"\0")
        digest.update(file.content_hash().encode())
    return digest.hexdigest()
