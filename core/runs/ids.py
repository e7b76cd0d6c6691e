"""The ids of recorded runs, for completion: nothing else of the store is imported."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from core.runs.connection import connect
from core.text.errors import RunError
from core.text.language import _


def run_ids(path: Path) -> list[str]:
    """The ids of the runs of a store, the oldest first; none if the store does not exist.

    Raises `RunError` for a file that cannot be read as a store.
    """
    try:
        if not path.exists():
            return []
        with closing(connect(path, create=False)) as db:
            rows = db.execute("SELECT id FROM runs ORDER BY created, rowid").fetchall()
    except (OSError, sqlite3.Error) as error:
        raise RunError(
            _("The runs of this file cannot be listed: {error}.", error=error),
            where=path,
        ) from error
    return [str(run) for (run,) in rows]
