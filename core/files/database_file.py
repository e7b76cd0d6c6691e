"""Recognises databases of SQLite, as stores of runs are, and the files that it keeps beside one.

Nothing else may be written into either: a store that is in use cannot be read then, or loses what
was recorded last.
"""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

_ENDINGS = ("-wal", "-shm", "-journal")


def is_database(path: Path) -> bool:
    """Whether a regular file is a database of SQLite."""
    # Most programs that write a file have no store open.
    import sqlite3

    try:
        if not path.is_file() or not path.stat().st_size:
            return False
        # By SQLite and without a lock: if this process has the file open as a store, opening and
        # closing it in any other way would end the locks on it.
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as db:
            db.execute("PRAGMA application_id").fetchone()
    except (OSError, ValueError, sqlite3.Error):
        return False
    return True


def is_beside_database(path: Path) -> bool:
    """Whether SQLite keeps, or would keep, a part of a database in a file of this name."""
    return any(
        path.name.endswith(ending) and is_database(path.with_name(path.name.removesuffix(ending)))
        for ending in _ENDINGS
        if path.name != ending
    )


def files_beside(path: Path) -> list[Path]:
    """The existing files that SQLite keeps beside a database; raises `OSError`."""
    path = Path(os.path.realpath(path))
    beside = (path.with_name(f"{path.name}{ending}") for ending in _ENDINGS)
    return [each for each in beside if each.exists()]
