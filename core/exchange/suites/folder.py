"""Writes a suite to a folder, whole or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.exchange.exporters.document import ExportError, FileExistsAlreadyError

FACTS = "suite.json"
"""The file that says what a suite is; a folder without it is never overwritten."""


@contextmanager
def suite_folder(path: Path, *, force: bool) -> Iterator[Path]:
    """An empty folder, which takes its place at `path` when the block ends well.

    Raises `FileExistsAlreadyError` where something is there already that is no empty folder, unless
    `force` is true and it is a suite; `ExportError` where it cannot be written.
    """
    try:
        path = path.expanduser().absolute()
        _check_free(path, force=force)
        path.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{path.name[:40]}-"
        with tempfile.TemporaryDirectory(prefix=prefix, dir=path.parent) as temporary:
            made = Path(temporary) / "suite"
            made.mkdir()
            yield made
            if path.exists():
                path.rename(Path(temporary) / "before")
            made.rename(path)
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ExportError(f"This folder cannot be written: {reason}.", where=path) from error


def _check_free(path: Path, *, force: bool) -> None:
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise FileExistsAlreadyError(
            "This is there already and no folder.", where=path, hint="Choose another name."
        )
    if not path.exists() or not any(path.iterdir()):
        return
    if not (path / FACTS).is_file():
        raise FileExistsAlreadyError(
            "This folder is not empty.", where=path, hint="Name a new folder."
        )
    if not force:
        raise FileExistsAlreadyError(
            "There is a suite already.",
            where=path,
            hint="Choose another name, or overwrite it with --force.",
        )


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a JSON document that a person can read."""
    path.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def copy_shipped(name: str, target: Path) -> None:
    """Copy one of the files beside this module, whose names end in `.txt` here."""
    shutil.copyfile(Path(__file__).with_name(f"{name}.txt"), target)
