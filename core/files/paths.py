"""Paths of a person's own files, by the conventions of the operating system."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from platformdirs import PlatformDirs

from core.text.errors import NotFoundError
from core.text.language import _

_DIRS = PlatformDirs("commonsense-tui", appauthor=False)


def config() -> Path:
    """The configuration file; it need not exist."""
    return _folder("user_config_dir") / "config.yaml"


def themes() -> Path:
    """The folder of a person's own themes."""
    return _folder("user_config_dir") / "themes"


def data() -> Path:
    """The folder of a person's own items and recorded runs."""
    return _folder("user_data_dir")


def state() -> Path:
    """The folder of the program's state, which may be deleted."""
    return _folder("user_state_dir")


def _folder(name: str) -> Path:
    """A folder of `_DIRS`. Raises `NotFoundError` for an account without a home folder, such as one
    that a container makes up."""
    try:
        return Path(getattr(_DIRS, name))
    except RuntimeError as error:
        raise NotFoundError(
            _("This account has no home folder."),
            where="HOME",
            hint=_("Set HOME to a folder that you may write."),
        ) from error


def expanded(path: str | Path) -> Path:
    """A path with the home folder for `~`, as a shell does it: what has no home stays as it is."""
    # Unlike `Path.expanduser` this raises nothing.
    return Path(os.path.expanduser(path))  # noqa: PTH111


def destination(path: str | Path) -> Path:
    """The full path of a file or folder that is to be written.

    Raises `OSError`, `RuntimeError` and `ValueError` for what is no path.
    """
    path = expanded(path).absolute()
    if ".." not in path.parts:
        return path
    # Behind a folder that is yet to be made `..` leads nowhere, and later to what is there already.
    if path.name == "..":
        return Path(os.path.realpath(path))
    return Path(os.path.realpath(path.parent), path.name)


def runs() -> Path:
    """The store of recorded runs."""
    return data() / "runs.sqlite"


def models() -> Path:
    """The folder that is searched first for models."""
    return data() / "models"


def datasets() -> Path:
    """The folder of published data sets that were fetched."""
    return data() / "datasets"


def own(benchmark: str) -> Path:
    """The collection of a person's own items of a benchmark."""
    return data() / "own" / f"{benchmark}.json"


def own_folder(benchmark: str) -> Path:
    """The folder of a person's own items, for a benchmark with one file per item."""
    return data() / "own" / benchmark


def is_possible(path: Path) -> bool:
    """Whether the system can have a file or folder of this name."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def working_folder() -> Path | None:
    """The folder in which the program was started; None where it was removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def is_own(path: Path) -> bool:
    """Whether a file lies among the program's own, which are private."""
    return any(path.absolute().is_relative_to(folder) for folder in (data(), state()))


def named_paths() -> Mapping[str, Path]:
    """The paths that `locate` prints, by name."""
    return {"config": config(), "themes": themes(), "data": data(), "runs": runs()}


def shortened(path: Path) -> str:
    """A path for a person to read, with `~` for the home folder."""
    home = expanded("~")
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
