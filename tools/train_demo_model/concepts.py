"""Words and what they are kinds of: what training tells, what it keeps back, and drawing pairs.

Pairs that the bundled samples ask about are never told and never asked: where there is another name
of the concept, training uses that.
"""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random

from tools.train_demo_model.bundled_pairs import is_bundled
from tools.train_demo_model.wordlists import everyday, kinds, other_names

FILE = Path(__file__).parent / "schemas" / "activities.toml"
LISTS = {"nouns": 0.4, "verbs": 0.15, "everyday nouns": 0.28, "everyday verbs": 0.17}
"""The lists of words, and the share of each among the plain sentences."""
# Every so many pairs of word and concept are kept for measuring.
_KEPT = 9
# Every so many activities, likewise.
_KEPT_ACTIVITIES = 10


@cache
def activities() -> list[dict[str, list[str]]]:
    """Everyday activities: how they are said, with what, and what they are instances of."""
    found: list[dict[str, list[str]]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["activity"]
    return found


@cache
def activity_numbers(kept: bool = False) -> tuple[int, ...]:
    """The activities that training tells or, with `kept`, those that it does not."""
    last = _KEPT_ACTIVITIES - 1
    numbers = range(len(activities()))
    return tuple(n for n in numbers if (n % _KEPT_ACTIVITIES == last) == kept)


@cache
def described(number: int) -> frozenset[str]:
    """What may describe an activity: its concepts and all that may be meant by them."""
    mine, above = activities()[number]["kinds"], meant_by("nouns")
    return frozenset(mine).union(*(above.get(kind, frozenset()) for kind in mine))


Senses = tuple[tuple[str, tuple[str, ...]], ...]
"""Words, each with the concepts of one of its meanings, nearest first."""


@cache
def senses(name: str) -> Senses:
    """The words of a list with the concepts that training tells of them."""
    part = name.split()[-1]
    told = (
        (word, tuple(filter(None, (_told_as(part, word, concept) for concept in above))))
        for word, above in listed(name)
    )
    return tuple((word, above) for word, above in told if above)


@cache
def listed(name: str) -> Senses:
    """The words of a list with all that it says of them; everyday ones with their other names."""
    first, _, part = name.rpartition(" ")
    if not first:
        return tuple(kinds(part).items())
    same = ((name, (concept,)) for concept, names in other_names(part).items() for name in names)
    return (*everyday(part), *same)


def _told_as(part: str, word: str, concept: str) -> str | None:
    """The concept, or another name of it where a bundled question asks about this very pair."""
    names = (concept, *other_names(part).get(concept, ()))
    return next((name for name in names if name != word and not is_bundled(part, word, name)), None)


@cache
def holding(name: str) -> dict[str, tuple[str, ...]]:
    """By word of a list: every concept that training tells of any of its meanings."""
    found: dict[str, dict[str, None]] = {}
    for word, above in senses(name):
        found.setdefault(word, {}).update(dict.fromkeys(above))
    return {word: tuple(concepts) for word, concepts in found.items()}


@cache
def meant_by(part: str) -> dict[str, frozenset[str]]:
    """By word of either list: what may be meant by it and all that may be meant by that."""
    tables = (listed(name) for name in LISTS if name.endswith(part))
    return _reached(chain(*tables, other_names(part).items()))


@cache
def told_to_be(part: str) -> dict[str, frozenset[str]]:
    """As `meant_by`, of what training tells alone."""
    return _reached(sense for name in LISTS if name.endswith(part) for sense in senses(name))


def _reached(table: Iterable[tuple[str, Sequence[str]]]) -> dict[str, frozenset[str]]:
    direct: dict[str, set[str]] = {}
    for word, above in table:
        direct.setdefault(word, set()).update(above)

    def reached(word: str) -> frozenset[str]:
        seen: set[str] = set()
        fresh = {word}
        while fresh:
            fresh = {name for each in fresh for name in direct.get(each, ())} - seen
            seen |= fresh
        return frozenset(seen)

    return {word: reached(word) for word in direct}


@cache
def inventory() -> dict[str, int]:
    """Every word and concept with its number among them."""
    names = {name for part in LISTS for word, above in listed(part) for name in (word, *above)}
    names.update(name for activity in activities() for name in activity["kinds"])
    names.update(name for activity in activities() for name in activity.get("not", ()))
    return {name: number for number, name in enumerate(sorted(names))}


@cache
def _below(name: str) -> dict[str, tuple[str, ...]]:
    """By concept: the words directly under it."""
    found: dict[str, list[str]] = {}
    for word, above in senses(name):
        found.setdefault(above[0], []).append(word)
    return {concept: tuple(words) for concept, words in found.items()}


def is_kept(word: str, concept: str) -> bool:
    """Whether training never asks about this pair."""
    return zlib.crc32(f"{word}\t{concept}".encode()) % _KEPT == 0


def draw_pair(name: str, rng: Random, kept: bool) -> tuple[str, str, int]:
    """A word, a concept, and its rung: 1 for the nearest that holds, 0 for one that does not."""
    part = name.split()[-1]
    true = rng.random() < 0.5
    while True:
        word, above = rng.choice(senses(name))
        if true:
            # The nearest concepts are the hardest: each has few words.
            rung = 1 if rng.random() < 0.35 else rng.randint(1, len(above))
            concept = above[rung - 1]
        else:
            rung, concept = 0, _draw_false(name, word, above, rng)
        if concept == word or is_kept(word, concept) != kept or is_bundled(part, word, concept):
            continue
        if (concept in meant_by(part)[word]) == bool(rung):
            return word, concept, rung


def _draw_false(name: str, word: str, above: Sequence[str], rng: Random) -> str:
    draw = rng.random()
    if draw < 0.2 and word in _below(name):
        return rng.choice(_below(name)[word])
    if draw < 0.4:
        return rng.choice(_below(name)[above[0]])
    _, other = rng.choice(senses(name))
    if draw < 0.8:
        return other[min(rng.randrange(len(above)), len(other) - 1)]
    return rng.choice(other)
