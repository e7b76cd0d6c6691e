"""Which events tell nothing of each other, and what to adjust for to see an effect.

d-separation and the back-door criterion (Pearl, 2009, sections 1.2.3 and 3.3.1), found with
networkx. They read the links alone, whatever those compute.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from core.benchmarks.com2.graph import CausalEventGraph
from core.text.errors import SettingError

if TYPE_CHECKING:
    import networkx as nx


class SeparationError(SettingError):
    """Events that cannot be separated as they were given."""


def separated(graph: CausalEventGraph, one: str, other: str, given: Iterable[str] = ()) -> bool:
    """Whether two events tell nothing of each other once the events `given` are known.

    Raises `NotFoundError` and `SeparationError`.
    """
    import networkx as nx

    known = set(given)
    _check(graph, one, other, known)
    return bool(nx.is_d_separator(graph.digraph, {one}, {other}, known))


def minimal_separator(graph: CausalEventGraph, one: str, other: str) -> tuple[str, ...] | None:
    """Events that separate two others, none of them to spare, causes first.

    None where nothing does, because one causes the other directly. Raises `NotFoundError` and
    `SeparationError`.
    """
    _check(graph, one, other, set())
    return _minimal(graph, graph.digraph, one, other, {event.id for event in graph.events})


def is_adjustment_set(
    graph: CausalEventGraph, cause: str, effect: str, given: Iterable[str]
) -> bool:
    """Whether the back-door criterion allows `given`: no descendant, and every back door shut.

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
    """A set that the back-door criterion allows, with none to spare, causes first.

    None where there is none, because the effect is itself a direct cause of the cause. Raises
    `NotFoundError` and `SeparationError`.
    """
    _check(graph, cause, effect, set())
    allowed = {event.id for event in graph.events} - graph.descendants(cause)
    return _minimal(graph, _back_doors(graph, cause), cause, effect, allowed)


def _back_doors(graph: CausalEventGraph, cause: str) -> nx.DiGraph:
    """The graph without what the cause leads to: only its back doors are left."""
    left = graph.digraph.copy()
    left.remove_edges_from(list(left.out_edges(cause)))
    return left


def _minimal(
    graph: CausalEventGraph, links: nx.DiGraph, one: str, other: str, allowed: set[str]
) -> tuple[str, ...] | None:
    import networkx as nx

    found = nx.find_minimal_d_separator(links, {one}, {other}, restricted=allowed - {one, other})
    return None if found is None else tuple(event for event in graph.order if event in found)


def _check(graph: CausalEventGraph, one: str, other: str, given: set[str]) -> None:
    for event_id in (one, other, *sorted(given)):
        graph.event(event_id)
    if one == other:
        raise SeparationError(
            f"“{one}” is named twice.", hint="Name two events that differ from each other."
        )
    for event_id in (one, other):
        if event_id in given:
            raise SeparationError(
                f"“{event_id}” is both asked about and given.",
                hint="Do not give it.",
            )
