"""The rows of a JSON file, each with its line and its place, so that it can be read again.

A file is one JSON array, JSON lines, a JSON object of rows by key, or a single row. It may be
packed with bzip2, as CauseNet is released; then it is unpacked to a nameless temporary file.
"""

from __future__ import annotations

import bz2
import hashlib
import io
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import IO, Any, NamedTuple

import msgspec

from core.files.json_documents import BOM, DOCUMENT_LIMIT, LINE_SUFFIXES, documents, shape
from core.files.pinned_file import PinnedFile
from core.text.errors import DataError, NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import _
from core.text.suggestions import nearest

PACKED = ".bz2"
SUFFIXES = (".json", *sorted(LINE_SUFFIXES))
"""The files that are read, also with `.bz2` behind."""
MOST_UNPACKED = 4 * 2**30
"""Most bytes that a packed file may hold."""
LONGEST_LINE = 16 * 2**20
"""Most bytes of a row in JSON lines."""
MOST_ERRORS = 1000
"""Errors of a file that are told one by one; the others are counted."""
EXPECTED = "Expected are rows of Com² or CauseNet: a JSON array or JSON lines."
_BLANK = b" \t\r\n,"
_CHUNK = 2**20
_SNIFFED = 2**16
_LOOKED_AT = 2000


class Row(NamedTuple):
    """One JSON value of a file."""

    line: int
    """The line it begins at, from 1."""
    start: int
    """Position of its first byte, in the unpacked file."""
    raw: bytes


class RowFile:
    """A file of rows that stays open. It may be read from several threads."""

    def __init__(self, path: Path) -> None:
        """Open the file at `path`; raises `FileNotFoundError` and `DataError`."""
        self.path = path
        self._held = PinnedFile(path)
        self._lock = Lock()
        self._unpacked: IO[bytes] | None = None
        if path.suffix == PACKED:
            self._unpacked = _unpacked(self._held.handle, path)
            weakref.finalize(self, self._unpacked.close)

    @property
    def stem(self) -> str:
        """The name without its suffixes."""
        return self.path.name.removesuffix(PACKED).rpartition(".")[0] or self.path.name

    def where(self, line: int) -> str:
        """What a message calls a line."""
        return escape_control_characters(f"{self.path}:{line}")

    def head(self) -> bytes:
        """What the file begins with, enough to know what it holds."""
        return self.read(0, _SNIFFED, 1)

    def read(self, start: int, size: int, line: int) -> bytes:
        """So many bytes from a position at a line; raises `DataError`."""
        try:
            if self._unpacked is None:
                return self._held.read(start, size)
            with self._lock:
                self._unpacked.seek(start)
                return self._unpacked.read(size)
        except OSError as error:
            raise DataError(
                _("This cannot be read again: {why}.", why=error.strerror),
                where=self.where(line),
            ) from error

    @property
    def _handle(self) -> Any:
        return self._held.handle if self._unpacked is None else self._unpacked

    def content_hash(self) -> str:
        """SHA-256 of the file as it was opened; raises `DataError` when it was changed since."""
        return self._held.content_hash()

    def rows(self, errors: list[DataError]) -> Iterator[Row]:
        """Every row, in order; what is not JSON goes to `errors`. Raises `DataError`."""
        handle = self._handle
        name = str(self.path).removesuffix(PACKED)
        found = shape(handle, name)
        named = name.lower().endswith(tuple(LINE_SUFFIXES))
        if found.lines or (named and found.opening not in {"", "["}):
            yield from self.lines(errors)
            return
        handle.seek(0)
        data = handle.read(DOCUMENT_LIMIT + 1)
        if len(data) <= DOCUMENT_LIMIT:
            whole = _whole(data)
            if whole is not None:
                yield from whole
                return
        del data
        handle.seek(0)
        unreadable: list[DataError] = []
        for document in documents(handle, str(self.path), unreadable):
            yield Row(document.line, document.start, document.raw)
        errors += (DataError(error.what, where=error.where, hint=EXPECTED) for error in unreadable)

    def lines(self, errors: list[DataError]) -> Iterator[Row]:
        """Every line that is not blank, whatever it holds; one too long goes to `errors`."""
        handle = self._handle
        handle.seek(0)
        start, number = 0, 0
        while raw := handle.readline(LONGEST_LINE + 1):
            number += 1
            size = len(raw)
            if size > LONGEST_LINE and not raw.endswith(b"\n"):
                errors.append(DataError(_("This line is too long."), where=self.where(number)))
                while raw and not raw.endswith(b"\n"):
                    raw = handle.readline(_CHUNK)
                    size += len(raw)
            else:
                row = raw.removeprefix(BOM) if number == 1 else raw
                if not row.isspace():
                    yield Row(number, start + size - len(row), row)
            start += size


def _whole(data: bytes) -> list[Row] | Iterator[Row] | None:
    """The rows of a sound array, or the one row that a file is; None for anything else."""
    text = data.removeprefix(BOM)
    offset = len(data) - len(text)
    try:
        if text.lstrip()[:1] == b"[":
            return _elements(data, msgspec.json.decode(text, type=list[msgspec.Raw]), offset)
        keys = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except (ValueError, RecursionError):
        return None
    if keys.keys().isdisjoint({"type", "causal_relation"}):
        return None
    start = len(data) - len(text.lstrip())
    return [Row(1 + data.count(b"\n", 0, start), start, data[start:])]


def _elements(data: bytes, elements: Sequence[msgspec.Raw], at: int) -> Iterator[Row]:
    """The elements of an array with their places, which only blanks and commas stand between."""
    at = data.index(b"[", at) + 1
    line, counted = 1, 0
    for element in elements:
        while data[at] in _BLANK:
            at += 1
        raw = bytes(element)
        line += data.count(b"\n", counted, at)
        counted = at
        yield Row(line, at, raw)
        at += len(raw)


def _unpacked(packed: IO[bytes], path: Path) -> IO[bytes]:
    """What a packed file holds, in a file without a name; raises `DataError`."""
    target = tempfile.TemporaryFile()  # noqa: SIM115
    size = 0
    try:
        with bz2.BZ2File(packed) as source:
            while piece := source.read(_CHUNK):
                size += len(piece)
                if size > MOST_UNPACKED:
                    raise DataError(
                        _("This file holds more than {most} GiB.", most=MOST_UNPACKED // 2**30),
                        where=escape_control_characters(str(path)),
                        hint=_("Unpack it, and take a part of it."),
                    )
                target.write(piece)
    except (OSError, EOFError, ValueError) as error:
        target.close()
        raise DataError(
            _("This file cannot be unpacked: {error}.", error=error),
            where=escape_control_characters(str(path)),
            hint=_("The download may have been cut off."),
        ) from error
    except DataError:
        target.close()
        raise
    target.seek(0, io.SEEK_SET)
    return target


def located(path: Path) -> list[Path]:
    """The files of rows that `path` means: itself, or those of a folder, or of its subfolders.

    The first level that holds any counts, to a depth of three. Empty where there is none.
    """
    if not path.is_dir():
        return [path]
    level = [path]
    for _each in range(4):
        inside = [entry for folder in level for entry in sorted(folder.iterdir())]
        files = [file for file in inside if is_rows(file) and file.is_file()]
        if files:
            return files
        level = [entry for entry in inside if entry.is_dir() and not entry.is_symlink()]
    return []


def is_rows(file: Path) -> bool:
    """Whether a file is called as files of rows are."""
    return file.name.lower().removesuffix(PACKED).endswith(SUFFIXES)


def append_capped(errors: list[DataError], more: Sequence[DataError], file: RowFile) -> None:
    """Add the errors of a file, the first of them one by one."""
    errors += more[:MOST_ERRORS]
    if len(more) > MOST_ERRORS:
        left = len(more) - MOST_ERRORS
        errors.append(
            DataError(
                _("{left:,} more rows cannot be read.", left=left),
                where=escape_control_characters(str(file.path)),
            )
        )


def joint_hash(files: Sequence[RowFile]) -> str:
    """SHA-256 over the names and the contents of some files; raises `DataError`."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.path.name.encode(errors="surrogatepass") + b"\0")
        digest.update(file.content_hash().encode())
    return digest.hexdigest()


def unknown(item_id: str, known: Sequence[str]) -> NotFoundError:
    """The error for an id that is not there, with the nearest of those that begin alike."""
    alike = (name for name in known if name[:1] == item_id[:1])
    near = nearest(item_id, islice(alike, _LOOKED_AT), n=3)
    hint = (
        _("Did you mean {names}?", names=" or ".join(near))
        if near
        else _("One of the items is {known}.", known=known[0])
    )
    return NotFoundError(_("There is no item “{item_id}”.", item_id=item_id), hint=hint)
