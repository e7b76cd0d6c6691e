"""The configuration: one YAML file, read strictly.

    model: demo
    model_folders: [~/models]
    theme: dusk
    keymap:
      browse.copy: "Y"

A name that is not known, a value of the wrong kind or a name given twice is an error that says
where it stands and what would be allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from core import paths, strict_yaml
from core.errors import ConfigError
from core.strict_yaml import Value, quoted


@dataclass(frozen=True, slots=True)
class Config:
    """What a person has chosen; every part has a default."""

    model: str = "demo"
    """The model to start with, as typed after `--model`."""
    model_folders: tuple[Path, ...] = ()
    """Folders in which models are looked for, besides the program's own."""
    theme: str = ""
    """The theme's name; empty for the program's default."""
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Command id to keys, several parted by commas."""


def read(path: Path | None = None) -> Config:
    """Read a configuration file; the person's own, which need not exist, when none is named.

    Raises `ConfigError` naming file and line.
    """
    file = path or paths.config()
    try:
        if path is None and not file.exists():
            return Config()
    except OSError as error:
        raise ConfigError(
            f"The configuration cannot be read: {error.strerror}.", where=str(file)
        ) from error
    root = strict_yaml.read(file, "The configuration")
    if root is None:
        return Config()
    given: dict[str, Any] = {}
    for key, value in root.members(known=[part.name for part in fields(Config)]).items():
        match key:
            case "model_folders":
                given[key] = tuple(_folder(part) for part in value.parts())
            case "keymap":
                given[key] = {command: keys.text() for command, keys in value.members().items()}
            case _:
                given[key] = value.text()
    return Config(**given)


def _folder(value: Value) -> Path:
    text = value.text()
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        what = f"{quoted(text)} names a home folder that does not exist."
        raise value.error(what) from error
