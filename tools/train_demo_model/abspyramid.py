"""AbsPyramid's prompts about generated head events: does a concept hold, and what holds.

Nouns and verbs are of WordNet, the concepts what it says they are a kind of. False concepts are of
four sorts: what is narrower, what stands beside it, a concept of another word from the same rung,
and any concept. Events and their abstract descriptions are our own.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random

from core.abspyramid.prompts import filled, prompts
from core.abspyramid.questions import OPTIONS
from core.abspyramid.tuples import Relation
from tools.train_demo_model.rows import Asked, Label, Look
from tools.train_demo_model.wordlists import kinds

FILE = Path(__file__).parent / "schemas" / "activities.toml"
# Every so many pairs of word and concept are kept for measuring.
_KEPT = 9
_NOUN_HEADS = (
    "PersonX sees the {o}",
    "PersonX speaks about the {o}",
    "PersonX likes the {o} very much",
    "PersonX asks PersonY about the {o}",
    "PersonX dreams of the {o} at night",
    "The {o} is important to PersonX",
    "PersonX takes a picture of the {o}",
    "PersonX and PersonY wait for the {o}",
    "In the morning PersonX thinks of the {o}",
    "PersonX reads about the {o} in the newspaper",
    "Nobody but PersonX knows the {o}",
    "PersonY shows PersonX the {o}",
    "PersonX writes a story about the {o}",
    "Without the {o} PersonX would be lost",
    "PersonX finds the {o} behind the house",
    "For years PersonX has wanted the {o}",
)
_NEW_NOUN_HEADS = (
    "PersonX explains to PersonY what the {o} means",
    "All day the {o} was on PersonX's mind",
    "PersonX is surprised by the {o}",
)
_VERB_HEADS = (
    "PersonX {v} the whole day",
    "PersonX often {v} in the evening",
    "PersonX {v} because PersonY does",
    "Every summer PersonX {v}",
    "PersonX {v} while PersonY is watching",
    "After dinner PersonX {v} again",
    "PersonX {v} without a reason",
    "When it rains PersonX {v}",
    "PersonX {v} and PersonY laughs",
    "At work PersonX {v} more than the others",
)
_OPENINGS = (
    "On Friday ",
    "One day ",
    "So ",
    "Even now ",
    "Between two meetings ",
    "With a smile ",
    "Who knows why, but ",
    "At least once a year ",
    "Still, ",
    "Where it is quiet, ",
    "In the next room ",
    "For the first time ",
    "Three times a week ",
    "Long before breakfast ",
    "As so often, ",
    "Although they are tired, ",
)
_NEW_VERB_HEADS = ("Nobody knows why PersonX {v}", "As always PersonX {v} in the kitchen")


def noun(rng: Random, new: bool = False, kept: bool = False) -> Asked:
    """Is the noun a kind of the concept? `kept`: a pair that training never asks about."""
    word, concept, rung = _pair("nouns", rng, kept)
    head = rng.choice(_NEW_NOUN_HEADS if new else _NOUN_HEADS).format(o=word)
    return detection(
        Relation.NOUN, head, word, concept, rung, _opening(rng), concept, kinds("nouns")[word]
    )


def verb(rng: Random, new: bool = False, kept: bool = False) -> Asked:
    """Is the verb a way of the concept? Both stand in the third person."""
    word, concept, rung = _pair("verbs", rng, kept)
    said = third_person(word)
    head = rng.choice(_NEW_VERB_HEADS if new else _VERB_HEADS).format(v=said)
    return detection(
        Relation.VERB,
        head,
        said,
        third_person(concept),
        rung,
        _opening(rng),
        concept,
        kinds("verbs")[word],
    )


def event(rng: Random, new: bool = False, kept: bool = False) -> Asked:
    """Is the concept an abstract description of the event?"""
    table = _activities()
    while True:
        number = rng.randrange(len(table))
        activity = table[number]
        rung = rng.randint(1, len(activity["kinds"])) if rng.random() < 0.5 else 0
        if rung:
            concept = activity["kinds"][rung - 1]
        else:
            concept = rng.choice(rng.choice(table)["kinds"])
            if concept in activity["kinds"]:
                continue
        if _kept(str(number), concept) == kept:
            break
    # The last wording of every activity is kept for measuring.
    frame = activity["say"][-1] if new else rng.choice(activity["say"][:-1])
    people = ("PersonX", "PersonY") if rng.random() < 0.8 else ("PersonY", "PersonX")
    head = frame.replace("{X}", people[0]).replace("{Y}", people[1])
    head = head.replace("{o}", rng.choice(activity["with"]))
    return detection(
        Relation.EVENT, head, head, concept, rung, _opening(rng), concept, activity["kinds"]
    )


def naming(rng: Random, new: bool = False) -> Asked:
    """What is the noun or verb an instance of? The nearest concept is the answer."""
    word_of: Callable[[str], str] = str
    name, heads, new_heads, place = "nouns", _NOUN_HEADS, _NEW_NOUN_HEADS, "{o}"
    relation = Relation.NOUN
    if rng.random() < 0.3:
        name, heads, new_heads, place = "verbs", _VERB_HEADS, _NEW_VERB_HEADS, "{v}"
        relation, word_of = Relation.VERB, third_person
    table = kinds(name)
    word = rng.choice(tuple(table))
    head = rng.choice(new_heads if new else heads).replace(place, word_of(word))
    text = filled(
        prompts().generation[relation], head=head, tail="", instance=word_of(word), concept=""
    )
    return Asked(
        benchmark="abspyramid",
        layer="generation",
        instruction="",
        text=text,
        answer=word_of(table[word][0]),
        options=(),
    )


def _opening(rng: Random) -> str:
    return rng.choice(_OPENINGS) if rng.random() < 0.4 else ""


def third_person(phrase: str) -> str:
    """A verb, with what follows it, as "he" or "she" takes it."""
    verb, gap, rest = phrase.partition(" ")
    if verb in ("be", "have"):
        said = {"be": "is", "have": "has"}[verb]
    elif re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        said = verb + "es"
    elif re.search(r"[^aeiou]y$", verb):
        said = verb[:-1] + "ies"
    else:
        said = verb + "s"
    return said + gap + rest


@cache
def _activities() -> list[dict[str, list[str]]]:
    found: list[dict[str, list[str]]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["activity"]
    return found


@cache
def inventory() -> dict[str, int]:
    """Every concept with its number among them."""
    names = {
        name for part in ("nouns", "verbs") for above in kinds(part).values() for name in above
    }
    names.update(name for activity in _activities() for name in activity["kinds"])
    return {
        name: number
        for number, name in enumerate(sorted({*names, *kinds("nouns"), *kinds("verbs")}))
    }


@cache
def _below(name: str) -> dict[str, tuple[str, ...]]:
    """By concept: the words directly under it."""
    found: dict[str, list[str]] = {}
    for word, above in kinds(name).items():
        found.setdefault(above[0], []).append(word)
    return {concept: tuple(words) for concept, words in found.items()}


def _kept(word: str, concept: str) -> bool:
    return zlib.crc32(f"{word}\t{concept}".encode()) % _KEPT == 0


def _pair(name: str, rng: Random, kept: bool) -> tuple[str, str, int]:
    """A word, a concept, and its rung: 1 for the nearest that holds, 0 for one that does not."""
    table = kinds(name)
    while True:
        word = rng.choice(tuple(table))
        above = table[word]
        if rng.random() < 0.5:
            rung = rng.randint(1, len(above))
            concept = above[rung - 1]
        else:
            rung, concept = 0, _false(name, word, rng)
        known = concept in above
        if known == bool(rung) and concept != word and _kept(word, concept) == kept:
            return word, concept, rung


def _false(name: str, word: str, rng: Random) -> str:
    table, above = kinds(name), kinds(name)[word]
    draw = rng.random()
    if draw < 0.2 and word in _below(name):
        return rng.choice(_below(name)[word])
    if draw < 0.4:
        return rng.choice(_below(name)[above[0]])
    other = table[rng.choice(tuple(table))]
    if draw < 0.8:
        return other[min(rng.randrange(len(above)), len(other) - 1)]
    return rng.choice(other)


def detection(
    relation: Relation,
    head: str,
    instance: str,
    concept: str,
    rung: int,
    opening: str = "",
    basic: str = "",
    true: Sequence[str] = (),
) -> Asked:
    """Whether a concept holds, as the program asks it.

    Args:
        relation: noun, verb or event.
        head: the sentence.
        instance: what is abstracted; of an event the sentence itself.
        concept: what is asked about, as it is said.
        rung: how far up it stands, 0 where it does not hold.
        opening: what is put in front of the sentence.
        basic: the concept in the inventory, for the training-only heads.
        true: all of the inventory that hold, likewise.
    """
    wording = prompts().detection["abstraction"].of(relation)
    if opening:
        head = opening + (head if head.startswith("Person") else head[0].lower() + head[1:])
    # The blank in front belongs to the first word's token.
    text = " " + filled(wording.question, head=head, tail="", instance=instance, concept=concept)
    if relation is Relation.EVENT:
        named = text.index(" as an abstract description") - 1
        elsewhere = text.index(" consider ") + 1
    else:
        named = text.index(" encompass ") - 1
        elsewhere = text.index(" the meaning of ") + 5
    meant = len(text) - 2
    decided = named if rung else elsewhere
    looks = (
        Look("pair", meant, named),
        Look("is-1", meant, decided),
        Look("is-2", meant, decided),
        Look("answer", len(text) - 1, meant),
    )
    labels = [Label("kinds", meant, inventory()[kind]) for kind in true]
    if basic:
        labels.append(Label("concept", named, inventory()[basic]))
    return Asked(
        benchmark="abspyramid",
        layer=f"rung-{rung}" if rung else "false",
        instruction=wording.instruction,
        text=text,
        answer=OPTIONS[0] if rung else OPTIONS[1],
        options=OPTIONS,
        looks=looks,
        labels=tuple(labels),
    )
