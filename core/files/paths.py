"""Paths of a person's own files, by the conventions of the operating system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from platformdirs import PlatformDirs

_DIRS = PlatformDirs("commonsense-tui", appauthor=False)


def config() -> Path:
    """The configuration file; it need not exist."""
    return Path(_DIRS.user_config_dir) / "config.yaml"


def themes() -> Path:
    """The folder of a person's own themes."""
    return Path(_DIRS.user_config_dir) / "themes"


def data() -> Path:
    """The folder of a person's own items and recorded runs."""
    return Path(_DIRS.user_data_dir)


def state() -> Path:
    """The folder of the program's state, which may be deleted."""
    return Path(_DIRS.user_state_dir)


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
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
