"""Where a person's own files are, by the conventions of the operating system."""

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
    """The folder of everything a person makes: own items and recorded runs."""
    return Path(_DIRS.user_data_dir)


def state() -> Path:
    """The folder of what the program remembers by itself and can do without."""
    return Path(_DIRS.user_state_dir)


def runs() -> Path:
    """The store of recorded runs."""
    return data() / "runs.sqlite"


def models() -> Path:
    """The folder in which models are looked for first."""
    return data() / "models"


def own(benchmark: str) -> Path:
    """The collection to which a person's own items of a benchmark are added."""
    return data() / "own" / f"{benchmark}.json"


def own_folder(benchmark: str) -> Path:
    """The same for benchmarks whose items are files of their own."""
    return data() / "own" / benchmark


def places() -> Mapping[str, Path]:
    """What `locate` can name, with its path."""
    return {"config": config(), "themes": themes(), "data": data(), "runs": runs()}


def shortened(path: Path) -> str:
    """A path as a person reads it, from the home folder where it is below it."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
