"""Opens the file of a store: to write it, or to read it wherever it lies."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from core.files.atomic import make_private
from core.text.errors import RunError
from core.text.language import _

PATIENCE = 5.0
"""Seconds to wait for another program that is just writing."""
_UNWRITABLE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}


def connect(path: Path | None, *, create: bool) -> sqlite3.Connection:
    """A connection to a store, or to one in memory; without `create` maybe only to read.

    A store in write-ahead mode needs a file beside it even to be read. Where none can be made,
    as on a read-only file system, it is read as a file that nobody changes. Raises `RunError`
    where that would leave verdicts out, and `sqlite3.Error`.

    A new store is its owner's alone; SQLite gives the files beside it the same mode.
    """
    if path is None:
        return sqlite3.connect(":memory:", isolation_level=None)
    if create:
        # Where it cannot be made, SQLite says why.
        with suppress(OSError):
            make_private(path)
        return _open(path, "mode=rwc")
    try:
        return _readable(path, "mode=rw")
    except sqlite3.Error as error:
        if not _is_unwritable(error) or not path.is_file():
            raise
    try:
        return _readable(path, "mode=ro")
    except sqlite3.Error as error:
        if not _is_unwritable(error):
            raise
    pending = path.with_name(f"{path.name}-wal")
    if pending.exists() and pending.stat().st_size:
        raise RunError(
            _("The latest verdicts of this store are in a second file, which cannot be read here."),
            where=str(pending),
            hint=_(
                "Copy both files to a folder that you may write, and name the copy with --store."
            ),
        )
    return _readable(path, "mode=ro&immutable=1")


def copied(db: sqlite3.Connection) -> sqlite3.Connection:
    """A copy of a database in memory, which may be changed while the file stays as it is."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    with closing(db):
        db.backup(copy)
    return copy


def _open(path: Path, how: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{how}"
    return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)


def _readable(path: Path, how: str) -> sqlite3.Connection:
    """A connection that was read from once, because SQLite opens files only then."""
    db = _open(path, how)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def _is_unwritable(error: sqlite3.Error) -> bool:
    # The low byte is the primary result code.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNWRITABLE
