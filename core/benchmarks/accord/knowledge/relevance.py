"""Ranks candidates by relevance, so that a search can keep the first k.

ACCORD (Roewer-Després et al., 2024), section 2.2, names three measures: chance, the semantic
distance between seed and candidate, and the likelihood of the candidate under a language model.
The paper does not define them further; each function says what it measures. Rankings do not depend
on the order of the candidates, and ties are broken at random.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.terms import order, plain
from core.benchmarks.accord.trees.skills import PLACEHOLDER, End
from core.models.protocol import Model

Distance = Callable[[str, str], float]
"""Semantic distance of two terms, from 0."""
_REMEMBERED = 2**12


@dataclass(frozen=True, slots=True)
class Gap:
    """A statement without the candidate: a skill's surface with one of its two terms."""

    surface: str
    """A plain statement with two `{}`: the source's term, then the target's."""
    end: End
    """The end of the candidate."""
    term: str
    """The term at the other end."""

    def around(self) -> tuple[str, str]:
        """The text before the candidate, without the space before it, and the text after it."""
        before, between, after = self.surface.split(PLACEHOLDER)
        known = plain(self.term)
        if self.end is End.SOURCE:
            return before.rstrip(), f"{between}{known}{after}"
        return f"{before}{known}{between}".rstrip(), after


def in_random_order(candidates: Iterable[str], rng: random.Random) -> list[str]:
    """The candidates shuffled, whatever their order: the paper's default."""
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
    """The candidates by distance from the seeds, nearest first.

    Args:
        candidates: terms.
        seeds: the given terms: pairing term and answer, or a candidate's neighbours.
        distance: between two terms.
        rng: breaks ties.
        target: the preferred distance; candidates are sorted by the sum over the seeds of
            |target - distance|.
    """
    shuffled = in_random_order(candidates, rng)
    return sorted(
        shuffled, key=lambda term: sum(abs(target - distance(seed, term)) for seed in seeds)
    )


async def likeliest_first(
    candidates: Iterable[str], gaps: Sequence[Gap], model: Model, rng: random.Random
) -> list[str]:
    """The candidates by the likelihood of the statements that they complete, highest first.

    The measure is the log-likelihood of the candidate and the text after it, given the text before
    it, summed over the statements. It is not divided by length, so shorter candidates are favoured.
    Raises `ModelError`.
    """
    shuffled = in_random_order(candidates, rng)
    totals = dict.fromkeys(shuffled, 0.0)
    for gap in gaps:
        before, after = gap.around()
        options = [f" {plain(term)}{after}" for term in shuffled]
        scores = await model.score(before, options)
        for term, score in zip(shuffled, scores, strict=True):
            totals[term] += score.logprob
    return sorted(shuffled, key=lambda term: -totals[term])


def neighbourhood_distance(kb: KnowledgeBase) -> Distance:
    """Distance in a knowledge base: 1 minus the share of neighbours that two terms have in common.

    This is the Jaccard distance between two sets, each a term with all its neighbours by any
    relation in either direction: 0 for equal terms, 1 for terms that no path of one or two
    assertions joins. Senses are ignored. An unknown term has distance 1 from every other.
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
        first_set, second_set = around(plain(first)), around(plain(second))
        return 1 - len(first_set & second_set) / len(first_set | second_set)

    return distance
