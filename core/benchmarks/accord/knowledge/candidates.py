"""Terms that may stand for a variable whose neighbours are known.

ACCORD (Roewer-Després et al., 2024), section 2.2: a factual candidate stands in an assertion with
every neighbour; an anti-factual one stands at the same end of the same relation, but in no
assertion with any of the neighbours.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.terms import plain
from core.benchmarks.accord.trees.skills import End


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A known term at the other end of a relation at whose `end` the candidate stands."""

    relation: str
    end: End
    term: str


def factual(kb: KnowledgeBase, neighbours: Sequence[Neighbour]) -> tuple[str, ...]:
    """The terms that stand in an assertion with every neighbour, in the order of the first's.

    Raises `NotFoundError` for a relation that the knowledge base does not have.
    """
    first, *others = neighbours
    facts = [set(kb.facts(other.relation, other.end, other.term)) for other in others]
    found = kb.facts(first.relation, first.end, first.term)
    return tuple(term for term in found if all(term in known for known in facts))


def anti_factual(
    kb: KnowledgeBase,
    neighbours: Sequence[Neighbour],
    count: int,
    rng: random.Random,
    *,
    avoid: Callable[[str], bool] = lambda term: False,
) -> Iterator[str]:
    """Draw distinct terms that stand in the column of every neighbour and in no assertion with one.

    Senses are ignored: where "cat/n" is a fact, neither "cat" nor "cat/v" is drawn.

    Args:
        kb: whose columns are drawn from, the smallest first.
        neighbours: at least one.
        count: how many at most; fewer come where there are no more.
        rng: each candidate is equally likely; equal states draw equal terms.
        avoid: further terms that are not to be drawn.

    Raises `NotFoundError` for a relation that the knowledge base does not have.
    """
    facts = {
        plain(fact)
        for one in neighbours
        for fact in kb.facts(one.relation, one.end, plain(one.term))
    }
    column = min(neighbours, key=lambda one: kb.column_size(one.relation, one.end))
    others = {(one.relation, one.end) for one in neighbours} - {(column.relation, column.end)}

    def unfit(term: str) -> bool:
        return (
            plain(term) in facts
            or avoid(term)
            or not all(kb.stands(relation, end, plain(term)) for relation, end in others)
        )

    return kb.draw(column.relation, column.end, count, rng, avoid=unfit)


def shuffled(size: int, rng: random.Random) -> Iterator[int]:
    """The numbers below `size` in random order, in constant time and memory for each.

    The shuffle of Fisher and Yates, of which only the places that were swapped are kept.
    """
    moved: dict[int, int] = {}
    for place in range(size):
        other = rng.randrange(place, size)
        number = moved.get(other, other)
        moved[other] = moved.pop(place, place)
        yield number
