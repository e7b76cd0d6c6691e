"""Reads YAML files that a person wrote, strictly.

A value is read as the type that the caller asks for; tags build no objects. Every error is a
`ConfigError` with file and line.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import yaml
from yaml.composer import Composer
from yaml.events import AliasEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from core.files.regular_file import read_regular
from core.text.errors import ConfigError, DataError
from core.text.escaping import escape_control_characters, quoted, shortened
from core.text.language import _
from core.text.suggestions import nearest

_Kind = TypeVar("_Kind", bound=StrEnum)
LIMIT = 100_000
"""Most bytes of a file, and most characters that its aliases stand for, all together."""
_DEPTH = 10
"""Most lists and mappings that are nested in each other."""
_WORDS = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "timestamp")
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the file, with its name and line."""

    file: Path
    name: str
    """Its name in messages: its key, or the name of the file."""
    line: int
    """The line of its key, or its own line if it has no key, from 1."""
    _node: Node = field(repr=False)

    def text(self) -> str:
        """The value as a text that is not blank; raises `ConfigError`."""
        return _text(self.file, self.name, self._node)

    def truth(self) -> bool:
        """The value as true or false; raises `ConfigError`."""
        node = self._node
        if not (isinstance(node, ScalarNode) and node.tag == "tag:yaml.org,2002:bool"):
            raise self.error(_("{name} must be true or false.", name=self.name))
        return node.value.lower() in {"true", "yes", "on"}

    def number(self) -> float:
        """The value as a number; raises `ConfigError`."""
        node = self._node
        numeric = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}
        if isinstance(node, ScalarNode) and node.tag in numeric:
            try:
                return float(node.value)
            except ValueError:
                pass
        raise self.error(
            _("{name} must be a number.", name=self.name),
            _("Write it in digits, as in 0.8."),
        )

    def word(self) -> str:
        """A text, number or truth value as it is written; raises `ConfigError`.

        A version 1.0 stays "1.0", and an on stays "on".
        """
        node = self._node
        if not (isinstance(node, ScalarNode) and node.tag in _WORDS and node.value.strip()):
            raise self.error(_("{name} must be a text, a number, true or false.", name=self.name))
        return str(node.value)

    def one_of(self, kinds: type[_Kind]) -> _Kind:
        """The member of an enumeration that the text names; raises `ConfigError`."""
        text, known = self.text(), [kind.value for kind in kinds if kind.value]
        if text not in known:
            what = _("{name} cannot be {text}.", name=self.name, text=quoted(text))
            raise self.error(what, _known(known, text))
        return kinds(text)

    @property
    def named(self) -> bool:
        """Whether it is a mapping, so that `members` gives its values."""
        return isinstance(self._node, MappingNode)

    @property
    def listed(self) -> bool:
        """Whether it is a list, so that `parts` gives its values."""
        return isinstance(self._node, SequenceNode)

    def parts(self) -> list[Value]:
        """The values of a list; raises `ConfigError`."""
        if not isinstance(self._node, SequenceNode):
            raise self.error(
                _("{name} must be a list.", name=self.name),
                _("Write {name}: [one, another].", name=self.name),
            )
        name = f"A part of {self.name}"
        return [Value(self.file, name, _line(node), node) for node in self._node.value]

    def members(
        self, known: Collection[str] | None = None, needed: Collection[str] = (), lacks: str = ""
    ) -> dict[str, Value]:
        """The values of a mapping by key; raises `ConfigError`.

        Args:
            known: the keys that are allowed; any when left out.
            needed: the keys that are required.
            lacks: the hint for a required key that is missing.
        """
        if not isinstance(self._node, MappingNode):
            raise self.error(
                _("{name} must be names with values.", name=self.name),
                _("Write name: value."),
            )
        members: dict[str, Value] = {}
        for key, node in self._node.value:
            text = _text(self.file, "A name", key)
            if known is not None and text not in known:
                what = _("{name} has no {text}.", name=self.name, text=quoted(text))
                raise _error(self.file, _line(key), what, _known(known, text))
            if text in members:
                what = _("{text} stands here twice.", text=quoted(text))
                raise _error(self.file, _line(key), what, _("Keep one of the two."))
            members[text] = Value(self.file, shortened(text), _line(key), node)
        missing = [key for key in needed if key not in members]
        if missing:
            what = _("{name} lacks {names}.", name=self.name, names=", ".join(missing))
            raise _error(self.file, self.line, what, lacks)
        return members

    def error(self, what: str, hint: str = "") -> ConfigError:
        """An error about the value, at the line on which it begins."""
        return _error(self.file, _line(self._node), what, hint)


@contextmanager
def data_errors() -> Iterator[None]:
    """Raise what is wrong with a file of data as `DataError`."""
    try:
        yield
    except ConfigError as error:
        raise DataError.of(error) from error


def read(path: Path, name: str, hint: str = "") -> Value:
    """The value that the file holds; raises what `read_any` does, and for an empty file."""
    value = read_any(path, name)
    if value is None:
        raise _error(path, 1, _("The file is empty."), hint)
    return value


def read_any(path: Path, name: str) -> Value | None:
    """The value that the file holds; None when it is empty.

    Args:
        path: the file.
        name: its name in messages, such as "The configuration".

    Raises:
        ConfigError: for a file that cannot be read, has more than `LIMIT` bytes, is not UTF-8 or
            not one YAML document, is nested deeply, has an alias for anything but a text (a few
            lines of such aliases can mean any number of values, or contain themselves), or
            aliases that stand for more than `LIMIT` characters.
    """
    try:
        raw = read_regular(path, LIMIT, ConfigError, name=name)
    except FileNotFoundError as error:
        raise ConfigError(
            _("{name} cannot be read: {why}.", name=name, why=error.strerror),
            where=path,
        ) from error
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _error(
            path, line, _("The file is not UTF-8 text."), _("Save it as UTF-8.")
        ) from error
    root = _composed(path, text)
    return None if root is None else Value(path, name, _line(root), root)


def written(text: str) -> str:
    """A text as one line of YAML, which `Value.text` reads back."""
    in_quotes = json.dumps(text, ensure_ascii=False)
    # YAML needs these escaped, and JSON's surrogate pairs would be read as two characters.
    return "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in in_quotes)


class _RefusedError(Exception):
    """YAML that is refused."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.line = line


class _StrictComposer(Composer):
    """Composes nodes; refuses deep nesting, aliases of lists and mappings, and much by aliases."""

    depth = 0
    aliased = 0
    """How many characters the aliases stand for so far."""

    def compose_node(self, parent: Any, index: Any) -> Node | None:
        event = self.peek_event()  # type: ignore[attr-defined]
        line = event.start_mark.line + 1
        if self.depth > _DEPTH:
            raise _RefusedError(_("The file is nested too deeply."), line)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        if isinstance(event, AliasEvent):
            if not isinstance(node, ScalarNode):
                raise _RefusedError(_("What an alias stands for must be a text."), line)
            self.aliased += len(node.value)
            if self.aliased > LIMIT:
                what = _("Its aliases stand for more than {limit:,} characters.", limit=LIMIT)
                raise _RefusedError(what, line)
        return node


class _Loader(_StrictComposer, yaml.SafeLoader):
    """Parses in Python, with errors that say what is wrong."""


if yaml.__with_libyaml__:

    class _FastLoader(_StrictComposer, yaml.CSafeLoader):
        """Parses with libyaml, six times as fast; tabs behind a value are blanks to it."""

        def __init__(self, text: str) -> None:
            super().__init__()
            yaml.CSafeLoader.__init__(self, text)


def _composed(path: Path, text: str) -> Node | None:
    if yaml.__with_libyaml__:
        try:
            return _FastLoader(text).get_single_node()
        except _RefusedError as error:
            raise _error(path, error.line, str(error)) from error
        except (yaml.YAMLError, ValueError, OverflowError):
            # What is wrong is said by the parser below, in the same words on every machine.
            pass
    return _composed_in_python(path, text)


def _composed_in_python(path: Path, text: str) -> Node | None:
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _error(path, line, _("The file holds a control character.")) from error
    try:
        return loader.get_single_node()
    except _RefusedError as error:
        raise _error(path, error.line, str(error)) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        what = _(
            "This is not YAML: {problem}.",
            problem=escape_control_characters(str(error.problem or error.context)),
        )
        raise _error(path, line, what, _("The mistake can also be on a line before.")) from error
    except (ValueError, OverflowError) as error:
        # PyYAML turns the numbers of escapes and directives into characters and versions unchecked.
        what = _("This is not YAML: a number is too large.")
        raise _error(path, loader.line + 1, what) from error
    finally:
        loader.dispose()


def _text(file: Path, name: str, node: Node) -> str:
    is_text = isinstance(node, ScalarNode) and node.tag == "tag:yaml.org,2002:str"
    if not is_text or not node.value.strip():
        hint = _('Put it in quotes: "text". A bare # starts a comment.')
        raise _error(file, _line(node), _("{name} must be a text.", name=name), hint)
    return str(node.value)


def _known(known: Collection[str], text: str) -> str:
    """A hint at the name that was probably meant, or at all of them."""
    if near := nearest(text, known):
        return _("Did you mean “{name}”?", name=near[0])
    return _("Known: {names}.", names=", ".join(known))


def _error(file: Path, line: int, what: str, hint: str = "") -> ConfigError:
    return ConfigError(what, where=f"{file}:{line}", hint=hint)


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1
