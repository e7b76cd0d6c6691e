"""A vector as NumPy writes it, which `patch --add` reads (`core.blocks.vectors`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.exchange.exporters.document import ExportError
from core.exchange.exporters.files import check_free, draft

ENDING = ".npy"


def check_vector_file(path: Path, *, force: bool) -> None:
    """Raise `ExportError` where no vector can be written, before anything is computed."""
    if path.suffix.lower() != ENDING:
        raise ExportError(
            f"A vector cannot be written as “{path.suffix}”.",
            where=path,
            hint=f"Its name ends in {ENDING}.",
        )
    check_free(path, force=force)


def write_vector(path: Path, numbers: Sequence[float], *, force: bool = False) -> Path:
    """Write a vector with 32 bits a number; returns the full path. Raises `ExportError`."""
    check_vector_file(path, force=force)
    with draft(path, force=force) as handle:
        np.save(handle, np.array(numbers, "<f4"))
    return path.expanduser().absolute()
