"""Recognises data of Com² by their names and their beginning, however large they are."""

from __future__ import annotations

import bz2
from pathlib import Path

from core.benchmarks.com2.causenet_rows import MARK
from core.files.pinned_file import PACKED
from core.files.regular_file import open_regular_file
from core.text.errors import DataError

_HEAD = 2**16
_SUFFIXES = (".json", ".jsonl", ".ndjson")
_DEPTH = 3


def is_causenet(path: Path) -> bool:
    """Whether a file, or the first of a folder, begins as CauseNet's do; nothing is raised."""
    try:
        file = next(iter(row_files(path)), path)
        if not is_row_file(file):
            return False
        with open_regular_file(file, DataError) as handle:
            head = handle.read(_HEAD)
        if file.suffix == PACKED:
            head = bz2.BZ2Decompressor().decompress(head, _HEAD)
    except (OSError, EOFError, ValueError, DataError):
        return False
    return MARK in head


def row_files(path: Path) -> list[Path]:
    """The files of rows at a path: itself, or those of a folder, or of its subfolders.

    The first level that holds any counts, to a depth of three. Empty where there is none.
    """
    if not path.is_dir():
        return [path]
    level = [path]
    for _depth in range(_DEPTH + 1):
        inside = [entry for folder in level for entry in sorted(folder.iterdir())]
        files = [file for file in inside if is_row_file(file) and file.is_file()]
        if files:
            return files
        level = [entry for entry in inside if entry.is_dir() and not entry.is_symlink()]
    return []


def is_row_file(file: Path) -> bool:
    """Whether a file has the name of a file of rows, packed or not."""
    return file.name.lower().removesuffix(PACKED).endswith(_SUFFIXES)
