"""A file that is there whole or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.exchange.exporters.document import ExportError
from core.exchange.exporters.files import check_free, not_written
from core.files import paths
from core.files.atomic import make_private, make_private_folder
from core.files.database_file import files_beside
from core.text.errors import RunError
from core.text.escaping import escape_control_characters


@contextmanager
def new_file(to: Path, store: Path, *, force: bool) -> Iterator[Path]:
    """An empty file beside `to`, which takes its place when the block has filled it.

    Only its owner may read it. With `force` it replaces another file, also a store, but neither the
    one that it is filled from nor one that is in use. Raises `ExportError`.
    """
    path = paths.destination(to)
    if path.exists() and path.samefile(store):
        raise ExportError(
            "This is the store that the runs are in.", where=to, hint="Name another file."
        )
    check_free(to, force=force, over_database=True)
    for beside in files_beside(path):
        raise ExportError(
            "This file belongs to a store that is in use, or was when its program was killed.",
            where=beside,
            hint="Name another file.",
        )
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        make_private_folder(path.parent)
        make_private(part)
        yield part
        part.replace(path)
    except OSError as error:
        raise not_written(path, error) from error
    except RunError as error:
        if error.where != escape_control_characters(str(part)):
            raise
        # The file has a temporary name while it is written, which would tell nobody anything.
        hint = "Name another file, or make room on its disk."
        raise ExportError(error.what, where=path, hint=hint) from error
    finally:
        # A full disk keeps SQLite from removing its own.
        for left in (part, *files_beside(part)):
            left.unlink(missing_ok=True)
