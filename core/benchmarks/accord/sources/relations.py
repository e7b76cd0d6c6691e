"""Which relation of a knowledge base a question is about: a majority vote (section 3)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.terms import normalise, plain
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.skills import End
from core.text.language import N_

PER_RELATION = 13
"""How many questions of a relation the paper keeps."""


@dataclass(frozen=True, slots=True)
class Vote:
    """An assertion of the knowledge base that links a question's concept and a choice."""

    relation: str
    end: End
    """Where the concept stands in it."""
    label: str
    """The choice at the other end."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """How a question was voted on."""

    item: QuestionItem
    votes: tuple[Vote, ...]
    """At least one."""
    relation: str
    """The one with most votes; of several, that which links the right choice, then by name."""

    @property
    def end(self) -> End:
        """Where the concept stands in most votes for the relation.

        Of two ends with as many, that which faces the right choice; of these, the source.
        """
        won = [vote for vote in self.votes if vote.relation == self.relation]
        ends = Counter(vote.end for vote in won)
        right = {vote.end for vote in won if vote.label == self.item.answer}
        return max(End, key=lambda end: (ends[end], end in right, end is End.SOURCE))


class Reason(StrEnum):
    """Why no relation was found for a question."""

    NO_CONCEPT = N_("the question names no concept")
    NO_VOTES = N_("no assertion links its concept to a choice")


@dataclass(frozen=True, slots=True)
class Unvoted:
    """A question without a relation."""

    item: QuestionItem
    reason: Reason


def votes(
    item: QuestionItem, knowledge: KnowledgeBase, relations: Collection[str] | None = None
) -> tuple[Vote, ...]:
    """Every link between the concept and a choice, in either direction, senses ignored.

    A link counts once however many senses of the two terms it is asserted of.

    Args:
        item: the question.
        knowledge: where links are looked up.
        relations: those that may vote; every relation of the knowledge base when left out.
    """
    concept = normalise(item.concept)
    if not concept:
        return ()
    texts = {label: normalise(text) for label, text in item.choices}
    found = []
    for relation in knowledge.relations:
        if relations is not None and relation not in relations:
            continue
        for end in End:
            # The facts of a concept are looked up once rather than once for each choice.
            partners = {plain(term) for term in knowledge.facts(relation, end.other, concept)}
            found += [Vote(relation, end, label) for label in texts if texts[label] in partners]
    return tuple(found)


def vote(
    item: QuestionItem, knowledge: KnowledgeBase, relations: Collection[str] | None = None
) -> Ballot | Unvoted:
    """The relation that most assertions between concept and choices have; see `votes`."""
    if not item.concept.strip():
        return Unvoted(item, Reason.NO_CONCEPT)
    cast = votes(item, knowledge, relations)
    if not cast:
        return Unvoted(item, Reason.NO_VOTES)
    counts = Counter(vote.relation for vote in cast)
    right = {vote.relation for vote in cast if vote.label == item.answer}
    relation = min(counts, key=lambda name: (-counts[name], name not in right, name))
    return Ballot(item, cast, relation)


def balanced(
    ballots: Iterable[Ballot], seed: int, per_relation: int = PER_RELATION
) -> tuple[Ballot, ...]:
    """At most so many ballots of each relation, drawn at random, in the order they came in.

    Each is ranked by a hash of the seed and its question, so the order of the questions changes
    nothing, and one question more or less changes at most one place of its relation.
    """
    came = list(ballots)
    kept: dict[str, list[int]] = {}
    for place in sorted(range(len(came)), key=lambda i: _rank(seed, came[i])):
        taken = kept.setdefault(came[place].relation, [])
        if len(taken) < per_relation:
            taken.append(place)
    return tuple(came[place] for place in sorted(chain.from_iterable(kept.values())))


def _rank(seed: int, ballot: Ballot) -> bytes:
    text = f"{seed}\0{ballot.relation}\0{ballot.item.id}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
