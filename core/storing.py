"""Writes small files whole: a kill leaves what was there before, or all of what is there now."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def store(path: Path, body: str) -> None:
    """Put an ASCII text in place of the file at `path`, with its folder; raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="ascii", dir=path.parent, prefix=f".{path.stem}-", delete=False
    ) as handle:
        temporary = Path(handle.name)
        try:
            handle.write(body)
            handle.flush()
            os.fsync(handle.fileno())
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
