"""Writes an exported file completely or not at all; overwrites only on request."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.annotation.folder import belongs_to_annotation
from core.exchange.exporters.document import ExportError, FileExistsAlreadyError
from core.files import paths
from core.files.atomic import make_folder_of
from core.files.database_file import is_beside_database, is_database
from core.text.language import _

_NOT_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 60


def check_free(path: Path, *, force: bool, ending: str = "", over_database: bool = False) -> None:
    """Raise what `write` would raise for an existing file, before anything is computed.

    Args:
        path: the file.
        force: whether an export may be overwritten.
        ending: what its name has to end in.
        over_database: whether `force` is for a database too, as where a store takes its place.

    Raises:
        FileExistsAlreadyError: if the file is there and `force` is false.
        ExportError: for a name with another ending, for what is no regular file, and for a part of
            a database or an annotation, which is never overwritten.
    """
    if not path.name.lower().endswith(ending):
        raise ExportError(
            f"This cannot be written as “{path.suffix}”.",
            where=path,
            hint=f"Its name ends in {ending}.",
        )
    try:
        path = paths.destination(path)
        if path.is_dir():
            raise ExportError(_("This is a folder."), where=path, hint=_("Name a file in it."))
        if not path.name.strip():
            raise ExportError(
                _("The name of this file is blank."), where=path, hint=_("Choose another name.")
            )
        if path.exists() and not path.is_file():
            raise ExportError(
                _("This is neither a file nor a folder."),
                where=path,
                hint=_("Choose another file."),
            )
        if is_beside_database(path) or (not over_database and is_database(path)):
            raise _record_error(
                _("This file belongs to a database, such as a store of runs."), path
            )
        if belongs_to_annotation(path):
            raise _record_error(_("This file belongs to an annotation."), path)
        # A link that leads nowhere is something too, and would be lost.
        if os.path.lexists(path) and not force:
            raise FileExistsAlreadyError(
                _("This file is there already."),
                where=path,
                hint=_("Choose another name, or overwrite it with --force."),
            )
        # Writing would replace the link and leave the file behind it unchanged.
        if path.is_symlink():
            raise ExportError(
                _("This is a link to another file."),
                where=path,
                hint=_("Name the file that it leads to, or choose another name."),
            )
    except (OSError, RuntimeError, ValueError) as error:
        raise not_written(path, error) from error


def _record_error(what: str, path: Path) -> ExportError:
    return ExportError(what, where=path, hint=_("Choose another name."))


def write(path: Path, data: bytes, *, force: bool = False) -> Path:
    """Write `data` to `path`; return the file's full path. Raises as `draft` does."""
    with draft(path, force=force) as handle:
        handle.write(data)
    return paths.destination(path)


@contextmanager
def draft(path: Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """Give a file to write to, which takes its place at `path` when the block ends well.

    Raises what `check_free` does, and `ExportError` if the file cannot be written.
    """
    check_free(path, force=force)
    try:
        path = paths.destination(path)
        temporary = path.with_name(f".{path.name[:_LONGEST]}-{secrets.token_hex(4)}.part")
        private = make_folder_of(path)
        # Never through a link that somebody else put there, as may happen in a shared folder.
        handle = temporary.open("xb")
    except (OSError, RuntimeError, ValueError) as error:
        raise not_written(path, error) from error
    try:
        with handle:
            if private:
                temporary.chmod(0o600)
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    except OSError as error:
        raise not_written(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def not_written(path: Path, error: OSError | RuntimeError | ValueError) -> ExportError:
    """The error for a file that could not be written."""
    # A path can also be none at all: an unknown user after ~, a null character.
    reason = error.strerror if isinstance(error, OSError) else str(error)
    if isinstance(error, FileExistsError | NotADirectoryError):
        reason = _("a file stands in the place of one of its folders")
    return ExportError(_("This file cannot be written: {reason}.", reason=reason), where=path)


def file_name(benchmark: str, item: str, suffix: str) -> str:
    """A name for the file of an item; of the item's id only letters, digits, `.`, `_` and `-`."""
    parts = (_NOT_A_NAME.sub("-", text).strip("-.")[:_LONGEST] for text in (benchmark, item))
    return "-".join(part for part in parts if part) + suffix
