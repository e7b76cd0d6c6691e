"""See, do, imagine: the probability of every event of a causal event graph under a query.

**See** conditions on observations. **Do** sets events from outside and cuts the links into them
(Pearl, 2009, section 1.3). **Imagine** asks what would have been had events been otherwise: the
observations determine the exogenous state, which is kept while the events are changed (abduction,
action, prediction; Pearl, 2009, section 7.1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from core.benchmarks.com2.graph import CausalEventGraph
from core.benchmarks.com2.inference import TooLarge, marginals
from core.benchmarks.com2.network import Network
from core.benchmarks.com2.sampler import count_worlds
from core.text.errors import SettingError

SAMPLES = 20_000
"""Worlds that are sampled where an exact answer is out of reach."""
LEAST_KEPT = 100
"""Fewest sampled worlds that must agree with the observations."""


class QueryError(SettingError):
    """A query that no world satisfies."""


class Mechanism(StrEnum):
    """How an event follows from its causes."""

    BOOLEAN = "boolean"
    """Every cause that happens brings its effect about."""
    NOISY_OR = "noisy-or"
    """Every cause does so with the probability `strength`, independently. Illustrative: nobody
    measured the strengths."""


@dataclass(frozen=True, slots=True)
class Query:
    """Events that are set, observed and imagined.

    With `imagine`, `observe` holds in the factual world and `do` in both worlds.
    """

    do: Mapping[str, bool] = field(default_factory=dict)
    observe: Mapping[str, bool] = field(default_factory=dict)
    imagine: Mapping[str, bool] = field(default_factory=dict)
    mechanism: Mechanism = Mechanism.BOOLEAN


class Method(StrEnum):
    """How a result was computed."""

    EXACT = "exact"
    SAMPLED = "sampled"


@dataclass(frozen=True, slots=True)
class Result:
    """The probability that each event happens, in the order of the graph's events."""

    p: Mapping[str, float]
    method: Method
    se: Mapping[str, float]
    """Standard errors; empty where the result is exact."""
    n: int = 0
    """Sampled worlds that agree with the observations; 0 where the result is exact."""


def run_query(
    graph: CausalEventGraph, query: Query, *, samples: int | None = None, seed: int = 0
) -> Result:
    """The probability of every event: exact, or sampled where exact inference is too large.

    Too large is a clique of more than `inference.LARGEST_CLIQUE` variables, or cliques with more
    than `inference.MOST_ENTRIES` entries. With `samples`, that many worlds are sampled instead of
    computing an exact answer.

    Raises `NotFoundError` for an unknown event and `QueryError` for observations that contradict
    each other, the interventions or the graph.
    """
    check(graph, query)
    worlds = [query.do, {**query.do, **query.imagine}] if query.imagine else [query.do]
    if samples is not None:
        return _sampled(graph, query, worlds, samples, seed)
    network = Network(graph, worlds, certain=query.mechanism is Mechanism.BOOLEAN)
    for event_id, value in query.observe.items():
        network.observe(event_id, value)
    try:
        ones = marginals(network.factors, network.count)
    except TooLarge:
        return _sampled(graph, query, worlds, SAMPLES, seed)
    if ones is None:
        raise impossible(query)
    p = {event.id: float(ones[network.variables[event.id][-1]]) for event in graph.events}
    return Result(p, Method.EXACT, {})


def _sampled(
    graph: CausalEventGraph,
    query: Query,
    worlds: Sequence[Mapping[str, bool]],
    samples: int,
    seed: int,
) -> Result:
    """Estimate the probabilities from sampled worlds.

    For k of n worlds the standard error is the standard deviation of Beta(k + 1, n - k + 1):
    about sqrt(p (1 - p) / n) near 1/2, and not 0 where k is 0 or n.
    """
    certain = query.mechanism is Mechanism.BOOLEAN
    n, counts = count_worlds(
        graph, worlds, query.observe, certain=certain, samples=samples, seed=seed
    )
    if n < (LEAST_KEPT if query.observe else 1):
        raise QueryError(
            f"Of {samples:,} drawn worlds {n} agree with what is observed: "
            f"{_states(query.observe)}. That is too few to tell.",
            hint="Draw more worlds, or take an observation back.",
        )
    fixed = worlds[-1] if query.imagine else {**query.observe, **query.do}
    se = {event: 0.0 if event in fixed else _deviation(k, n) for event, k in counts.items()}
    return Result({event: k / n for event, k in counts.items()}, Method.SAMPLED, se, n)


def _deviation(k: int, n: int) -> float:
    mean = (k + 1) / (n + 2)
    return math.sqrt(mean * (1 - mean) / (n + 3))


def check(graph: CausalEventGraph, query: Query) -> None:
    """Raise `NotFoundError` or `QueryError` for a query that contradicts itself or the graph."""
    for events in (query.do, query.observe, query.imagine):
        for event_id in events:
            graph.event(event_id)
    for event_id in query.imagine:
        if event_id in query.do:
            raise QueryError(
                f"“{event_id}” is set by do(), which holds in the imagined world too.",
                hint="Imagine another event, or leave out the do().",
            )
    for event_id, value in query.observe.items():
        if query.do.get(event_id, value) != value:
            raise QueryError(
                f"“{event_id}” is set by do() to one thing and observed to be the other.",
                hint="Take back one of the two.",
            )


def impossible(query: Query) -> QueryError:
    """The error for observations that are impossible in every world."""
    return QueryError(
        f"What is observed cannot be: {_states(query.observe)}.",
        hint="Nothing in the graph brings this about. Take an observation back.",
    )


def _states(events: Mapping[str, bool]) -> str:
    return ", ".join(f"{event}={int(value)}" for event, value in events.items())
