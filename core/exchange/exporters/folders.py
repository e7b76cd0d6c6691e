"""Writes an exported folder completely or not at all; overwrites only its own kind, on request."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.exchange.exporters.document import ExportError, FileExistsAlreadyError
from core.files import paths


@contextmanager
def whole_folder(path: Path, mark: str, kind: str, *, force: bool) -> Iterator[Path]:
    """An empty folder, which takes its place at `path` when the block ends well.

    Args:
        path: where it is to stand.
        mark: the name of a file that every folder of this kind has; others are never overwritten.
        kind: the kind in a word, with its article.
        force: whether a folder of this kind is overwritten.

    Raises `FileExistsAlreadyError` where something is there already that is no empty folder, unless
    `force` is true and it is of this kind; `ExportError` where it cannot be written.
    """
    try:
        path = paths.destination(path)
        _check_free(path, mark, kind, force=force)
        path.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{path.name[:40]}-"
        with tempfile.TemporaryDirectory(prefix=prefix, dir=path.parent) as temporary:
            folder = Path(temporary) / "whole"
            folder.mkdir()
            yield folder
            if path.exists():
                path.rename(Path(temporary) / "before")
            folder.rename(path)
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ExportError(f"This folder cannot be written: {reason}.", where=path) from error


def _check_free(path: Path, mark: str, kind: str, *, force: bool) -> None:
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise FileExistsAlreadyError(
            "This is there already and no folder.", where=path, hint="Choose another name."
        )
    if not path.exists() or not any(path.iterdir()):
        return
    if not (path / mark).is_file():
        raise FileExistsAlreadyError(
            "This folder is not empty.", where=path, hint="Name a new folder."
        )
    if not force:
        raise FileExistsAlreadyError(
            f"There is {kind} already.",
            where=path,
            hint="Choose another name, or overwrite it with --force.",
        )
