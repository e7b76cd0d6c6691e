"""Which events are independent of each other, and what to adjust for to estimate an effect.

d-separation and the back-door criterion (Pearl, 2009, sections 1.2.3 and 3.3.1), by networkx. They
depend on the links alone, not on the mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from core.benchmarks.com2.graph import CausalEventGraph
from core.text.errors import SettingError

if TYPE_CHECKING:
    import networkx as nx


class SeparationError(SettingError):
    """Events for which separation is not defined."""


def separated(graph: CausalEventGraph, first: str, second: str, given: Iterable[str] = ()) -> bool:
    """Whether two events are d-separated by the events `given`.

    Raises `NotFoundError` and `SeparationError`.
    """
    import networkx as nx

    known = set(given)
    _check(graph, first, second, known)
    return bool(nx.is_d_separator(graph.digraph, {first}, {second}, known))


def minimal_separator(graph: CausalEventGraph, first: str, second: str) -> tuple[str, ...] | None:
    """A minimal set of events that d-separates two others, in topological order.

    None where one causes the other directly, so that nothing separates them. Raises
    `NotFoundError` and `SeparationError`.
    """
    _check(graph, first, second, set())
    return _minimal(graph, graph.digraph, first, second, graph.ids)


def is_adjustment_set(
    graph: CausalEventGraph, cause: str, effect: str, given: Iterable[str]
) -> bool:
    """Whether `given` satisfies the back-door criterion: no descendant, every back door blocked.

    Then P(effect | do(cause)) is the mean of P(effect | cause, given) over P(given). Raises
    `NotFoundError` and `SeparationError`.
    """
    import networkx as nx

    known = set(given)
    _check(graph, cause, effect, known)
    if known & graph.descendants(cause):
        return False
    return bool(nx.is_d_separator(_back_doors(graph, cause), {cause}, {effect}, known))


def adjustment_set(graph: CausalEventGraph, cause: str, effect: str) -> tuple[str, ...] | None:
    """A minimal set that satisfies the back-door criterion, in topological order.

    None where there is none, because the effect is itself a direct cause of the cause. Raises
    `NotFoundError` and `SeparationError`.
    """
    _check(graph, cause, effect, set())
    allowed = graph.ids - graph.descendants(cause)
    return _minimal(graph, _back_doors(graph, cause), cause, effect, allowed)


def _back_doors(graph: CausalEventGraph, cause: str) -> nx.DiGraph:
    """The graph without the links out of the cause, so that only its back doors remain."""
    remaining = graph.digraph.copy()
    remaining.remove_edges_from(list(remaining.out_edges(cause)))
    return remaining


def _minimal(
    graph: CausalEventGraph, links: nx.DiGraph, first: str, second: str, allowed: frozenset[str]
) -> tuple[str, ...] | None:
    import networkx as nx

    separator = nx.find_minimal_d_separator(
        links, {first}, {second}, restricted=allowed - {first, second}
    )
    if separator is None:
        return None
    return tuple(event for event in graph.order if event in separator)


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
