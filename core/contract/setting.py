"""Switches, which a person may toggle on an item, and a setting of all switches.

A switch turns a typed value into one canonical string and refuses invalid ones. Keys of the
program, `--set key=value` on the command line, lessons and recorded runs therefore share one
notation. A `Setting` holds only the values that differ from the defaults; two settings are equal
exactly when they mean the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from core.contract.graph_edits import canonical_edits
from core.text.errors import SettingError
from core.text.escaping import shortened
from core.text.language import _
from core.text.suggestions import suggestion


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several named values (a story's variant, a scenario)."""

    key: str
    label: str
    values: tuple[str, ...]
    names: tuple[str, ...] = ()
    """The displayed name of each value; the values themselves when empty."""
    cycles: bool = False
    """Whether the "next variant" key walks through this switch."""
    start: str = ""
    """The default, where that is not the first value."""
    implied: bool = False
    """Whether it sets the answer that the item implies; the number keys then choose its values."""

    @property
    def default(self) -> str:
        """The value of an unchanged item."""
        return self.start or self.values[0]

    def name(self, value: str) -> str:
        """The displayed name of `value`."""
        return self.names[self.values.index(value)] if self.names else value

    def parse(self, text: str) -> str:
        """Return the value meant by `text` (a value or its name), else raise `SettingError`."""
        if text in self.values:
            return text
        if text in self.names:
            return self.values[self.names.index(text)]
        raise SettingError(
            _("“{text}” is not a value of {label}.", text=shortened(text), label=_(self.label)),
            where=self.key,
            hint=suggestion(_("Choose one of"), dict.fromkeys((*self.values, *self.names)), text),
        )


@dataclass(frozen=True, slots=True)
class Flag:
    """On or off."""

    key: str
    label: str
    default: str = "off"

    def parse(self, text: str) -> str:
        """Return "on" or "off", else raise `SettingError`."""
        if text.lower() in {"on", "yes", "true", "1"}:
            return "on"
        if text.lower() in {"off", "no", "false", "0"}:
            return "off"
        raise SettingError(
            _("“{text}” is neither on nor off.", text=shortened(text)),
            where=self.key,
            hint=_("Write on or off."),
        )


class Dial(StrEnum):
    """The meaning of a number, which decides the keys that change it."""

    SIZE = "size"
    """The size of the item: one more, one less."""
    NOISE = "noise"
    """The number of distractors in the item: one more, one less."""
    DRAW = "draw"
    """The number of a random draw: the next one."""
    STEP = "step"
    """The step of an explanation: the next one, and from the last to the first."""


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number in an inclusive range."""

    key: str
    label: str
    low: int
    high: int
    start: int
    dial: Dial | None = None
    """Its meaning; None for a number that is only typed."""

    @property
    def default(self) -> str:
        """The starting number."""
        return str(self.start)

    def parse(self, text: str) -> str:
        """Return the number as canonical text, else raise `SettingError`."""
        try:
            number = int(text)
        except ValueError:
            number = self.low - 1
        if not self.low <= number <= self.high:
            raise SettingError(
                _(
                    "“{text}” is not a whole number from {low} to {high}.",
                    text=shortened(text),
                    low=self.low,
                    high=self.high,
                ),
                where=self.key,
            )
        return str(number)


@dataclass(frozen=True, slots=True)
class Order:
    """An order of parts, written as their original positions: "1,0,2" swaps the first two."""

    key: str
    label: str
    parts: tuple[str, ...]

    @property
    def default(self) -> str:
        """The original order."""
        return ",".join(str(i) for i in range(len(self.parts)))

    def parse(self, text: str) -> str:
        """Return the permutation as canonical text, else raise `SettingError`."""
        words = [word.strip() for word in text.split(",")]
        if sorted(words) != sorted(self.default.split(",")):
            raise SettingError(
                _(
                    "“{text}” is not an order of {count} parts.",
                    text=shortened(text),
                    count=len(self.parts),
                ),
                where=self.key,
                hint=_("Name every position once, as in {default}.", default=self.default),
            )
        return ",".join(words)

    def indices(self, value: str) -> tuple[int, ...]:
        """The original position of each part, in the order given by `value`."""
        return tuple(int(word) for word in value.split(","))


@dataclass(frozen=True, slots=True)
class Text:
    """A text that a person may retype."""

    key: str
    label: str
    default: str
    limit: int = 2000
    """Maximal number of characters."""

    def parse(self, text: str) -> str:
        """Return the text on one line without surrounding blanks, else raise `SettingError`."""
        line = " ".join(text.split())
        if not line:
            raise SettingError(_("The text is empty."), where=self.key, hint=_("Type something."))
        if len(line) > self.limit:
            raise SettingError(
                _(
                    "The text has {count} characters; {limit} is the most.",
                    count=len(line),
                    limit=self.limit,
                ),
                where=self.key,
            )
        return line


@dataclass(frozen=True, slots=True)
class NodeState:
    """The state of a node of a graph: free, or one of three verbs with yes (1) or no (0)."""

    key: str
    label: str

    VALUES: ClassVar[tuple[str, ...]] = (
        "free",
        "do=1",
        "do=0",
        "observe=1",
        "observe=0",
        "imagine=1",
        "imagine=0",
    )

    @property
    def default(self) -> str:
        """The free state."""
        return self.VALUES[0]

    def parse(self, text: str) -> str:
        """Return one of `VALUES`, else raise `SettingError`."""
        if text in self.VALUES:
            return text
        raise SettingError(
            _(
                "“{text}” is not what can be done to {label}.",
                text=shortened(text),
                label=_(self.label),
            ),
            where=self.key,
            hint=suggestion(_("Choose one of"), self.VALUES, text),
        )


@dataclass(frozen=True, slots=True)
class Edits:
    """Edits of a graph, in the format of `core.contract.graph_edits`."""

    key: str
    label: str
    default: str = ""

    def parse(self, text: str) -> str:
        """Return the edits as canonical text, else raise `SettingError`."""
        return canonical_edits(text, where=self.key)


Switch = Choice | Flag | Number | Order | Text | NodeState | Edits


@dataclass(frozen=True, slots=True)
class Setting(Mapping[str, str]):
    """The values of an item's switches: only those that differ from the defaults, sorted."""

    changed: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, switches: Sequence[Switch], values: Mapping[str, str]) -> Setting:
        """Check values by key against switches; raises `SettingError` for an invalid one."""
        known = {switch.key: switch for switch in switches}
        changed = []
        for key, text in values.items():
            switch = known.get(key)
            if switch is None:
                raise SettingError(
                    _("There is no switch “{key}” here.", key=shortened(key)),
                    hint=suggestion(_("The switches are"), known, key),
                )
            value = switch.parse(text)
            if value != switch.default:
                changed.append((key, value))
        return cls(tuple(sorted(changed)))

    @classmethod
    def from_words(cls, switches: Sequence[Switch], words: Iterable[str]) -> Setting:
        """Read `key=value` words, the format of `--set`; raises `SettingError`."""
        return cls.of(switches, typed_values(words))

    def __getitem__(self, key: str) -> str:
        """The value of a switch that differs from its default."""
        for name, value in self.changed:
            if name == key:
                return value
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        """The keys of the switches that differ from their defaults."""
        return (name for name, _ in self.changed)

    def __len__(self) -> int:
        """The number of switches that differ from their defaults."""
        return len(self.changed)

    def value(self, switch: Switch) -> str:
        """The value of a switch, which may be its default."""
        return self.get(switch.key, switch.default)

    def with_value(self, switch: Switch, text: str) -> Setting:
        """The setting with one switch set to `text`; raises `SettingError`."""
        value = switch.parse(text)
        kept = [(k, v) for k, v in self.changed if k != switch.key]
        if value != switch.default:
            kept.append((switch.key, value))
        return Setting(tuple(sorted(kept)))


def typed_values(words: Iterable[str]) -> dict[str, str]:
    """Keys and values of `key=value` words, the format of `--set`; raises `SettingError`."""
    values = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise SettingError(
                _("“{word}” has no “=”.", word=shortened(word)), hint=_("Write --set key=value.")
            )
        if key.strip() in values:
            raise SettingError(
                _("It is set twice."), where=key.strip(), hint=_("Write --set once for each key.")
            )
        values[key.strip()] = value
    return values
