"""Whether data are causal relations, told by their beginning, however much there is of them."""

from __future__ import annotations

import bz2
from pathlib import Path

from core.benchmarks.com2.causenet_rows import MARK
from core.files.regular_file import open_regular_file
from core.files.rows import PACKED, is_rows, located
from core.text.errors import DataError

_LOOKED_AT = 1 << 16


def is_causenet(path: Path) -> bool:
    """Whether a file, or the first of a folder, begins as CauseNet's do; nothing is raised."""
    try:
        file = next(iter(located(path)), path)
        if not is_rows(file):
            return False
        with open_regular_file(file, DataError) as handle:
            head = handle.read(_LOOKED_AT)
        if file.suffix == PACKED:
            head = bz2.BZ2Decompressor().decompress(head, _LOOKED_AT)
    except (OSError, EOFError, ValueError, DataError):
        return False
    return MARK in head
