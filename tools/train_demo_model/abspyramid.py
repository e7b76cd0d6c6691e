"""AbsPyramid's prompts about generated head events: does a concept hold, and what holds.

Nouns and verbs are of WordNet, the concepts what it says they are a kind of; everyday ones and
their concepts are our own, as are events and their abstract descriptions. False concepts are of
four sorts: what is narrower, what stands beside it, a concept of another word from the same rung,
and any concept. Any pair of word and concept may be told in a plain sentence; one in nine is never
asked, and those that the bundled samples ask about are neither told nor asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from core.benchmarks.abspyramid.prompts import prompts
from core.benchmarks.abspyramid.questions import OPTIONS
from core.benchmarks.abspyramid.tuples import Relation
from core.files.prompt_files import fill_placeholders
from tools.train_demo_model.concepts import (
    LISTS,
    activities,
    activity_numbers,
    described,
    draw_pair,
    holding,
    inventory,
    senses,
)
from tools.train_demo_model.rows import Asked, Label, Look

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
_EVERYDAY_NOUN_HEADS = (
    *_NOUN_HEADS,
    "Every {o} in the street belongs to PersonX's family",
    "No {o} has ever made PersonY so happy",
    "To the {o} by the door PersonX adds another one, and nobody asks why",
    "PersonX complains that the {o} is not what it was before the war",
    "Since the {o} came, PersonY has slept badly and eaten little",
    "What PersonX needs is a {o}, says the neighbour from the third floor",
    "Although the {o} costs too much, PersonY does not leave without it",
    "PersonX and a friend argue about the {o} until the train arrives",
    "A {o}, of all things, stands in the middle of PersonX's holiday pictures",
    "For PersonY the {o} comes first, then work, then everything else",
    "Tired of waiting, PersonX turns away from the {o} and goes home",
    "In the end it is the {o} that PersonY remembers best",
)
_SORTS = (
    *("old", "new", "small", "big", "heavy", "favourite", "first"),
    *("long", "local", "young", "other", "strange", "good", "whole"),
)
_EVERYDAY_VERB_HEADS = (
    "PersonX {v} it in the morning, before anybody is awake",
    "With great care PersonY {v} the old chair of the neighbours",
    "The whole family {v} while PersonX looks on",
    "PersonY {v} what PersonX has brought from the market",
    "Nobody {v} as well as PersonX, says the doctor",
    "A friend of PersonX {v} at the station, in the rain",
    "In winter the old man {v}, and in summer too",
    "When the guests are gone, PersonX {v} the glasses one by one",
    "The dog {v} in the garden, and PersonY does not mind",
    "Whoever {v} at night, PersonX thinks, has no work to do",
    "It is PersonY who {v} the letter from the office",
    "After the storm the village {v} as never before",
)
TOLD = {
    "nouns": (" A {} is a kind of", " Every {} is a", " Where there is a {}, there is a"),
    "verbs": (" Who {} also", " When PersonX {}, PersonX"),
}
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
_FEW_WORDINGS = 2
"""An activity with no more wordings than this keeps none for measuring."""
_SEEMING = 0.5
"""Share of false descriptions that seem to hold, where an activity has any."""
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
    word, concept, rung = draw_pair("nouns", rng, kept)
    head = rng.choice(_NEW_NOUN_HEADS if new else _NOUN_HEADS).format(o=word)
    return detection(
        Relation.NOUN, head, word, concept, rung, _opening(rng), concept, holding("nouns")[word]
    )


def verb(rng: Random, new: bool = False, kept: bool = False) -> Asked:
    """Is the verb a way of the concept? Both stand in the third person."""
    word, concept, rung = draw_pair("verbs", rng, kept)
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
        holding("verbs")[word],
    )


def everyday_noun(rng: Random, new: bool = False, kept: bool = False) -> Asked:
    """As `noun`, of our own list and sometimes with an adjective."""
    word, concept, rung = draw_pair("everyday nouns", rng, kept)
    said = word if rng.random() < 0.7 else f"{rng.choice(_SORTS)} {word}"
    head = rng.choice(_NEW_NOUN_HEADS if new else _EVERYDAY_NOUN_HEADS).format(o=said)
    true = holding("everyday nouns")[word]
    return detection(Relation.NOUN, head, said, concept, rung, _opening(rng), concept, true)


def everyday_verb(rng: Random, new: bool = False, kept: bool = False) -> Asked:
    """As `verb`, of our own list."""
    word, concept, rung = draw_pair("everyday verbs", rng, kept)
    heads = _NEW_VERB_HEADS if new else rng.choice((_VERB_HEADS, _EVERYDAY_VERB_HEADS))
    said, true = third_person(word), holding("everyday verbs")[word]
    head = rng.choice(heads).format(v=said)
    named = third_person(concept)
    return detection(Relation.VERB, head, said, named, rung, _opening(rng), concept, true)


def told(rng: Random) -> Asked:
    """A plain sentence that says what a word is a kind of; kept pairs are told like all others."""
    name = rng.choices(tuple(LISTS), tuple(LISTS.values()))[0]
    word, above = rng.choice(senses(name))
    concept = rng.choice(above)
    part = name.split()[-1]
    said = str if part == "nouns" else third_person
    text = rng.choice(TOLD[part]).format(said(word))
    meant = text.index(said(word)) + len(said(word)) - 1
    concepts = inventory()
    return Asked(
        benchmark="abspyramid",
        layer="told",
        instruction="",
        text=text,
        answer=said(concept),
        options=(),
        labels=tuple(Label("kinds", meant, concepts[kind]) for kind in holding(name)[word]),
    )


def event(rng: Random, new: bool = False, kept: bool = False) -> Asked:
    """Is the concept an abstract description of the event? `kept`: of activities never told."""
    table = activities()
    number = rng.choice(activity_numbers(kept))
    activity = table[number]
    rung = rng.randint(1, len(activity["kinds"])) if rng.random() < 0.5 else 0
    concept = activity["kinds"][rung - 1] if rung else _false_description(number, rng, kept)
    # The last wording of an activity of many is kept for measuring.
    wordings = activity["say"]
    last = wordings[-1:] if len(wordings) > _FEW_WORDINGS else ()
    frame = rng.choice(last if new and last else wordings[: len(wordings) - len(last)])
    people = ("PersonX", "PersonY") if rng.random() < 0.8 else ("PersonY", "PersonX")
    head = frame.replace("{X}", people[0]).replace("{Y}", people[1])
    head = head.replace("{o}", rng.choice(activity["with"]))
    return detection(
        Relation.EVENT, head, head, concept, rung, _opening(rng), concept, activity["kinds"]
    )


def _false_description(number: int, rng: Random, kept: bool) -> str:
    """What seems to describe the activity and does not, or what describes another."""
    table = activities()
    activity = table[number]
    seeming = activity.get("not", [])
    if seeming and (kept or rng.random() < _SEEMING):
        return rng.choice(seeming)
    while True:
        other = table[rng.choice(activity_numbers())]
        names = [*other["kinds"], *other.get("not", ())] if rng.random() < 0.5 else other["kinds"]
        concept = rng.choice(names)
        if concept not in described(number):
            return concept


def naming(rng: Random, new: bool = False) -> Asked:
    """What is the noun or verb an instance of? The nearest concept is the answer."""
    word_of: Callable[[str], str] = str
    name, heads, new_heads, place = "nouns", _NOUN_HEADS, _NEW_NOUN_HEADS, "{o}"
    relation = Relation.NOUN
    if rng.random() < 0.3:
        name, heads, new_heads, place = "verbs", _VERB_HEADS, _NEW_VERB_HEADS, "{v}"
        relation, word_of = Relation.VERB, third_person
    table = holding(name)
    word = rng.choice(tuple(table))
    head = rng.choice(new_heads if new else heads).replace(place, word_of(word))
    text = fill_placeholders(
        prompts().generation[relation],
        {"head": head, "tail": "", "instance": word_of(word), "concept": ""},
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
    text = " " + fill_placeholders(
        wording.question, {"head": head, "tail": "", "instance": instance, "concept": concept}
    )
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
