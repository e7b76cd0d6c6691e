"""Words and what they are kinds of: both lists, what is kept for measuring, and drawing pairs."""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

from tools.train_demo_model.wordlists import everyday, kinds

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


@cache
def senses(name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Words of a list, each with the concepts of one of its meanings, nearest first."""
    first, _, part = name.rpartition(" ")
    return everyday(part) if first else tuple(kinds(part).items())


@cache
def holding(name: str) -> dict[str, tuple[str, ...]]:
    """By word of a list: every concept that holds in any of its meanings."""
    found: dict[str, dict[str, None]] = {}
    for word, above in senses(name):
        found.setdefault(word, {}).update(dict.fromkeys(above))
    return {word: tuple(concepts) for word, concepts in found.items()}


@cache
def meant_by(part: str) -> dict[str, frozenset[str]]:
    """By word of either list: what may be meant by it and all that may be meant by that."""
    both = [holding(name) for name in LISTS if name.endswith(part)]
    words = {word for table in both for word in table}

    def reached(word: str) -> frozenset[str]:
        seen: set[str] = set()
        fresh = {word}
        while fresh:
            fresh = {name for w in fresh for table in both for name in table.get(w, ())} - seen
            seen |= fresh
        return frozenset(seen)

    return {word: reached(word) for word in words}


@cache
def inventory() -> dict[str, int]:
    """Every word and concept with its number among them."""
    names = {name for part in LISTS for word, above in senses(part) for name in (word, *above)}
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
    true = rng.random() < 0.5
    while True:
        word, above = rng.choice(senses(name))
        if true:
            # The nearest concepts are the hardest: each has few words.
            rung = 1 if rng.random() < 0.35 else rng.randint(1, len(above))
            concept = above[rung - 1]
        else:
            rung, concept = 0, _draw_false(name, word, above, rng)
        known = concept in meant_by(name.split()[-1])[word]
        if known == bool(rung) and concept != word and is_kept(word, concept) == kept:
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
