"""The configuration: one YAML file, read strictly.

    model: demo
    model_folders: [~/models]
    theme: dusk
    language: it
    concurrency: 8
    gpu_layers: 0
    context: 0
    prices: {input: 0.15, output: 0.60}
    keymap:
      browse.copy: "Y"

An unknown name, a value of another type and a repeated name are errors, which name the line and
what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.files import paths
from core.text.errors import ConfigError
from core.text.escaping import quoted
from core.text.language import _

if TYPE_CHECKING:
    from core.files.strict_yaml import Value


@dataclass(frozen=True, slots=True)
class Config:
    """A person's choices; every part has a default."""

    model: str = "demo"
    """The model to start with, as typed after `--model`."""
    model_folders: tuple[Path, ...] = ()
    """Folders in which models are looked for, besides the program's own."""
    theme: str = ""
    """The theme's name; empty for the program's default."""
    language: str = ""
    """The code of the language of the screens; empty for that of the environment."""
    concurrency: int = 8
    """Most questions that a run asks a server at once."""
    gpu_layers: int = 0
    """How many layers of a model file an accelerator computes."""
    context: int = 0
    """Most tokens of the context of a model file, if it was trained for them; 0 for 8,192."""
    prices: tuple[float, float] | None = None
    """What a server charges for a million tokens of prompts, and of answers."""
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Command id to keys, several separated by commas."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The `file:line` of each value by its name: "theme", "keymap.browse.copy"."""


MOST_AT_ONCE = 512
"""Most questions that are asked at once: each takes an open file."""
ALL_LAYERS = 1_000
"""More layers than any model has."""
MOST_CONTEXT = 2**24
"""More tokens than any model was trained for."""
_PRICES = ("input", "output")
_KEYS = tuple(part.name for part in fields(Config) if part.name != "origins")


def read(path: Path | None = None) -> Config:
    """Read a configuration file; without a path the person's own, which need not exist.

    Raises `ConfigError` naming file and line.
    """
    file = path or paths.config()
    try:
        if path is None and not file.exists():
            return Config()
    except OSError as error:
        raise ConfigError(
            _("The configuration cannot be read: {why}.", why=error.strerror),
            where=file,
        ) from error
    # Imported here because most people have no configuration, and need no YAML reader.
    from core.files import strict_yaml

    root = strict_yaml.read_any(file, "The configuration")
    if root is None:
        return Config()
    given: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for key, value in root.members(known=_KEYS).items():
        origins[key] = f"{file}:{value.line}"
        match key:
            case "model_folders":
                given[key] = tuple(_folder(part) for part in value.parts())
            case "concurrency":
                given[key] = _whole_number(value, 1, MOST_AT_ONCE)
            case "gpu_layers":
                given[key] = _whole_number(value, 0, ALL_LAYERS)
            case "context":
                given[key] = _whole_number(value, 0, MOST_CONTEXT)
            case "prices":
                given[key] = _prices(value)
            case "keymap":
                bound = value.members()
                given[key] = {command: keys.text() for command, keys in bound.items()}
                origins |= {f"keymap.{name}": f"{file}:{v.line}" for name, v in bound.items()}
            case _:
                given[key] = value.text()
    return Config(**given, origins=origins)


def read_or_defaults() -> tuple[Config, tuple[ConfigError, ...]]:
    """The person's own configuration; if it cannot be read, the defaults and the error."""
    try:
        return read(), ()
    except ConfigError as error:
        return Config(), (error,)


def _whole_number(value: Value, least: int, most: int) -> int:
    number = value.number()
    if not (least <= number <= most and number == int(number)):
        what = _(
            "{name} must be a whole number from {least} to {most}.",
            name=value.name,
            least=least,
            most=most,
        )
        raise value.error(what)
    return int(number)


def _prices(value: Value) -> tuple[float, float]:
    prices = {name: each.number() for name, each in value.members(known=_PRICES).items()}
    if set(prices) != set(_PRICES) or not all(0 <= price < inf for price in prices.values()):
        what = _("{name} must have input and output: what a million tokens cost.", name=value.name)
        raise value.error(what)
    return prices["input"], prices["output"]


def _folder(value: Value) -> Path:
    text = value.text()
    path = paths.expanded(text)
    if text.startswith("~") and path == Path(text):
        raise value.error(_("{text} names a home folder that does not exist.", text=quoted(text)))
    if not paths.is_possible(path):
        raise value.error(_("{text} cannot be the name of a folder.", text=quoted(text)))
    return path
