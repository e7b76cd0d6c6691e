"""Compiles assertions into sorted arrays: the body of an index, in memory or in a file.

Everything is sorted by key, so the order of the assertions does not matter.
"""

from __future__ import annotations

import errno
import os
import tempfile
import zlib
from array import array
from pathlib import Path

import numpy as np

from core.benchmarks.accord.knowledge import terms
from core.benchmarks.accord.knowledge.header import (
    MAGIC,
    WORD,
    Columns,
    Header,
    Language,
    encode,
    is_ours,
)
from core.benchmarks.accord.knowledge.index import STORED, Ids
from core.benchmarks.accord.knowledge.readers import Assertion, Reader
from core.files import paths
from core.files.regular_file import open_regular_file
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

_MOST_TEXT = 2**32 - 1


class Draft:
    """The assertions of one language while they are read."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {}
        self._rows: dict[str, tuple[array[int], array[int]]] = {}

    def add(self, assertion: Assertion) -> None:
        """Add an assertion. Raises `ValueError` if one of its ends is not a valid term."""
        relation, _, source, target = assertion
        known = self._known
        try:
            ends = known[source], known[target]
        except KeyError:
            keys = self._key(source), self._key(target)
            ends = self._place(keys[0]), self._place(keys[1])
        try:
            sources, targets = self._rows[relation]
        except KeyError:
            sources, targets = self._rows[relation] = (array("I"), array("I"))
        sources.append(ends[0])
        targets.append(ends[1])

    def __bool__(self) -> bool:
        return bool(self._rows)

    def _key(self, draft: bytes) -> bytes:
        return draft if draft in self._known else terms.checked(draft)

    def _place(self, key: bytes) -> int:
        return self._known.setdefault(key, len(self._known))

    def blocks(self, code: str) -> tuple[Language, list[bytes], int]:
        """The language's part of the header, its arrays, and the number of repeated rows."""
        keys = sorted(self._known)
        ranks = np.empty(len(keys), STORED)
        drafted = np.fromiter((self._known[key] for key in keys), np.int64, len(keys))
        ranks[drafted] = np.arange(len(keys), dtype=STORED)
        starts = np.zeros(len(keys) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, keys), np.int64, len(keys)), out=starts[1:])
        if starts[-1] > _MOST_TEXT:
            raise DataError(f"The terms of “{code}” take more than {_MOST_TEXT:,} bytes.")
        blocks = [starts.astype(STORED).tobytes()]
        relations: list[Columns] = []
        repeated = 0
        for relation in sorted(self._rows):
            sources, targets = (ranks[np.frombuffer(ids, np.uintc)] for ids in self._rows[relation])
            by_source = _grouped(sources, targets)
            by_target = _grouped(targets, sources)
            rows = len(by_source[2])
            repeated += len(sources) - rows
            relations.append(Columns(relation, rows, len(by_source[0]), len(by_target[0])))
            blocks += [part.tobytes() for part in (*by_source, *by_target)]
        text = b"".join(keys)
        blocks.append(text + bytes(-len(text) % WORD))
        return Language(code, len(keys), len(text), tuple(relations)), blocks, repeated


def compiled(reader: Reader) -> tuple[Header, list[bytes]]:
    """Read and sort a source; returns the header and the parts of the body.

    Raises `DataError` for a source that cannot be read, or has no wanted assertion.
    """
    languages, parts, checksum = [], [], 0
    drafts = _drafts(reader)
    for code in list(drafts):
        language, blocks, repeated = drafts.pop(code).blocks(code)
        languages.append(language)
        parts += blocks
        reader.tally.repeated += repeated
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    source = reader.source
    header = Header(
        escape_control_characters(source.path.absolute().name),
        source.layout.value,
        reader.sha256,
        tuple(languages),
        reader.tally,
        checksum,
    )
    return header, parts


def build(reader: Reader, out: Path) -> Header:
    """Compile a source into an index at `out`, written atomically.

    An existing index is replaced. Raises `DataError` as `compiled` does, if `out` is another file
    or a folder, and if it cannot be written.
    """
    try:
        out = paths.destination(out)
        _check_place(out)
        header, parts = compiled(reader)
        _write(out, [encode(header), *parts])
    except OSError as error:
        raise DataError(
            f"The knowledge base cannot be written: {error.strerror}.",
            where=out,
            hint="Is there room, and may you write there?",
        ) from error
    return header


def _drafts(reader: Reader) -> dict[str, Draft]:
    """The wanted assertions of a source by language. Raises `DataError` if there are none."""
    drafts = {language: Draft() for language in reader.wanted.languages}
    reader.assertions(lambda assertion: drafts[assertion.language].add(assertion))
    filled = {language: draft for language, draft in drafts.items() if draft}
    if not filled:
        raise DataError(
            "Nothing that is wanted was found.",
            where=reader.source.path,
            hint=f"{reader.tally.elsewhere:,} lines are of other languages, "
            f"{reader.tally.unwanted:,} of other relations, {reader.tally.malformed:,} malformed.",
        )
    return filled


def _check_place(out: Path) -> None:
    """Check before compiling whether the result can be written; raises `OSError` if not."""
    folder = next(parent for parent in out.absolute().parents if parent.exists())
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"“{folder.name}” is no folder")
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "the folder is read-only")
    try:
        with open_regular_file(out, DataError, name="What is there") as handle:
            ours = is_ours(handle.read(len(MAGIC)))
    except FileNotFoundError:
        return
    if not ours:
        raise DataError(
            "There is another file, not a knowledge base.",
            where=out,
            hint="It is left as it is: give another name, or remove it.",
        )


def _write(out: Path, parts: list[bytes]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        dir=out.parent, prefix=f".{out.stem[:100]}-", suffix=".tmp", delete=False
    ) as handle:
        temporary = Path(handle.name)
        try:
            for part in parts:
                handle.write(part)
            handle.flush()
            os.fsync(handle.fileno())
            temporary.replace(out)
        finally:
            temporary.unlink(missing_ok=True)


def _grouped(firsts: Ids, seconds: Ids) -> tuple[Ids, Ids, Ids]:
    """The distinct rows grouped by first term: first terms, starts of their rows, second terms."""
    rows = np.unique(firsts.astype(np.uint64) << 32 | seconds)
    keys, starts = np.unique((rows >> 32).astype(STORED), return_index=True)
    ends = np.append(starts, len(rows)).astype(STORED)
    return keys, ends, (rows & 0xFFFFFFFF).astype(STORED)
