"""Keeps two programs from fetching or recording the same thing at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from core.files.lock_file import held
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
    with ExitStack() as holding:
        try:
            holding.enter_context(held(lock, patience=patience))
        except BlockingIOError as error:
            raise HubError(taken, where=where) from error
        yield
