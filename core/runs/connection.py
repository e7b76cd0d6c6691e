"""Opens the file of a store: to write it, or to read it wherever it lies.

Completion imports this and nothing else of the store.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path

from core.files.atomic import make_private
from core.runs.schema import check_only_ours
from core.system.file_lock import OPEN_FLAGS, can_lock
from core.text.errors import RunError
from core.text.language import _

PATIENCE = 5.0
"""Seconds to wait while another program writes."""
_MOST_BYTES = 2**24
"""Most bytes of a row, and of a text in it."""
_LEAST_STEPS = 2_000_000
_STEPS_OF_A_BYTE = 2
"""Steps of SQLite's engine that a statement may take, and how many more for each byte of the file.
Statements of this program take a fifth of a step for a byte. In a file that somebody made for it, a
page can stand in many places, and a scan of a few kilobytes would not end."""
_OF_SEVERAL = bytes.fromhex("d9d505f920a163d7")
"""What a journal ends with that names another one, which belongs to several databases."""
_MOST_EMPTY = 100_000_000
"""Most bytes that a store of an older version may hold for nothing."""
_UNWRITABLE = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
}
"""What SQLite says where it cannot make the file beside a store; the last two on a full disk."""


def connect(path: Path | None, *, create: bool) -> sqlite3.Connection:
    """Connect to a store, or to one in memory; without `create` it may be read-only.

    SQLite needs a second file beside a store in write-ahead mode, even to read it. Where that
    cannot be made, as on a read-only or a full disk, or nothing can be locked, as on some network
    file systems, the store is opened as immutable. Raises `RunError` where verdicts would be
    missing then, or a store that cannot be locked would be written, and `sqlite3.Error`.

    Only its owner may read a new store; SQLite gives the files beside it the same mode.
    """
    if path is None:
        return sqlite3.connect(":memory:", isolation_level=None)
    # SQLite names the files beside a store after the file itself, and not after a link to it.
    path = Path(os.path.realpath(path))
    _check_journal(path)
    if create:
        _check_locks(path)
        _check_names(path)
        # If this fails, SQLite reports why.
        with suppress(OSError):
            make_private(path)
        return _open(path, "mode=rwc")
    if path.is_file() and not can_lock(path.parent):
        return _immutable(path)
    # The last program to leave a store in which it may write would write the verdicts of the second
    # file into it. That is for the next one to do that records.
    may_write = not _has_content(beside(path, "wal"))
    try:
        return _readable(path, "mode=rw" if may_write else "mode=ro")
    except sqlite3.Error as error:
        if not is_unwritable(error) or not path.is_file():
            raise
    try:
        return _readable(path, "mode=ro")
    except sqlite3.Error as error:
        if not is_unwritable(error):
            raise
    return _immutable(path)


def run_ids(path: Path) -> list[str]:
    """The ids of the runs of a store, the oldest first; none if the store does not exist.

    Raises `RunError` for a file that cannot be read as a store.
    """
    try:
        if not path.exists():
            return []
        with closing(connect(path, create=False)) as db:
            check_only_ours(db, path)
            return [
                str(run) for (run,) in db.execute("SELECT id FROM runs ORDER BY created, rowid")
            ]
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        raise RunError(
            _("The runs of this file cannot be listed: {error}.", error=error),
            where=path,
        ) from error


def limit_work(db: sqlite3.Connection, path: Path) -> None:
    """Let what is executed next take as many steps as the size of the file explains.

    More end with the error `SQLITE_INTERRUPT`.
    """
    taken = 0

    def is_too_much() -> bool:
        nonlocal taken
        taken += _LEAST_STEPS
        return taken > _LEAST_STEPS + _STEPS_OF_A_BYTE * _size(path)

    db.set_progress_handler(is_too_much, _LEAST_STEPS)


def _size(path: Path) -> int:
    """The bytes of a store and of the file beside it; 0 for what is not there."""
    size = 0
    for file in (path, beside(path, "wal")):
        with suppress(OSError):
            size += file.stat().st_size
    return size


def copied(db: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """Copy the database at a path into a temporary file, so that the copy can be changed.

    Raises `RunError` where most of it is empty, as that would be copied, too.
    """
    [[free], [pages], [size]] = (
        db.execute(f"PRAGMA {name}").fetchone()
        for name in ("freelist_count", "page_count", "page_size")
    )
    if free * 2 > pages and free * size > _MOST_EMPTY:
        raise RunError(
            _("More than half of this store, which an older version made, is empty."),
            where=path,
            hint=_("Let SQLite's VACUUM make it smaller."),
        )
    # Without a name, so that it ends with the connection.
    copy = sqlite3.connect("", isolation_level=None)
    copy.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
    limit_work(copy, path)
    with closing(db):
        db.backup(copy)
    return copy


def write_copy(db: sqlite3.Connection, to: Path) -> None:
    """Copy a database into a file, as it is at one moment; raises `sqlite3.Error`.

    Raises `RunError` where the file cannot be locked.
    """
    _check_locks(to)
    with closing(sqlite3.connect(to, isolation_level=None)) as copy:
        db.backup(copy)
        # One file: none beside it for verdicts that are being written.
        copy.execute("PRAGMA journal_mode = DELETE")


def _open(path: Path, how: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{how}"
    db = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
    limit_work(db, path)
    return db


def _immutable(path: Path) -> sqlite3.Connection:
    """Connect without a lock; raises `RunError` where another file is needed to read this one."""
    for pending in (beside(path, "wal"), beside(path, "journal")):
        if _has_content(pending):
            raise RunError(
                _(
                    "The latest verdicts of this store are in a second file, which cannot be read "
                    "here."
                ),
                where=pending,
                hint=_(
                    "Copy both files to a folder that you may write, and name the copy with "
                    "--store."
                ),
            )
    return _readable(path, "mode=ro&immutable=1")


def beside(path: Path, ending: str) -> Path:
    """The file that SQLite keeps beside a store: its `wal`, `shm` or `journal`."""
    return path.with_name(f"{path.name}-{ending}")


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _check_journal(path: Path) -> None:
    """Raise `RunError` for a journal of several databases, and for one that is no regular file.

    The first names a file, which SQLite deletes. This program never writes several at once.
    """
    journal = beside(path, "journal")
    try:
        descriptor = os.open(journal, os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return
    try:
        status, end = os.fstat(descriptor), b""
        if stat.S_ISREG(status.st_mode):
            os.lseek(descriptor, max(0, status.st_size - len(_OF_SEVERAL)), os.SEEK_SET)
            end = os.read(descriptor, len(_OF_SEVERAL))
    finally:
        os.close(descriptor)
    if end == _OF_SEVERAL or not stat.S_ISREG(status.st_mode):
        raise RunError(
            _("The journal beside this store is not one that this program makes."),
            where=journal,
            hint=_("Get the store again, and nothing that was beside it."),
        )


def _check_names(path: Path) -> None:
    """Raise `RunError` for a file with a second name, as verdicts beside one would be lost."""
    if path.is_file() and path.stat().st_nlink > 1:
        raise RunError(
            _("This store has several names (hard links), so it cannot be recorded in."),
            where=path,
            hint=_("Copy it to another file, and name that one with --store."),
        )


def _check_locks(path: Path) -> None:
    if not can_lock(path.parent):
        raise RunError(
            _("This file system cannot lock files, so nothing can be recorded on it."),
            where=path,
            hint=_("Keep runs on a local disk: name a file there with --store."),
        )


def _readable(path: Path, how: str) -> sqlite3.Connection:
    """Connect and read once, because SQLite opens the file only then."""
    db = _open(path, how)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def is_unwritable(error: sqlite3.Error) -> bool:
    """Whether a file cannot be written, or its disk is full."""
    # The low byte is the primary result code.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNWRITABLE
