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

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from core import paths
from core.errors import ConfigError
from core.nearest import one_of

_LIMIT = 1_000_000
"""Most bytes of a configuration file."""


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
        with file.open("rb") as handle:
            raw = handle.read(_LIMIT + 1)
    except OSError as error:
        raise ConfigError(
            f"The configuration cannot be read: {error.strerror}.", where=str(file)
        ) from error
    if len(raw) > _LIMIT:
        raise ConfigError("The configuration is larger than 1 MB.", where=str(file))
    return _Reader(file).config(raw)


class _Reader:
    """Reads the nodes of one file, so that an error knows its line."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def config(self, raw: bytes) -> Config:
        try:
            root = yaml.compose(raw.decode("utf-8"), Loader=yaml.SafeLoader)
        except UnicodeDecodeError as error:
            raise ConfigError("The file is not UTF-8 text.", where=str(self._file)) from error
        except RecursionError as error:
            raise ConfigError("The file is nested too deeply.", where=str(self._file)) from error
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f"{self._file}:{mark.line + 1}" if mark else str(self._file)
            problem = getattr(error, "problem", None) or "it is not YAML"
            raise ConfigError(f"This is not YAML: {problem}.", where=where) from error
        if root is None:
            return Config()
        known = [part.name for part in fields(Config)]
        values = self._mapping(root, "the configuration")
        model, theme = Config().model, Config().theme
        folders: tuple[Path, ...] = ()
        keymap: dict[str, str] = {}
        for key, (name, node) in values.items():
            match key:
                case "model":
                    model = self._text(node, key)
                case "theme":
                    theme = self._text(node, key)
                case "model_folders":
                    folders = tuple(self._folder(part, key) for part in self._list(node, key))
                case "keymap":
                    keymap = {
                        command: self._text(keys, f"{key}: {command}")
                        for command, (_, keys) in self._mapping(node, key).items()
                    }
                case _:
                    what = f"“{key}” cannot be configured."
                    raise self._error(name, what, one_of("Known", known, key))
        return Config(model, folders, theme, keymap)

    def _error(self, node: Node, what: str, hint: str = "") -> ConfigError:
        return ConfigError(what, where=f"{self._file}:{node.start_mark.line + 1}", hint=hint)

    def _mapping(self, node: Node, key: str) -> dict[str, tuple[Node, Node]]:
        if not isinstance(node, MappingNode):
            raise self._error(node, f"{key} must be names with values.", "Write name: value.")
        found: dict[str, tuple[Node, Node]] = {}
        for name, value in node.value:
            text = self._text(name, key)
            if text in found:
                raise self._error(name, f"“{text}” stands here twice.", "Keep one of the two.")
            found[text] = (name, value)
        return found

    def _list(self, node: Node, key: str) -> list[Node]:
        if not isinstance(node, SequenceNode):
            raise self._error(node, f"{key} must be a list.", f"Write {key}: [one, another].")
        return list(node.value)

    def _text(self, node: Node, key: str) -> str:
        is_text = isinstance(node, ScalarNode) and node.tag == "tag:yaml.org,2002:str"
        if not is_text or not node.value.strip():
            raise self._error(node, f"{key} must be a text.", 'Put it in quotes: "text".')
        return str(node.value)

    def _folder(self, node: Node, key: str) -> Path:
        text = self._text(node, key)
        try:
            return Path(text).expanduser()
        except RuntimeError as error:
            raise self._error(node, f"“{text}” names a home folder that does not exist.") from error
