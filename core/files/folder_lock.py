"""Folders that one program writes at a time."""

from __future__ import annotations

from pathlib import Path

from core.system.file_lock import Lock
from core.text.errors import DataError


def lock_folder(folder: Path, taken: str) -> Lock:
    """The lock of a folder that a program writes for long.

    Raises `DataError` with the message `taken` where another program has it, and `OSError`.
    """
    try:
        return Lock(folder)
    except BlockingIOError as error:
        raise DataError(
            taken,
            where=error.filename or folder,
            hint="Wait until it is done, or name another folder.",
        ) from error
