"""Finds the instances of a head event: nouns with modifiers, verbs, the event (appendix A.2).

The paper takes nouns and verbs from ASER's patterns. Here nouns must be arguments or predicates in
the parse, not part of a modifier, and verbs must head a clause.
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
"""Modifiers that are not part of the instance: relative clauses, possessors, times."""
_EDGES = frozenset({"DET", "PRON", "ADP", "PUNCT", "PART", "CCONJ", "SCONJ"})
_GOING = frozenset({"going", "gon"})


@dataclass(frozen=True, slots=True)
class Instance:
    """A part of a head event to abstract, or the whole event."""

    head: str
    """The head event."""
    relation: Relation
    start: int
    end: int
    """The instance is `head[start:end]`."""
    lemma: str = ""
    """Lemma of a verb, to look up in WordNet."""
    particle: str = ""
    """Particle of a verb: "down" in "gunned down"; empty if it has none."""

    @property
    def text(self) -> str:
        """The text of the instance."""
        return self.head[self.start : self.end]


def instances(head: HeadEvent) -> tuple[Instance, ...]:
    """The nouns and verbs of a head event from left to right, then the whole event."""
    by_span: dict[tuple[int, int], Instance] = {}
    for index in range(len(head.parse.words)):
        for instance in _headed_instances(head, index):
            by_span.setdefault((instance.start, instance.end), instance)
    ordered = sorted(by_span.values(), key=lambda instance: (instance.start, instance.end))
    return (*ordered, Instance(head.text, Relation.EVENT, 0, len(head.text)))


def _headed_instances(head: HeadEvent, index: int) -> Iterator[Instance]:
    """The instance headed by a word, if any; "food" for the word "lot" in "a lot of food"."""
    parse = head.parse
    word = parse.words[index]
    if word.upos in _NOUNS and not is_person(word.form) and _has_relation(parse, index, _ARGUMENTS):
        noun = _counted_noun(parse, index)
        if noun is not None:
            start, end = _span(head, noun)
            if start < end:
                yield Instance(head.text, Relation.NOUN, start, end)
    elif (
        word.upos == "VERB"
        and _has_relation(parse, index, _CLAUSES)
        and not _is_going_to(parse, index)
    ):
        start, end = head.spans[index]
        if start < end:
            dependents = (parse.words[i] for i in parse.dependents(index))
            particles = (w.form.casefold() for w in dependents if w.relation == "compound:prt")
            particle = next(particles, "")
            yield Instance(head.text, Relation.VERB, start, end, word.lemma, particle)


def _has_relation(parse: Parse, index: int, kinds: frozenset[str]) -> bool:
    """Whether a word, or the first conjunct of its coordination, has one of these relations."""
    while parse.words[index].kind == "conj":
        index = parse.words[index].governor
    return parse.words[index].kind in kinds


def _counted_noun(parse: Parse, index: int) -> int | None:
    """The noun itself, or the noun that a transparent noun counts: "food" in "a lot of food".

    None if what is counted is not a noun: "a lot of them".
    """
    while parse.words[index].lemma in lexicon().transparent_nouns:
        counted = [i for i in parse.dependents(index) if _is_of(parse, i)]
        if not counted:
            return index
        index = counted[0]
        if parse.words[index].upos not in _NOUNS or is_person(parse.words[index].form):
            return None
    return index


def _is_of(parse: Parse, index: int) -> bool:
    cases = (parse.words[i] for i in parse.dependents(index) if parse.words[i].kind == "case")
    return parse.words[index].kind == "nmod" and any(w.form.casefold() == "of" for w in cases)


def _is_going_to(parse: Parse, index: int) -> bool:
    """Whether a word is the "going" of "going to" before a verb."""
    word = parse.words[index]
    if word.lemma != "go" or word.form.casefold() not in _GOING:
        return False
    verbs = [i for i in parse.dependents(index) if parse.words[i].kind == "xcomp"]
    words = [parse.words[i] for verb in verbs for i in parse.dependents(verb)]
    return any(word.kind == "mark" and word.lemma in ("to", "na") for word in words)


def _span(head: HeadEvent, noun: int) -> tuple[int, int]:
    """The contiguous span of a noun with its modifiers.

    Determiners, prepositions, possessors and Person variables at the edges are left out, as in the
    release: "the <flames>", "PeopleX's <country>", "another <try>".
    """
    parse = head.parse
    inside = {noun}
    for i in parse.dependents(noun):
        word = parse.words[i]
        if word.kind in _MODIFIERS and word.relation not in _APART:
            inside.update(parse.subtree(i))
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


def _is_edge(parse: Parse, index: int) -> bool:
    return parse.words[index].upos in _EDGES or is_person(parse.words[index].form)
