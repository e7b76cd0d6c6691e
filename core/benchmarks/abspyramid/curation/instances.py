"""What is abstracted in a head event: its nouns with modifiers, its verbs, itself (appendix A.2).

The paper takes nouns and verbs from ASER's patterns. Here a noun is one that is an argument or a
predicate in the parse, not one inside a modifier, and a verb one that heads a clause.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.benchmarks.abspyramid.curation.head_events import HeadEvent
from core.benchmarks.abspyramid.curation.lexicon import lexicon
from core.benchmarks.abspyramid.curation.parse import Parse
from core.benchmarks.abspyramid.curation.people import is_person
from core.benchmarks.abspyramid.tuples import Relation

_NOUNS = frozenset({"NOUN", "PROPN"})
_ARGUMENTS = frozenset({"root", "nsubj", "obj", "iobj", "obl", "xcomp", "ccomp", "dislocated"})
_CLAUSES = frozenset({"root", "xcomp", "ccomp", "advcl", "csubj", "parataxis"})
_MODIFIERS = frozenset({"amod", "nmod", "compound", "nummod", "acl", "flat", "fixed", "goeswith"})
_APART = frozenset({"acl:relcl", "nmod:poss", "nmod:tmod"})
"""Modifiers that stand on their own: clauses, possessors, times."""
_EDGES = frozenset({"DET", "PRON", "ADP", "PUNCT", "PART", "CCONJ", "SCONJ"})
_GOING = frozenset({"going", "gon"})


@dataclass(frozen=True, slots=True)
class Instance:
    """Something in a head event that is abstracted."""

    relation: Relation
    start: int
    end: int
    """It is `text[start:end]` of the head event."""
    lemma: str = ""
    """Of a verb, as WordNet may have it."""
    particle: str = ""
    """Of a verb: "down" of "gunned down"; empty where it has none."""


def instances(head: HeadEvent) -> tuple[Instance, ...]:
    """The nouns and verbs of a head event from left to right, then the event."""
    found: dict[tuple[int, int], Instance] = {}
    for at in range(len(head.parse.words)):
        for instance in _at(head, at):
            found.setdefault((instance.start, instance.end), instance)
    ordered = sorted(found.values(), key=lambda one: (one.start, one.end))
    return (*ordered, Instance(Relation.EVENT, 0, len(head.text)))


def _at(head: HeadEvent, at: int) -> Iterator[Instance]:
    """The instance that a word heads, or what that is transparent to."""
    parse = head.parse
    word = parse.words[at]
    if word.upos in _NOUNS and not is_person(word.form) and _stands_as(parse, at, _ARGUMENTS):
        noun = _spoken_of(parse, at)
        if noun is not None:
            start, end = _span(head, noun)
            if start < end:
                yield Instance(Relation.NOUN, start, end)
    elif word.upos == "VERB" and _stands_as(parse, at, _CLAUSES) and _purpose(parse, at) is None:
        start, end = head.spans[at]
        if start < end:
            particles = (i for i in parse.dependents(at) if _is_particle(parse, i))
            particle = next((parse.words[i].form.casefold() for i in particles), "")
            yield Instance(Relation.VERB, start, end, word.lemma, particle)


def _stands_as(parse: Parse, at: int, kinds: frozenset[str]) -> bool:
    """Whether a word, or the first of those it is joined to by "and", has such a relation."""
    while parse.words[at].kind == "conj":
        at = parse.words[at].governor
    return parse.words[at].kind in kinds


def _spoken_of(parse: Parse, at: int) -> int | None:
    """The noun itself, or the one that a transparent noun counts: "food" in "a lot of food".

    None where that is no noun: "a lot of them".
    """
    while parse.words[at].lemma in lexicon().transparent_nouns:
        counted = [i for i in parse.dependents(at) if _is_of(parse, i)]
        if not counted:
            return at
        at = counted[0]
        if parse.words[at].upos not in _NOUNS or is_person(parse.words[at].form):
            return None
    return at


def _is_of(parse: Parse, at: int) -> bool:
    cases = (parse.words[i] for i in parse.dependents(at) if parse.words[i].kind == "case")
    return parse.words[at].kind == "nmod" and any(w.form.casefold() == "of" for w in cases)


def _purpose(parse: Parse, at: int) -> int | None:
    """The verb that "going to" leads to; None where the word does not stand in "going to"."""
    word = parse.words[at]
    if word.lemma != "go" or word.form.casefold() not in _GOING:
        return None
    for i in parse.dependents(at):
        marks = (parse.words[j] for j in parse.dependents(i) if parse.words[j].kind == "mark")
        if parse.words[i].kind == "xcomp" and any(m.lemma in ("to", "na") for m in marks):
            return i
    return None


def _is_particle(parse: Parse, at: int) -> bool:
    return parse.words[at].relation == "compound:prt"


def _span(head: HeadEvent, noun: int) -> tuple[int, int]:
    """The unbroken stretch of a noun and all that modifies it.

    Determiners, prepositions, possessors and Person variables at its edges are left out, as in the
    release: "the <flames>", "PeopleX's <country>", "another <try>".
    """
    parse = head.parse
    inside = {noun}
    for i in parse.dependents(noun):
        word = parse.words[i]
        if word.kind in _MODIFIERS and word.relation not in _APART:
            inside.update(parse.below(i))
    first = last = noun
    while first - 1 in inside:
        first -= 1
    while last + 1 in inside:
        last += 1
    while first < noun and _is_edge(parse, first):
        first += 1
    while last > noun and _is_edge(parse, last):
        last -= 1
    return head.spans[first][0], max(head.spans[last][1], head.spans[first][0])


def _is_edge(parse: Parse, at: int) -> bool:
    return parse.words[at].upos in _EDGES or is_person(parse.words[at].form)
