"""The paper's measures of relevance, by which the search ranks candidates.

ACCORD (Roewer-Després et al., 2024), section 2.2, names three: chance, the semantic distance
between seed and candidate, and the likelihood of the candidate under a language model. The paper
does not define them further; each function says what it measures. Rankings do not depend on the
order of the candidates, and ties are broken at random.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from core.benchmarks.accord.grounding.search import Measure, Ranking
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.terms import order, plain
from core.benchmarks.accord.trees.skills import PLACEHOLDER, End, Skills
from core.models.protocol import Model

Distance = Callable[[str, str], float]
"""Semantic distance of two terms, from 0."""
_CACHED = 2**12


def by_distance(knowledge: KnowledgeBase) -> Measure:
    """Prefer terms that are near their neighbours by `neighbourhood_distance`."""
    distance = neighbourhood_distance(knowledge)

    def measure(ranking: Ranking) -> Sequence[str]:
        partners = [tie.partner for tie in ranking.ties]
        return nearest_first(ranking.candidates, partners, distance, ranking.rng)

    return measure


async def by_likelihood(ranking: Ranking, model: Model, skills: Skills) -> list[str]:
    """The candidates by the likelihood of the statements that they complete, highest first.

    The measure is the log-likelihood of the candidate and the text after it, given the text before
    it, summed over the statements. It is not divided by length, so shorter candidates are favoured.
    Raises `ModelError`.
    """
    templates = ranking.structure.tree.templates
    shuffled = in_random_order(ranking.candidates, ranking.rng)
    totals = dict.fromkeys(shuffled, 0.0)
    for tie in ranking.ties:
        surface = skills.named(templates[tie.template].skill).surface
        before, after = gap(surface, tie.end, tie.partner)
        scores = await model.score(before, [f" {plain(term)}{after}" for term in shuffled])
        for term, score in zip(shuffled, scores, strict=True):
            totals[term] += score.logprob
    return sorted(shuffled, key=lambda term: -totals[term])


def likelihood_measure(model: Model, skills: Skills, loop: asyncio.AbstractEventLoop) -> Measure:
    """`by_likelihood` for a thread that is not that of the event loop `loop`, which asks."""

    def measure(ranking: Ranking) -> Sequence[str]:
        ranked = by_likelihood(ranking, model, skills)
        return asyncio.run_coroutine_threadsafe(ranked, loop).result()

    return measure


def gap(surface: str, end: End, partner: str) -> tuple[str, str]:
    """The text before and after the candidate at `end` of a statement whose other term is known.

    The text before has no space at its end.
    """
    before, between, after = surface.split(PLACEHOLDER)
    known = plain(partner)
    if end is End.SOURCE:
        return before.rstrip(), f"{between}{known}{after}"
    return f"{before}{known}{between}".rstrip(), after


def in_random_order(candidates: Iterable[str], rng: random.Random) -> list[str]:
    """The distinct candidates shuffled, whatever their order: the paper's default."""
    shuffled = sorted(set(candidates), key=order)
    rng.shuffle(shuffled)
    return shuffled


def nearest_first(
    candidates: Iterable[str], seeds: Sequence[str], distance: Distance, rng: random.Random
) -> list[str]:
    """The candidates by the sum of their distances from the seeds, nearest first."""
    shuffled = in_random_order(candidates, rng)
    return sorted(shuffled, key=lambda term: sum(distance(seed, term) for seed in seeds))


def neighbourhood_distance(knowledge: KnowledgeBase) -> Distance:
    """Distance in a knowledge base: 1 minus the share of neighbours that two terms have in common.

    This is the Jaccard distance between two sets, each a term with all its neighbours by any
    relation in either direction: 0 for equal terms, 1 for terms that no path of one or two
    assertions joins. Senses are ignored. An unknown term has distance 1 from every other.
    """

    @lru_cache(_CACHED)
    def around(term: str) -> frozenset[str]:
        return frozenset({term}).union(
            plain(fact)
            for relation in knowledge.relations
            for end in End
            for fact in knowledge.facts(relation, end, term)
        )

    def distance(first: str, second: str) -> float:
        first_set, second_set = around(plain(first)), around(plain(second))
        return 1 - len(first_set & second_set) / len(first_set | second_set)

    return distance
