"""Keeps two programs from recording the same run at the same time.

The operating system locks a small file beside the store, so the lock ends with the process,
however that ends.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from core.files.atomic import make_private
from core.text.errors import RunError
from core.text.language import _

_TAKEN = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


@contextmanager
def hold(store: Path, run_id: str) -> Iterator[None]:
    """Keep other programs from recording a run; raises `RunError` if one already does."""
    lock = _file(store, run_id)
    try:
        make_private(lock)
        held = sqlite3.connect(lock, timeout=0, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise _unusable(lock) from error
    with closing(held):
        try:
            held.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if not _is_taken(error):
                raise _unusable(lock) from error
            raise RunError(
                _("Another program is just recording run {run_id}.", run_id=run_id),
                where=store,
                hint=_("Wait until it is done, or pause it there."),
            ) from error
        try:
            yield
        finally:
            with suppress(OSError):
                lock.unlink()


def is_held(store: Path, run_id: str) -> bool:
    """Whether a running program records this run; one that was killed does not."""
    lock = _file(store, run_id)
    if not lock.exists():
        return False
    # A run that ends in between removes the file, which must not be created again.
    there = f"{lock.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(there, uri=True, timeout=0, isolation_level=None)) as probe:
            probe.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        # With any other error nobody holds it.
        return _is_taken(error)
    return False


def _file(store: Path, run_id: str) -> Path:
    return store.with_name(f"{store.name}.{run_id}.lock")


def _is_taken(error: sqlite3.Error) -> bool:
    # The low byte is the primary result code.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _TAKEN


def _unusable(lock: Path) -> RunError:
    return RunError(
        _("The lock of this run cannot be used."),
        where=lock,
        hint=_("Remove it, and see that the folder of the store can be written."),
    )
