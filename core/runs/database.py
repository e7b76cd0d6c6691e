"""The file of a store: opened, checked, brought to the present tables, its errors put in words."""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from core.files.atomic import make_private_folder
from core.files.database_file import is_beside_database
from core.runs.connection import beside, connect, copied, is_unwritable, limit_work, write_copy
from core.runs.schema import (
    APPLICATION,
    MIGRATIONS,
    VERSION,
    check_only_ours,
    explain,
    make,
    migrate,
)
from core.runs.wal_file import has_damaged_frame
from core.text.errors import LostStoreError, RunError
from core.text.language import _


class Database:
    """An open file with the tables of a store; use it in one thread."""

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open the file at `path`; raises `RunError`.

        Without `create` nothing is written, and a file that does not exist is an empty store.
        """
        self.path = path
        self._place, self._opened, self._wal = path, (0, 0), (0, 0)
        """Where the open file is, wherever the program goes, which file that is, and which is the
        one beside it with what was recorded last; zeros while none is open."""
        try:
            # SQLite takes a device for an empty file. It is not opened here: closing it again would
            # end the locks that this process has on it.
            there = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            there = 0
        except OSError as error:  # A loop of links, or a folder that nobody may search.
            raise RunError(
                _("The store cannot be opened: {why}.", why=error.strerror),
                where=path,
                hint=_("On the command line, name another file with --store."),
            ) from error
        if there and not (stat.S_ISREG(there) or stat.S_ISDIR(there)):
            raise self._refusal(_("The store is not a regular file."))
        if create and is_beside_database(path):
            raise self._refusal(_("This file belongs to a database, such as a store of runs."))
        here = path if create or there else None
        self._may_make = create or here is None
        if create:
            try:
                make_private_folder(path.parent)
            except OSError as error:
                what = _("The folder of the store cannot be made: {why}.", why=error.strerror)
                raise self._refusal(what, path.parent) from error
        with self.guarded():
            self._db = connect(here, create=create)
        try:
            with self.guarded():
                self._prepare()
            if here is not None:
                self._place = Path(os.path.realpath(path))
                self._opened = _file_id(self._place)
        except BaseException:
            self._db.close()
            raise

    def _refusal(self, what: str, where: Path | None = None) -> RunError:
        hint = _("On the command line, name another file with --store.")
        return RunError(what, where=where or self.path, hint=hint)

    def close(self) -> None:
        """Close the file."""
        lost = self._is_lost()
        self._db.close()
        if lost:
            self._clear_place()

    def copy_to(self, path: Path) -> None:
        """Copy everything, as it is at one moment, into an empty file that is there already.

        Raises `RunError`, which names that file where it cannot be written.
        """
        with self.guarded():
            try:
                write_copy(self._db, path)
            except sqlite3.Error as error:
                if not is_unwritable(error):
                    raise
                what = _("The copy cannot be written: the disk is full or failing.")
                raise RunError(what, where=path) from error

    def check(self) -> None:
        """Raise `RunError` where SQLite finds the file damaged."""
        with self.guarded():
            rows = self.execute("PRAGMA integrity_check(1)").fetchall()
        if rows != [("ok",)]:
            raise RunError(
                _("The store is damaged."), where=self.path, hint=_("Get the file again.")
            )

    def has_lost_frames(self) -> bool:
        """Whether a part of what was recorded last cannot be read: a frame before it is damaged."""
        with self.guarded():
            return has_damaged_frame(beside(self._place, "wal"))

    def keep_in_one_file(self) -> None:
        """Leave write-ahead mode, so that several machines can read the file over a network.

        Nothing happens where another program has the store open.
        """
        with self.guarded(), suppress(sqlite3.OperationalError):
            self._db.execute("PRAGMA journal_mode = DELETE")
        self._wal = (0, 0)

    def execute(
        self, statement: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> sqlite3.Cursor:
        """Execute one statement; raises the errors of SQLite."""
        if any(self._opened):
            limit_work(self._db, self._place)
        return self._db.execute(statement, values)

    def insert(self, table: str, row: Mapping[str, object]) -> None:
        """Add a row to a table; raises the errors of SQLite."""
        columns, values = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
        # The names of tables and columns are ours; values are bound.
        statement = f"INSERT INTO {table} ({columns}) VALUES ({values})"  # nosec B608
        self.execute(statement, tuple(row.values()))

    @contextmanager
    def transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        """Commit the block as a whole, or roll it back; one inside another is a part of it."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn the errors of SQLite in the block into a `RunError`.

        Raises `LostStoreError` where the file is not there any more, or is another one: SQLite
        would go on with the old one, which is gone when it is closed.
        """
        if self._is_lost():
            self._clear_place()
            raise LostStoreError(
                _("The store was removed or replaced while it was in use."),
                where=self.path,
                hint=_("Put the file back, or begin again: nothing is recorded in it any more."),
            )
        try:
            yield
        except sqlite3.Error as error:
            what, hint = explain(error)
            raise RunError(what, where=self.path, hint=hint) from error
        except UnicodeDecodeError as error:
            # SQLite repeats names of a damaged file in its messages.
            raise self._refusal(_("The store is damaged.")) from error
        except OverflowError as error:
            raise RunError(
                _("A number is too large to be recorded."), where=str(self.path)
            ) from error

    def _is_lost(self) -> bool:
        """Whether the open file, or the one beside it, is not in its place any more."""
        if not any(self._opened):
            return False
        if self._may_make:
            # A program that records always has this file; one that reads may not, and another
            # program may remove it when it closes the store.
            wal = _file_id(beside(self._place, "wal"))
            if any(self._wal) and wal != self._wal:
                return True
            self._wal = wal
        return _file_id(self._place) != self._opened

    def _clear_place(self) -> None:
        """Take what was recorded last out of the way of another store that took the place.

        SQLite would write it into that one.
        """
        wal = beside(self._place, "wal")
        if _file_id(self._place) in {self._opened, (0, 0)} or _file_id(wal) != self._wal:
            return
        with suppress(OSError):
            wal.rename(wal.with_name(f"{self._place.name}.lost-{secrets.token_hex(4)}-wal"))
            beside(self._place, "shm").unlink(missing_ok=True)

    def _prepare(self) -> None:
        """Check that the file is a store; make the tables of a new one, migrate those of an old."""
        if not self._may_make and self._version() in {None, *MIGRATIONS}:
            # A store that is only read is never changed.
            self._db = copied(self._db, self.path)
        # A store that is only read may be a file that nobody may write.
        with self.transaction("IMMEDIATE" if self._may_make else "DEFERRED"):
            version = self._version()
            if version is None:
                make(self._db)
            elif version in MIGRATIONS:
                migrate(self._db, version)
            elif version != VERSION:
                what = _(
                    "This store was made by an older version of the program (format {version})."
                )
                hint = _("On the command line, name another file with --store.")
                if version > VERSION:
                    what = _(
                        "This store was made by a newer version of the program (format {version})."
                    )
                    hint = _("Update commonsense-tui, or name another file with --store.")
                raise RunError(what.format(version=version), where=self.path, hint=hint)
        if self._may_make:
            self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA foreign_keys = ON")

    def _version(self) -> int | None:
        """The version of the tables; None for an empty file, which becomes a store.

        Raises `RunError` for a database of another program.
        """
        application, version, tables = (
            self._db.execute(question).fetchone()[0]
            for question in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
            )
        )
        if application == APPLICATION:
            check_only_ours(self._db, self.path)
            return int(version)
        if application or version or tables:
            raise self._refusal(_("This is a database of another program."))
        return None


def _file_id(path: Path) -> tuple[int, int]:
    """Which file is at a path, by device and number; zeros where there is none."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino
