"""Which events are independent of each other, and what to adjust for to estimate an effect.

d-separation and the back-door criterion (Pearl, 2009, sections 1.2.3 and 3.3.1). They depend on
the links alone, not on the mechanism. Every answer takes time linear in events and links: a ball
travels from one event to the other and enters each event at most once from a cause and once from
an effect (Shachter, 1998; van der Zander and Liśkiewicz, 2020).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from core.benchmarks.com2.graph import CausalEventGraph
from core.text.errors import SettingError


class SeparationError(SettingError):
    """Events for which separation is not defined."""


def separated(graph: CausalEventGraph, first: str, second: str, given: Iterable[str] = ()) -> bool:
    """Whether two events are d-separated by the events `given`.

    Raises `NotFoundError` and `SeparationError`.
    """
    known = set(given)
    _check(graph, first, second, known)
    return _blocked(graph, first, second, known)


def minimal_separator(graph: CausalEventGraph, first: str, second: str) -> tuple[str, ...] | None:
    """A minimal set of events that d-separates two others, in topological order.

    None where one causes the other directly, so that nothing separates them. Raises
    `NotFoundError` and `SeparationError`.
    """
    _check(graph, first, second, set())
    return _minimal(graph, first, second, graph.ids)


def is_adjustment_set(
    graph: CausalEventGraph, cause: str, effect: str, given: Iterable[str]
) -> bool:
    """Whether `given` satisfies the back-door criterion: no descendant, every back door blocked.

    Then P(effect | do(cause)) is the mean of P(effect | cause, given) over P(given). Raises
    `NotFoundError` and `SeparationError`.
    """
    known = set(given)
    _check(graph, cause, effect, known)
    if known & graph.descendants(cause):
        return False
    return _blocked(_back_doors(graph, cause), cause, effect, known)


def adjustment_set(graph: CausalEventGraph, cause: str, effect: str) -> tuple[str, ...] | None:
    """A minimal set that satisfies the back-door criterion, in topological order.

    None where there is none, because the effect is itself a direct cause of the cause. Raises
    `NotFoundError` and `SeparationError`.
    """
    _check(graph, cause, effect, set())
    allowed = graph.ids - graph.descendants(cause)
    return _minimal(_back_doors(graph, cause), cause, effect, allowed)


def _back_doors(graph: CausalEventGraph, cause: str) -> CausalEventGraph:
    """The graph without the links out of the cause, so that only its back doors remain."""
    remaining = tuple(link for link in graph.links if link.cause != cause)
    return replace(graph, links=remaining, groups=())


def _blocked(graph: CausalEventGraph, first: str, second: str, known: set[str]) -> bool:
    within = graph.with_ancestors({first, second} | known)
    return second not in _reached(graph, first, known, within)


def _minimal(
    graph: CausalEventGraph, first: str, second: str, allowed: frozenset[str]
) -> tuple[str, ...] | None:
    """A minimal separator among the events `allowed`, in topological order; None without one.

    All allowed ancestors separate the two if anything does; of these, those remain that the ball
    enters from one end and then from the other (van der Zander and Liśkiewicz, 2020).
    """
    within = graph.with_ancestors({first, second})
    separator = (allowed & within) - {first, second}
    reached = _reached(graph, first, separator, within)
    if second in reached:
        return None
    separator &= reached
    separator &= _reached(graph, second, separator, within)
    return tuple(event for event in graph.order if event in separator)


def _reached(
    graph: CausalEventGraph, start: str, known: Collection[str], within: frozenset[str]
) -> set[str]:
    """The events that a ball from `start` enters; known ones can be among them.

    `within` has both ends, what is known, and all their ancestors; the ball stays in it. It leaves
    an event in every direction, but a known one only from a cause to its other causes. It thus
    enters what is connected in the moral graph of `within` (Lauritzen et al., 1990).
    """
    pending = [(start, False)]
    entered = set(pending)
    while pending:
        event, from_cause = pending.pop()
        ways = []
        if from_cause or event not in known:
            ways += [(cause, False) for cause in graph.causes(event)]
        if event not in known:
            ways += [(effect, True) for effect in graph.effects(event)]
        new = {way for way in ways if way[0] in within} - entered
        entered |= new
        pending.extend(new)
    return {event for event, _ in entered}


def _check(graph: CausalEventGraph, first: str, second: str, given: set[str]) -> None:
    for event_id in (first, second, *sorted(given)):
        graph.event(event_id)
    if first == second:
        raise SeparationError(
            f"“{first}” is named twice.", hint="Name two events that differ from each other."
        )
    for event_id in (first, second):
        if event_id in given:
            raise SeparationError(
                f"“{event_id}” is both asked about and given.",
                hint="Do not give it.",
            )
