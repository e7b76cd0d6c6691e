"""The paper's measures of relevance for the search: semantic distance and a model's likelihood.

ACCORD (Roewer-Després et al., 2024), section 2.2. The third one, chance, needs no measure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from core.benchmarks.accord.grounding.search import Measure, Ranking
from core.benchmarks.accord.knowledge.relevance import Distance, Gap, likeliest_first, nearest_first
from core.benchmarks.accord.trees.skills import Skills
from core.models.protocol import Model


def by_distance(distance: Distance, *, target: float = 0.0) -> Measure:
    """Prefer terms whose distance from their neighbours is closest to `target`."""

    def measure(ranking: Ranking) -> Sequence[str]:
        partners = [tie.partner for tie in ranking.ties]
        return nearest_first(ranking.candidates, partners, distance, ranking.rng, target=target)

    return measure


def by_likelihood(model: Model, skills: Skills) -> Callable[[Ranking], Awaitable[Sequence[str]]]:
    """Prefer terms whose statements the model finds likely; the caller waits for the model."""

    async def measure(ranking: Ranking) -> Sequence[str]:
        templates = ranking.structure.tree.templates
        gaps = [
            Gap(skills.named(templates[tie.template].skill).surface, tie.end, tie.partner)
            for tie in ranking.ties
        ]
        return await likeliest_first(ranking.candidates, gaps, model, ranking.rng)

    return measure
