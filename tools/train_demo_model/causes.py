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
FILES = {
    "en": {"causes.toml": 9, "causes_home.toml": 7, "causes_world.toml": 6},
    "it": {"causes_it.toml": 1},
}
"""The files of a language and, of every ten schemas of each, the one that is kept out of training,
to measure on topics that it never told."""
NOWHERE = -1
"""The number of an event that belongs to no chain."""
CHAIN, OTHER, ABSURD = 4, 2, 2
"""Events of a chain, of what may happen in its stead, and what does not follow from any of them."""
_EVENTS = CHAIN + OTHER
_KEPT = 10

CHOICE = re.compile(r"\{([^{}]*,[^{}]*)\}")
"""Words of which any may stand in a place of a wording."""
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
    """A chain of events, what may happen in the stead of its first, and what follows from none."""

    chain: tuple[Event, ...]
    other: tuple[Event, ...]
    absurd: tuple[Event, ...]
    kept: bool
    """Whether training never tells this schema."""

    @property
    def reworded(self) -> bool:
        """Whether every event has wordings that training never uses."""
        return all(event.new for event in self.events)

    @property
    def links(self) -> tuple[tuple[Event, Event], ...]:
        """What leads to what when nothing is known."""
        return (*zip(self.chain, self.chain[1:], strict=False), (self.other[0], self.other[1]))

    @property
    def events(self) -> tuple[Event, ...]:
        return self.chain + self.other


@cache
def all_schemas(language: str = "en") -> tuple[Schema, ...]:
    """The schemas of a language in the order of its files, those kept out of training too.

    Numbers run on from language to language.

    Raises:
        ValueError: the language has no files, or a schema too few or too many events.
    """
    number = 0
    for name, files in FILES.items():
        found = []
        for file, kept in files.items():
            for place, table in enumerate(_tables(file)):
                found.append(_schema(number, table, place % _KEPT == kept))
                number += 1
        if name == language:
            return tuple(found)
    raise ValueError(f"there are no chains in {language!r}")


@cache
def load_schemas(language: str = "en", kept: bool = False) -> tuple[Schema, ...]:
    """The schemas that training tells or, with `kept`, those that it does not."""
    return tuple(schema for schema in all_schemas(language) if schema.kept == kept)


def _tables(file: str) -> list[dict[str, list[str]]]:
    text = (FOLDER / file).read_text(encoding="utf-8")
    found: list[dict[str, list[str]]] = tomllib.loads(text)["schema"]
    return found


def _schema(number: int, table: dict[str, list[str]], kept: bool) -> Schema:
    chain, other, absurd = table["chain"], table["other"], table.get("absurd", [])
    if (len(chain), len(other)) != (CHAIN, OTHER) or len(absurd) not in (0, ABSURD):
        raise ValueError(
            f"schema {number} ({chain[0]!r}) has {len(chain)} events in its chain, {len(other)} in "
            f"the other and {len(absurd)} absurd ones; it needs {CHAIN}, {OTHER} and {ABSURD} or 0"
        )
    events = [_event(number * _EVENTS + place, text) for place, text in enumerate((*chain, *other))]
    unfollowed = tuple(_event(NOWHERE, text) for text in absurd)
    return Schema(tuple(events[:CHAIN]), tuple(events[CHAIN:]), unfollowed, kept)


def _event(number: int, text: str) -> Event:
    said, _, new = text.partition(" // ")
    return Event(number, tuple(said.split(" / ")), tuple(new.split(" / ")) if new else ())


def schema_of(event: int) -> int:
    """The number of the schema of an event."""
    return event // _EVENTS


def how_many_events() -> int:
    """Event numbers are below this."""
    return sum(len(all_schemas(language)) for language in FILES) * _EVENTS


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
        self.people = tuple(rng.sample(people(), 2))
        self._chosen: dict[str, str] = {}
        self._said: dict[int | tuple[str, ...], str] = {}

    def say(self, event: Event) -> str:
        """The event as a sentence without a full stop; always the same one."""
        known = event.said if event.number == NOWHERE else event.number
        if known not in self._said:
            new = event.new if self._new else ()
            text = self._rng.choice(new or event.said)
            text = text.replace("{P}", self.people[0]).replace("{Q}", self.people[1])
            text = CHOICE.sub(self._choose, text)
            self._said[known] = _WORD.sub(self._swap, text) if self._strange else text
        return self._said[known]

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
