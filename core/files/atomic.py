"""Writes small files atomically, so that a kill leaves the old or the new, and private files."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def atomic_write(path: Path, body: str) -> None:
    """Replace the file at `path` by an ASCII text; its folder is made. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not made by `tempfile`, whose files can be read by nobody but their owner.
    temporary = path.parent / f".{path.stem}-{secrets.token_hex(8)}"
    with temporary.open("x", encoding="ascii") as handle:
        try:
            handle.write(body)
            handle.flush()
            os.fsync(handle.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read and write, whatever the umask.

    A file that is there already stays as it is. Raises `OSError`.
    """
    # A link whose target does not exist yet is followed, as it is when the file is written.
    target = os.path.realpath(path)
    try:
        handle = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return
    try:
        os.fchmod(handle, 0o600)
    finally:
        os.close(handle)
