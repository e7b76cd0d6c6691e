"""A vector as NumPy writes it, which `patch --add` reads (`core.blocks.vectors`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.exchange.exporters.files import check_free, draft
from core.files import paths

ENDING = ".npy"


def write_vector(path: Path, numbers: Sequence[float], *, force: bool = False) -> Path:
    """Write a vector with 32 bits a number; returns the full path. Raises `ExportError`."""
    check_free(path, force=force, ending=ENDING)
    with draft(path, force=force) as handle:
        np.save(handle, np.array(numbers, "<f4"))
    return paths.destination(path)
