"""Answers by drawing worlds, for graphs that are knit too closely for an exact one."""

from __future__ import annotations

import math
from random import Random

from core.com2.graph import CausalEventGraph, Rule
from core.com2.query import Mechanism, Method, Query, QueryError, Result, impossible

LEAST = 100
"""Fewest worlds that must agree with what was observed."""


class Exogenous:
    """One draw of everything that the graph does not explain: leaks and firing links."""

    def __init__(self, graph: CausalEventGraph, random: Random, *, certain: bool) -> None:
        self.happens = {event.id: random.random() < event.leak for event in graph.events}
        self.fires = {
            (link.cause, link.effect): certain or random.random() < link.strength
            for link in graph.links
        }


def world(
    graph: CausalEventGraph, exogenous: Exogenous, forced: dict[str, bool]
) -> dict[str, bool]:
    """What happens under one exogenous state when some events are set from outside."""
    values: dict[str, bool] = {}
    for event_id in graph.order:
        if event_id in forced:
            values[event_id] = forced[event_id]
            continue
        fired = {
            cause: values[cause] and exogenous.fires[cause, event_id]
            for cause in graph.causes(event_id)
        }
        happens, hindered = exogenous.happens[event_id], False
        grouped: set[str] = set()
        for group in graph.groups_of(event_id):
            parts = [fired[cause] for cause in group.causes]
            if group.rule is not Rule.ANY:
                grouped.update(group.causes)
            if group.rule is Rule.ALL:
                happens = happens or all(parts)
            elif group.rule is Rule.INHIBITOR:
                hindered = hindered or any(parts)
        happens = happens or any(on for cause, on in fired.items() if cause not in grouped)
        values[event_id] = happens and not hindered
    return values


def sample(graph: CausalEventGraph, query: Query, samples: int, seed: int) -> Result:
    """Draw worlds, keep those that agree with what was observed, count.

    The standard error of p is sqrt(p (1 - p) / n) with n worlds kept. Raises `QueryError` when
    fewer than `LEAST` are kept.
    """
    random = Random(seed)
    certain = query.mechanism is Mechanism.BOOLEAN
    counts = {event.id: 0 for event in graph.events}
    kept = 0
    for _ in range(samples):
        exogenous = Exogenous(graph, random, certain=certain)
        values = world(graph, exogenous, dict(query.do))
        if any(values[event] != value for event, value in query.observe.items()):
            continue
        kept += 1
        if query.imagine:
            values = world(graph, exogenous, {**query.do, **query.imagine})
        for event, value in values.items():
            counts[event] += value
    if not kept:
        raise impossible(query)
    if kept < min(LEAST, samples):
        raise QueryError(
            f"Only {kept} of {samples:,} drawn worlds agree with what is observed.",
            hint="Draw more worlds, or observe less.",
        )
    p = {event: count / kept for event, count in counts.items()}
    se = {event: math.sqrt(value * (1 - value) / kept) for event, value in p.items()}
    return Result(p, Method.SAMPLED, se, kept)
