"""Puts candidates in order, so that a search can keep the first k of them.

ACCORD (Roewer-Després et al., 2024), section 2.2, names three measures of relevance: chance, the
semantic distance between seed and candidate, and the likelihood that a language model gives the
candidate. None is defined further there; what is measured here is said with each. All orders
depend on which candidates there are, not on the order they come in, and chance decides ties.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.terms import order, plain
from core.benchmarks.accord.trees.skills import PLACE, End
from core.models.protocol import Model

Distance = Callable[[str, str], float]
"""How far two terms are apart in meaning, from 0; embeddings can be put in its place."""
_REMEMBERED = 2**12


@dataclass(frozen=True, slots=True)
class Gap:
    """A statement that lacks the candidate: a skill's surface with one of its two terms."""

    surface: str
    """A plain statement with two `{}`: the source's term, then the target's."""
    end: End
    """Where the candidate belongs."""
    term: str
    """What stands at the other end."""

    def around(self) -> tuple[str, str]:
        """The text before the candidate, without the blank in front of it, and that behind it."""
        before, between, after = self.surface.split(PLACE)
        known = plain(self.term)
        if self.end is End.SOURCE:
            return before.rstrip(), f"{between}{known}{after}"
        return f"{before}{known}{between}".rstrip(), after


def in_random_order(candidates: Iterable[str], rng: random.Random) -> list[str]:
    """The candidates shuffled: the paper's default, and the only measure that costs nothing."""
    shuffled = sorted(set(candidates), key=order)
    rng.shuffle(shuffled)
    return shuffled


def nearest_first(
    candidates: Iterable[str],
    seeds: Sequence[str],
    distance: Distance,
    rng: random.Random,
    *,
    target: float = 0.0,
) -> list[str]:
    """The candidates by how far they are from the seeds.

    Args:
        candidates: terms.
        seeds: the terms that were given: the pairing term and the answer, or a candidate's
            neighbours.
        distance: between two terms.
        rng: decides between candidates that are as far.
        target: the distance that is wanted: candidates are in order of the sum, over the seeds,
            of how much their distance differs from it.
    """
    shuffled = in_random_order(candidates, rng)
    return sorted(
        shuffled, key=lambda term: sum(abs(target - distance(seed, term)) for seed in seeds)
    )


async def likeliest_first(
    candidates: Iterable[str], gaps: Sequence[Gap], model: Model, rng: random.Random
) -> list[str]:
    """The candidates by the likelihood of the statements that they complete, highest first.

    The measure is the log-likelihood of the candidate and all that follows it, after what stands
    in front of it, summed over the statements: up to a constant that of the statements as a
    whole. It is not divided by length, so of two candidates the shorter has it easier.
    Raises `ModelError`.
    """
    shuffled = in_random_order(candidates, rng)
    found = dict.fromkeys(shuffled, 0.0)
    for gap in gaps:
        before, after = gap.around()
        options = [f" {plain(term)}{after}" for term in shuffled]
        scores = await model.score(before, options)
        for term, score in zip(shuffled, scores, strict=True):
            found[term] += score.logprob
    return sorted(shuffled, key=lambda term: -found[term])


def neighbourhood_distance(kb: KnowledgeBase) -> Distance:
    """Distance in a knowledge base: 1 less the share of neighbours that two terms have in common.

    The Jaccard distance between the sets of a term itself and all that stand in an assertion with
    it, by any relation, in either direction: 0 for a term and itself, 1 for two that no path of
    one or two assertions joins. Senses are ignored. It needs no embeddings; a term that the
    knowledge base does not have is at 1 from every other.
    """

    @lru_cache(_REMEMBERED)
    def around(term: str) -> frozenset[str]:
        return frozenset({term}).union(
            plain(fact)
            for relation in kb.relations
            for end in End
            for fact in kb.facts(relation, end, term)
        )

    def distance(first: str, second: str) -> float:
        one, other = around(plain(first)), around(plain(second))
        return 1 - len(one & other) / len(one | other)

    return distance
