"""Keeps two programs from fetching or recording the same thing at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.text.errors import HubError


@contextmanager
def only_program(
    lock: Path, taken: str, *, where: str | Path, patience: float = 0
) -> Iterator[None]:
    """Hold a lock file, which is made and removed for it.

    Args:
        lock: the file, in a folder that is there.
        taken: what `HubError` says where another program still holds it after `patience` seconds.
        where: what `HubError` names.
        patience: seconds.

    Raises `HubError`, and `OSError` where the file cannot be made.
    """
    from filelock import FileLock, Timeout

    held = FileLock(lock)
    try:
        held.acquire(timeout=patience)
    except Timeout:
        raise HubError(taken, where=where) from None
    try:
        yield
    finally:
        # Before another program can hold it: one that waits sees that it is gone, and makes it.
        with suppress(OSError):
            lock.unlink()
        held.release()
