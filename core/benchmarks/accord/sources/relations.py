"""Finds the relation of a knowledge base that a question is about, by majority vote (section 3)."""

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
"""Questions per relation that the paper keeps."""


@dataclass(frozen=True, slots=True)
class Vote:
    """An assertion of the knowledge base that links a question's concept and a choice."""

    relation: str
    end: End
    """The end of the concept."""
    label: str
    """The choice at the other end."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """The votes on a question and the relation that won."""

    item: QuestionItem
    votes: tuple[Vote, ...]
    """At least one."""
    relation: str
    """The one with most votes; ties go to one that links the right choice, then by name."""

    @property
    def end(self) -> End:
        """The end of the concept in most votes for the relation.

        Ties go to the end that faces the right choice, then to the source.
        """
        won = [vote for vote in self.votes if vote.relation == self.relation]
        ends = Counter(vote.end for vote in won)
        right = {vote.end for vote in won if vote.label == self.item.answer}
        return max(End, key=lambda end: (ends[end], end in right, end is End.SOURCE))


class Reason(StrEnum):
    """Why no pairing template is suggested for a question."""

    NO_CONCEPT = N_("the question names no concept")
    NO_VOTES = N_("no assertion links its concept to a choice")
    NO_SKILL = N_("no skill stands for its relation")
    NEGATED = N_("the question may ask for what is not so")
    NOT_ENGLISH = N_("there is no wording in its language")
    CONTROL = N_("its concept holds a line break or another control character")
    TERM_IS_CHOICE = N_("its concept is an answer choice")


def votes(
    item: QuestionItem, knowledge: KnowledgeBase, relations: Collection[str] | None = None
) -> tuple[Vote, ...]:
    """Every link between the concept and a choice, in either direction, ignoring senses.

    A link counts once, for however many senses of its terms it is asserted. Only the given
    relations have votes; if omitted, all of the knowledge base.
    """
    concept = normalise(item.concept)
    if not concept:
        return ()
    texts = {label: normalise(text) for label, text in item.choices}
    links = []
    for relation in knowledge.relations:
        if relations is not None and relation not in relations:
            continue
        for end in End:
            # One lookup of the concept's facts instead of one per choice.
            partners = {plain(term) for term in knowledge.facts(relation, end.other, concept)}
            links += [Vote(relation, end, label) for label in texts if texts[label] in partners]
    return tuple(links)


def vote(
    item: QuestionItem, knowledge: KnowledgeBase, relations: Collection[str] | None = None
) -> Ballot | Reason:
    """The relation of most assertions between concept and choices, or why it has none.

    See `votes`.
    """
    if not item.concept.strip():
        return Reason.NO_CONCEPT
    cast = votes(item, knowledge, relations)
    if not cast:
        return Reason.NO_VOTES
    counts = Counter(vote.relation for vote in cast)
    right = {vote.relation for vote in cast if vote.label == item.answer}
    relation = min(counts, key=lambda name: (-counts[name], name not in right, name))
    return Ballot(item, cast, relation)


def balanced(
    ballots: Iterable[Ballot], seed: int, per_relation: int = PER_RELATION
) -> tuple[Ballot, ...]:
    """At most `per_relation` random ballots of each relation, in their original order.

    Ballots are ranked by a hash of the seed and the question, so the order of the questions does
    not matter, and adding or removing a question changes at most one other selection.
    """
    listed = list(ballots)
    kept: dict[str, list[int]] = {}
    for index in sorted(range(len(listed)), key=lambda i: _rank(seed, listed[i])):
        taken = kept.setdefault(listed[index].relation, [])
        if len(taken) < per_relation:
            taken.append(index)
    return tuple(listed[index] for index in sorted(chain.from_iterable(kept.values())))


def _rank(seed: int, ballot: Ballot) -> bytes:
    text = f"{seed}\0{ballot.relation}\0{ballot.item.id}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
