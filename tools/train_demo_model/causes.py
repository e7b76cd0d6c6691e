"""Load the chains of causes from `schemas/` and put people and words into them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from tools.train_demo_model.wordlists import common, people, small, strange

FOLDER = Path(__file__).parent / "schemas"
FILES = {"en": FOLDER / "causes.toml", "it": FOLDER / "causes_it.toml"}
NOWHERE = -1
"""The number of an event that belongs to no chain."""
CHAIN, OTHER = 4, 2
"""Events of a chain, and of what may happen in its stead."""
_EVENTS = CHAIN + OTHER

_CHOICE = re.compile(r"\{([a-z ,]+)\}")
_WORD = re.compile(r"\b[a-zà-ù]{5,}\b")
_SCRAMBLED = 0.2
"""The share of replaced words whose place is taken by their own letters in any order."""


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
def load_schemas(language: str = "en") -> tuple[Schema, ...]:
    """The schemas of a language in the order of its file; numbers run on from language to language.

    Raises:
        ValueError: a schema has too few or too many events.
    """
    first = 0
    for name, path in FILES.items():
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["schema"]
        if name == language:
            return tuple(_schema(number, table) for number, table in enumerate(tables, first))
        first += len(tables)
    raise ValueError(f"there are no chains in {language!r}")


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
    return sum(len(load_schemas(language)) for language in FILES) * _EVENTS


@cache
def _words(language: str) -> tuple[str, ...]:
    """What a strange telling puts in the place of words."""
    told = " ".join(
        said for schema in load_schemas(language) for event in schema.events for said in event.said
    )
    found = set(_WORD.findall(told))
    if language == "en":
        found.update(common())
        found.update(strange())
    return tuple(sorted(found - set(small())))


class Teller:
    """Words events with the same people and words throughout."""

    def __init__(self, rng: Random, new: bool, strange: float = 0.0, language: str = "en") -> None:
        """With `new`, in wordings that training never uses.

        `strange` is the share of longer words that any other word of the language stands in for,
        the same one everywhere.
        """
        self._rng = rng
        self._new = new
        self._strange = strange
        self._language = language
        self._swapped: dict[str, str] = {}
        self._people = rng.sample(people(), 2)
        self._chosen: dict[str, str] = {}
        self._said: dict[int, str] = {}

    def say(self, event: Event) -> str:
        """The event as a sentence without a full stop; always the same one."""
        if event.number not in self._said:
            text = self._rng.choice(event.new if self._new else event.said)
            text = text.replace("{P}", self._people[0]).replace("{Q}", self._people[1])
            text = _CHOICE.sub(self._choose, text)
            self._said[event.number] = _WORD.sub(self._swap, text) if self._strange else text
        return self._said[event.number]

    def _choose(self, found: re.Match[str]) -> str:
        words = found[1]
        if words not in self._chosen:
            self._chosen[words] = self._rng.choice(words.split(","))
        return self._chosen[words]

    def _swap(self, found: re.Match[str]) -> str:
        word = found[0]
        if word in small():
            return word
        if word not in self._swapped:
            draw = self._rng.random()
            other = word
            if draw < self._strange * _SCRAMBLED:
                other = "".join(self._rng.sample(word, len(word)))
            elif draw < self._strange:
                other = self._rng.choice(_words(self._language))
            self._swapped[word] = other
        return self._swapped[word]
