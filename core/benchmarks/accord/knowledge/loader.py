"""Opens a knowledge base, compiled or small enough to be compiled in memory.

A compiled one is a file of sorted arrays that is mapped into memory, so it is read on demand and
shared between processes.

Arrays and not SQLite: of 3.4 million assertions over 1.4 million terms, on two cores, they are
built in 22 s rather than 57 and take 79 MB rather than 222, and an assertion is checked in 4 µs
rather than 10. The data never change, so the transactions of a database are not needed.

Recent lookups are cached, because grounding looks up the same term many times.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

from core.benchmarks.accord.knowledge.compiler import compiled
from core.benchmarks.accord.knowledge.header import MAGIC, Header, HeaderError, decode, is_ours
from core.benchmarks.accord.knowledge.index import Index
from core.benchmarks.accord.knowledge.readers import Reader, Wanted
from core.benchmarks.accord.knowledge.source_files import Layout, find_source, open_source
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

MOST_READ = 6 * 2**20
"""Largest CSV folder or file of triples, in bytes, that may be opened without compiling."""
_BUILD = "Build it first: accord kb build {} --out FILE."


def open_knowledge(path: Path, language: str | None = None) -> Index:
    """Open the knowledge base at `path`, compiled or in a format that `source_files` knows.

    Args:
        path: a compiled file, or a folder or file of assertions of at most `MOST_READ` bytes.
        language: language code; if omitted, the first language of the knowledge base, or English
            if its terms name no language.

    Raises:
        NotFoundError: if it does not have the language.
        DataError: if there is no such file, or it is damaged, of another version, too large to
            open without compiling, or not a knowledge base.
    """
    mapped = None if path.is_dir() else _mapped(path)
    if mapped is None:
        return _read(path, Wanted((language,)) if language else Wanted())
    header, begin, body = mapped
    return Index(header, body, begin, language or header.languages[0].code, path)


def _mapped(path: Path) -> tuple[Header, int, mmap.mmap] | None:
    """A compiled file's header, the position of its body, and its bytes; None for another file."""
    with open_source(path) as handle:
        if not is_ours(handle.peek(len(MAGIC))):
            return None
        try:
            header, begin = decode(handle, os.fstat(handle.fileno()).st_size)
            body = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        except HeaderError as error:
            raise DataError(str(error), where=path, hint=_BUILD.format("DUMP")) from error
        except OSError as error:
            raise DataError(
                f"The knowledge base cannot be read: {error.strerror}.", where=path
            ) from error
    return header, begin, body


def _read(path: Path, wanted: Wanted) -> Index:
    source = find_source(path)
    if source.layout is Layout.DUMP or source.bytes > MOST_READ:
        hint = _BUILD.format(escape_control_characters(str(path)))
        raise DataError("This is too large to be read every time.", where=path, hint=hint)
    header, parts = compiled(Reader(source, wanted))
    return Index(header, b"".join(parts), 0, wanted.languages[0], path)
