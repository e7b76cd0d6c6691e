"""Writes small files atomically, and makes private files and folders."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from core.files import paths


def atomic_write(path: Path, body: str, *, private: bool = False) -> None:
    """Replace a file by an ASCII text, and make its folder; raises `OSError`.

    A process that is killed meanwhile leaves the old or the new content. A `private` file, as every
    one among the program's own, may be read and written by its owner only, and so may the folders
    that are made for it.
    """
    private = make_folder_of(path, private=private)
    # `tempfile` is not used, because only the owner can read its files.
    temporary = path.parent / f".{path.stem}-{secrets.token_hex(8)}"
    if private:
        make_private(temporary)
    with temporary.open("w" if private else "x", encoding="ascii") as handle:
        try:
            handle.write(body)
            handle.flush()
            os.fsync(handle.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def make_private(path: Path, *, through_links: bool = True) -> None:
    """Make an empty file that only its owner may read and write; raises `OSError`.

    An existing file stays as it is. A link whose target does not exist yet is followed if it is
    when the file is written.
    """
    target = os.path.realpath(path) if through_links else path
    try:
        handle = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return
    try:
        # What the creation mask took away.
        os.chmod(handle if os.chmod in os.supports_fd else target, 0o600)  # noqa: PTH101
    finally:
        os.close(handle)


def make_folder_of(path: Path, *, private: bool = False) -> bool:
    """Make the folder of a file, and those above it; returns whether the file is to be private.

    It is where that is said, and among the program's own. Raises `OSError`.
    """
    private = private or paths.is_own(path)
    if private:
        make_private_folder(path.parent)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
    return private


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it, that only its owner may open; raises `OSError`.

    An existing folder stays as it is.
    """
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    # What the creation mask took away.
    folder.chmod(0o700)
