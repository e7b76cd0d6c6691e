"""Load the chains of causes from `schemas/causes.toml` and put people and words into them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from tools.train_demo_model.wordlists import people

FILE = Path(__file__).parent / "schemas" / "causes.toml"
CHAIN, OTHER = 4, 2
"""Events of a chain, and of what may happen in its stead."""
_EVENTS = CHAIN + OTHER

_CHOICE = re.compile(r"\{([a-z ,]+)\}")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a schema: its number among all events, and its wordings."""

    number: int
    said: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """A chain of events, and what may happen in the stead of its first."""

    chain: tuple[Event, ...]
    other: tuple[Event, ...]

    @property
    def links(self) -> tuple[tuple[Event, Event], ...]:
        """What leads to what when nothing is known."""
        return (*zip(self.chain, self.chain[1:], strict=False), (self.other[0], self.other[1]))

    @property
    def events(self) -> tuple[Event, ...]:
        return self.chain + self.other


@cache
def load_schemas() -> tuple[Schema, ...]:
    """The schemas in the order of the file."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))["schema"]
    return tuple(_schema(number, table) for number, table in enumerate(tables))


def _schema(number: int, table: dict[str, list[str]]) -> Schema:
    texts = [*table["chain"], *table["other"]]
    if (len(table["chain"]), len(table["other"])) != (CHAIN, OTHER):
        raise ValueError(f"schema {number} has not {CHAIN} and {OTHER} events")
    events = []
    for place, text in enumerate(texts):
        said, _, new = text.partition(" // ")
        events.append(
            Event(number * _EVENTS + place, tuple(said.split(" / ")), tuple(new.split(" / ")))
        )
    return Schema(tuple(events[:CHAIN]), tuple(events[CHAIN:]))


def how_many_events() -> int:
    """Event numbers are below this."""
    return len(load_schemas()) * _EVENTS


class Teller:
    """Words events with the same people and words throughout."""

    def __init__(self, rng: Random, new: bool) -> None:
        """With `new`, in wordings that training never uses."""
        self._rng = rng
        self._new = new
        self._people = rng.sample(people(), 2)
        self._chosen: dict[str, str] = {}
        self._said: dict[int, str] = {}

    def say(self, event: Event) -> str:
        """The event as a sentence without a full stop; always the same one."""
        if event.number not in self._said:
            text = self._rng.choice(event.new if self._new else event.said)
            text = text.replace("{P}", self._people[0]).replace("{Q}", self._people[1])
            self._said[event.number] = _CHOICE.sub(self._choose, text)
        return self._said[event.number]

    def _choose(self, found: re.Match[str]) -> str:
        words = found[1]
        if words not in self._chosen:
            self._chosen[words] = self._rng.choice(words.split(","))
        return self._chosen[words]


def trained_sentences() -> Iterator[str]:
    """Every wording that training may use, with its places still open."""
    for schema in load_schemas():
        for event in schema.events:
            yield from event.said
