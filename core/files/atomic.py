"""Writes small files whole: a kill leaves what was there before, or all of what is there now."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def atomic_write(path: Path, body: str) -> None:
    """Put an ASCII text in place of the file at `path`, with its folder; raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not by `tempfile`, whose files nobody but their owner may read.
    temporary = path.parent / f".{path.stem}-{secrets.token_hex(8)}"
    with temporary.open("x", encoding="ascii") as handle:
        try:
            handle.write(body)
            handle.flush()
            os.fsync(handle.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
