"""Finds the files of a knowledge base and reads their lines, compressed or not.

A source that was read to its end has a SHA-256 digest, by which an index names it.
Lines are split a block at a time and not by `core.files.rows.lines`, because a dump has 34 million
of them.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from core.files.packed import BLOCK, PackedInput, check_size
from core.files.regular_file import open_regular_file
from core.files.rows import LONGEST_SKIPPED, MOST_BLANK_LINES, at_line, too_many_blank_lines
from core.text.errors import DataError

MOST_LINE = 2**20
"""Bytes that are kept of a line. ConceptNet's have less than 10,000."""
_MOST_UNPACKED = 64 * 2**30
"""Most bytes of a compressed file when it is unpacked. ConceptNet 5.7 has 9.5 GiB."""
_GZIP = b"\x1f\x8b"
_HEAD_LINES = 50
_CSV = (".csv", ".csv.gz")
_SPLITS = ("train.txt", "valid.txt", "test.txt")
_WHAT = (
    "Give a ConceptNet dump (conceptnet-assertions-5.7.0.csv or .csv.gz), a file of "
    "relation<TAB>head<TAB>tail, or a folder of <Relation>.csv files with source,target."
)


class Layout(StrEnum):
    """The columns of the lines of a file."""

    DUMP = "ConceptNet dump"
    """Five columns with tabs: assertion, relation, source, target, metadata."""
    TRIPLES = "triples"
    """Three columns with tabs: relation, head, tail, as ConceptNet-100K (Li et al., 2016)."""
    PAIRS = "CSV per relation"
    """`source,target`; the name of the file is that of the relation."""


@dataclass(frozen=True, slots=True)
class Source:
    """The files of a knowledge base, in the order in which they are read."""

    path: Path
    layout: Layout
    files: tuple[Path, ...]
    bytes: int
    """Size of all files on the disk."""


def find_source(path: Path) -> Source:
    """The files at `path` and their layout, which is recognised by their first lines.

    Raises `DataError` where there is nothing of the kind.
    """
    try:
        layout, files = _layout_and_files(path)
        return Source(path, layout, files, sum(file.stat().st_size for file in files))
    except OSError as error:
        raise DataError(
            f"This cannot be read: {error.strerror}.",
            where=error.filename or path,
        ) from error


def _layout_and_files(path: Path) -> tuple[Layout, tuple[Path, ...]]:
    if path.is_dir():
        pairs = sorted(file for file in path.iterdir() if file.name.endswith(_CSV))
        if pairs:
            return Layout.PAIRS, tuple(pairs)
        splits = tuple(path / name for name in _SPLITS if (path / name).is_file())
        if splits:
            return Layout.TRIPLES, splits
        raise DataError(
            "This folder holds no knowledge base.",
            where=path,
            hint=_WHAT,
        )
    head = _head(path)
    if any(line.count(b"\t") == 4 and b"\t/r/" in line for line in head):
        return Layout.DUMP, (path,)
    columns = {line.count(b"\t") + 1 for line in head}
    if 3 in columns:
        return Layout.TRIPLES, (path,)
    if path.name.endswith(_CSV):
        return Layout.PAIRS, (path,)
    raise DataError("This is no knowledge base.", where=path, hint=_WHAT)


class LineReader:
    """Reads the lines of a source's files, one file after the other, as bytes without an end."""

    def __init__(self, source: Source, on_bytes: Callable[[int], None] = lambda _: None) -> None:
        """`on_bytes` is called with the number of bytes of the files that were read so far."""
        self._source = source
        self._on_bytes = on_bytes
        self._earlier = 0
        self._digests: list[tuple[str, str]] = []
        self.file = source.files[0]
        """The file that is being read."""
        self.number = 0
        """Of the line that was read last, from 1."""

    @property
    def where(self) -> str:
        """`file:line` of the line that was read last."""
        return at_line(self.file, self.number)

    @property
    def sha256(self) -> str:
        """Of the file as it is on the disk; of several, of their names and digests."""
        if len(self._digests) == 1:
            return self._digests[0][1]
        named = "".join(f"{digest}  {name}\n" for name, digest in self._digests)
        return hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        """All lines; of one that is too long, its beginning. Raises `DataError`."""
        for file in self._source.files:
            self.file, self.number = file, 0
            with open_source(file) as handle:
                try:
                    yield from self._lines(handle)
                    self._earlier += handle.tell()
                    handle.seek(0)
                    digest = hashlib.file_digest(handle, "sha256").hexdigest()
                except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                    raise DataError(
                        f"The compressed file is damaged: {error}.",
                        where=self.where,
                        hint="Was the download cut off? Fetch it again.",
                    ) from error
                except OSError as error:
                    raise DataError(
                        f"This cannot be read: {error.strerror}.", where=self.where
                    ) from error
                self._digests.append((file.name, digest))

    def _lines(self, handle: BufferedReader) -> Iterator[bytes]:
        packed = handle.peek(len(_GZIP)).startswith(_GZIP)
        given = PackedInput(handle, self.file)
        text = gzip.GzipFile(fileobj=cast("BinaryIO", given)) if packed else handle
        rest = b""
        without_end = blank = 0
        while block := text.read(BLOCK):
            given.block_came()
            if packed:
                check_size(text.tell(), handle.tell(), self.file, _MOST_UNPACKED)
            self._on_bytes(self._earlier + handle.tell())
            # A block of nothing but blanks has about as many lines as bytes.
            blank = blank + len(block) if block.isspace() else 0
            if blank > MOST_BLANK_LINES:
                raise too_many_blank_lines(self.file, self.number)
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                self.number += 1
                yield line[:MOST_LINE].rstrip(b"\r")
            rest = rest[:MOST_LINE]
            without_end = 0 if lines else without_end + len(block)
            if without_end > LONGEST_SKIPPED:
                where = at_line(self.file, self.number + 1)
                raise DataError("This line is too long.", where=where, hint=_WHAT)
        if rest:
            self.number += 1
            yield rest


def open_source(path: Path) -> BufferedReader:
    """Open a file of a knowledge base. Raises `DataError`, also where there is none."""
    try:
        return open_regular_file(path, DataError)
    except FileNotFoundError as error:
        raise DataError("There is no such file.", where=path, hint=_WHAT) from error


def _head(path: Path) -> list[bytes]:
    lines = LineReader(Source(path, Layout.PAIRS, (path,), 0))
    return list(islice(lines, _HEAD_LINES))
