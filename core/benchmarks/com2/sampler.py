"""Sampled worlds, for graphs in which exact inference is too large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from core.benchmarks.com2.graph import CausalEventGraph, Rule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.bool_]
    """Whether one event happens, or one link fires, in each of many worlds."""

_AT_ONCE = 1 << 16


def count_worlds(
    graph: CausalEventGraph,
    forced: Sequence[Mapping[str, bool]],
    observed: Mapping[str, bool],
    *,
    certain: bool,
    samples: int,
    seed: int,
) -> tuple[int, dict[str, int]]:
    """Sample worlds; count those that agree with `observed`, and each event's happening in those.

    The exogenous state is sampled: leaks and firing links. `forced` has the events set by do() in
    the factual world and, where there is one, in the imagined world. Observations are compared
    with the factual world; events are counted in the last world, under the same exogenous state.
    `certain` ignores the strengths of links.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    kept = 0
    counts = {event.id: 0 for event in graph.events}
    for start in range(0, samples, _AT_ONCE):
        drawn = min(_AT_ONCE, samples - start)
        itself = {event.id: random.random(drawn) < event.leak for event in graph.events}
        fires = {
            (link.cause, link.effect): random.random(drawn) < (1 if certain else link.strength)
            for link in graph.links
        }
        worlds = [_world(graph, itself, fires, done) for done in forced]
        agrees = np.ones(drawn, bool)
        for event_id, value in observed.items():
            agrees &= worlds[0][event_id] == value
        kept += int(agrees.sum())
        for event_id, column in worlds[-1].items():
            counts[event_id] += int((column & agrees).sum())
    return kept, counts


def _world(
    graph: CausalEventGraph,
    itself: Mapping[str, Column],
    fires: Mapping[tuple[str, str], Column],
    forced: Mapping[str, bool],
) -> dict[str, Column]:
    import numpy as np

    world: dict[str, Column] = {}
    for event_id in graph.order:
        if event_id in forced:
            world[event_id] = np.full_like(itself[event_id], forced[event_id])
            continue
        fired = {cause: world[cause] & fires[cause, event_id] for cause in graph.causes(event_id)}
        happens, hindered = itself[event_id].copy(), np.zeros_like(itself[event_id])
        for group in graph.groups_of(event_id):
            if group.rule is Rule.ANY:
                continue
            together = [fired.pop(cause) for cause in group.causes]
            if group.rule is Rule.ALL:
                happens |= np.logical_and.reduce(together)
            else:
                hindered |= np.logical_or.reduce(together)
        for column in fired.values():
            happens |= column
        world[event_id] = happens & ~hindered
    return world
