"""See, do, imagine: what a causal event graph says of every event.

**See** conditions on what is observed. **Do** sets events from outside and cuts what leads to
them (Pearl, 2009, section 1.3). **Imagine** supposes that events had been otherwise: what was
observed decides the exogenous state, which stays as it is while they change (abduction, action,
prediction; Pearl, 2009, section 7.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.com2.graph import CausalEventGraph
from core.com2.inference import TooLarge, marginals
from core.com2.network import Network
from core.errors import SettingError

SAMPLES = 20_000
"""Worlds drawn where no exact answer can be had."""
_SMALLEST = 1e-300


class QueryError(SettingError):
    """A query that no world answers."""


class Mechanism(StrEnum):
    """What the links compute."""

    BOOLEAN = "boolean"
    """Every cause that happens brings its effect about."""
    NOISY_OR = "noisy-or"
    """Every cause does so with its strength, by itself. Illustrative: nobody measured strengths."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of a graph.

    With `imagine`, `observe` is what was seen of the factual world, and `do` holds in both.
    """

    do: Mapping[str, bool] = field(default_factory=dict)
    observe: Mapping[str, bool] = field(default_factory=dict)
    imagine: Mapping[str, bool] = field(default_factory=dict)
    mechanism: Mechanism = Mechanism.BOOLEAN


class Method(StrEnum):
    """How an answer was come by."""

    EXACT = "exact"
    SAMPLED = "sampled"


@dataclass(frozen=True, slots=True)
class Result:
    """The probability that each event happens."""

    p: Mapping[str, float]
    method: Method
    se: Mapping[str, float]
    """Standard errors; empty where the answer is exact."""
    n: int = 0
    """Worlds that agreed with what was observed, of those drawn; 0 where the answer is exact."""


def run_query(
    graph: CausalEventGraph, query: Query, *, samples: int = SAMPLES, seed: int = 0
) -> Result:
    """The probability of every event, exact where the graph is not too closely knit.

    Raises `NotFoundError` for an event that is not there and `QueryError` for observations that
    contradict each other, the interventions or the graph.
    """
    check(graph, query)
    worlds = [query.do] if not query.imagine else [query.do, {**query.do, **query.imagine}]
    network = Network(graph, worlds, certain=query.mechanism is Mechanism.BOOLEAN)
    for event_id, value in query.observe.items():
        network.observe(event_id, value)
    try:
        weight, ones = marginals(network.factors, network.count)
    except TooLarge:
        from core.com2.sampling import sample

        return sample(graph, query, samples, seed)
    if weight < _SMALLEST:
        raise impossible(query)
    p = {event: float(ones[twins[-1]]) for event, twins in network.variables.items()}
    return Result({event.id: _clean(p[event.id]) for event in graph.events}, Method.EXACT, {})


def check(graph: CausalEventGraph, query: Query) -> None:
    """Raise `NotFoundError` or `QueryError` for a query that makes no sense for a graph."""
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
    """The error for observations that no world agrees with."""
    seen = ", ".join(f"{event}={int(value)}" for event, value in query.observe.items())
    return QueryError(
        f"What is observed cannot be: {seen}.",
        hint="Nothing in the graph brings this about. Take an observation back.",
    )


def _clean(p: float) -> float:
    """A probability without the dust of floating point beyond 0 and 1."""
    return min(1.0, max(0.0, p))
