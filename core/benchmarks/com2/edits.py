"""Applies the edits of a setting to a graph."""

from __future__ import annotations

from collections.abc import Sequence

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event, GraphError, Group
from core.contract.graph_edits import Edit, Operation
from core.text.errors import SettingError
from core.text.language import N_, _

OWN = N_("own")
"""The `source` of a link that a person added."""


def edited(graph: CausalEventGraph, operations: Sequence[Operation]) -> CausalEventGraph:
    """Apply edits to a graph, in order.

    Removing an event removes its links; a group loses the removed causes and disappears with its
    last one. Raises `SettingError` for an edit that the graph does not allow.
    """
    for number, operation in enumerate(operations, 1):
        try:
            graph = _apply(graph, operation)
        except GraphError as error:
            raise SettingError(
                _("Edit {number} is not possible: {what}", number=number, what=error.what),
                hint=error.hint,
            ) from error
    return graph


def _apply(graph: CausalEventGraph, operation: Operation) -> CausalEventGraph:
    first, second = operation.first, operation.second
    events, links, groups = list(graph.events), list(graph.links), list(graph.groups)
    known = {event.id for event in events}
    match operation.edit:
        case Edit.ADD:
            events.append(Event(first, second))
        case Edit.REMOVE:
            _check(first in known, f"There is no event “{first}”.")
            events = [event for event in events if event.id != first]
            links = [link for link in links if first not in (link.cause, link.effect)]
        case Edit.RETEXT:
            _check(first in known, f"There is no event “{first}”.")
            events = [
                Event(e.id, second, kind=e.kind, leak=e.leak) if e.id == first else e
                for e in events
            ]
        case Edit.LINK:
            links.append(CausalLink(first, second, source=OWN))
        case Edit.UNLINK:
            _check(
                graph.link(first, second) is not None if {first, second} <= known else False,
                f"There is no link from “{first}” to “{second}”.",
            )
            links = [link for link in links if (link.cause, link.effect) != (first, second)]
    pairs = {(link.cause, link.effect) for link in links}
    kept = []
    for group in groups:
        causes = tuple(cause for cause in group.causes if (cause, group.effect) in pairs)
        if causes:
            kept.append(Group(group.effect, group.rule, causes))
    return CausalEventGraph(tuple(events), tuple(links), tuple(kept))


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise GraphError(otherwise)
