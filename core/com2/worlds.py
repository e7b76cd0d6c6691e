"""What happens in the world that a query makes, event by event, and why, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.com2.graph import CausalEventGraph, Rule
from core.com2.query import Mechanism, Query, Result, run_query

_HALF = 0.5
_CERTAIN = 1e-9


@dataclass(frozen=True, slots=True)
class World:
    """A graph under a query."""

    graph: CausalEventGraph
    query: Query
    result: Result

    def happens(self, event_id: str) -> bool:
        """Whether an event happens rather than not: its probability is at least a half."""
        return self.result.p[event_id] >= _HALF

    def certain(self, event_id: str) -> bool:
        """Whether an event happens, or does not, for sure."""
        p = self.result.p[event_id]
        return p < _CERTAIN or p > 1 - _CERTAIN

    def forced(self) -> Mapping[str, bool]:
        """The events that are set from outside in this world."""
        return {**self.query.do, **self.query.imagine}

    def cut(self, cause: str, effect: str) -> bool:
        """Whether a link carries nothing because its effect is set from outside."""
        return effect in self.forced()

    def why(self, event_id: str) -> str:
        """Which causes, by which rule, make an event happen or not, in one sentence."""
        happens = "happens" if self.happens(event_id) else "does not happen"
        if event_id in self.query.do:
            return f"{happens}: set by do(), whatever its causes"
        if event_id in self.query.imagine:
            return f"{happens}: imagined so, whatever its causes"
        if event_id in self.query.observe and not self.query.imagine:
            return f"{happens}: observed"
        return f"{happens}: {self._because(event_id)}"

    def _because(self, event_id: str) -> str:
        graph = self.graph
        causes = graph.causes(event_id)
        if not causes:
            leak = graph.event(event_id).leak
            return "by itself" if leak >= _HALF else "nothing brings it about"
        grouped = {
            cause: group
            for group in graph.groups_of(event_id)
            if group.rule is not Rule.ANY
            for cause in group.causes
        }
        hindered, together, lacking = [], [], []
        for group in graph.groups_of(event_id):
            there = [cause for cause in group.causes if self.happens(cause)]
            if group.rule is Rule.INHIBITOR:
                hindered += there
            elif group.rule is Rule.ALL and len(there) == len(group.causes):
                together.append(self._named(there, " and "))
            elif group.rule is Rule.ALL:
                missing = [cause for cause in group.causes if cause not in there]
                lacking.append(
                    f"{self._named(list(group.causes), ' and ')} are needed together, "
                    f"and {self._named(missing, ', ')} is missing"
                )
        single = [cause for cause in causes if cause not in grouped and self.happens(cause)]
        if hindered and not self.happens(event_id):
            return f"prevented by {self._named(hindered, ', ')}"
        if self.happens(event_id):
            reasons = [*together, *([self._named(single, ", ")] if single else [])]
            if reasons:
                rule = "any of these is enough: " if len(single) > 1 else "because of "
                return rule + "; ".join(reasons)
            return "by itself"
        if lacking:
            return "; ".join(lacking)
        left = [cause for cause in causes if cause not in grouped]
        return f"none of its causes does: {self._named(left, ', ')}"

    def _named(self, events: list[str], joint: str) -> str:
        return joint.join(f"“{self.graph.event(event).text}”" for event in events)


def world(graph: CausalEventGraph, query: Query) -> World:
    """The world of a query; raises `QueryError` and `NotFoundError`."""
    return World(graph, query, run_query(graph, query))


def depends_on_mechanism(graph: CausalEventGraph, query: Query) -> bool:
    """Whether an imagined probability depends on how causes are thought to act together.

    Causal models with the same conditional probabilities agree on what would have been as long
    as causes are only added or only taken away, and may differ where one is swapped for another.
    With Boolean equations there is nothing to differ in.
    """
    if not query.imagine or query.mechanism is Mechanism.BOOLEAN:
        return False
    factual = world(graph, Query(query.do, query.observe, mechanism=query.mechanism))
    imagined = world(graph, query)
    for event in graph.events:
        causes = graph.causes(event.id)
        gained = any(imagined.result.p[c] > factual.result.p[c] + _CERTAIN for c in causes)
        lost = any(imagined.result.p[c] < factual.result.p[c] - _CERTAIN for c in causes)
        if gained and lost:
            return True
    return False
