"""Worlds: which events happen under a query and, in words, why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from core.benchmarks.com2.graph import CausalEventGraph, Event, Group, Rule
from core.benchmarks.com2.query import (
    Mechanism,
    Method,
    Query,
    Result,
    check,
    impossible,
    run_query,
)
from core.text.language import _

_HALF = 0.5
_CERTAIN = 1e-9
_MOST_CHANCES = 4
"""With more events that chance decides, their outcomes are not enumerated."""


@dataclass(frozen=True, slots=True)
class World:
    """A graph under a query."""

    graph: CausalEventGraph
    query: Query
    result: Result

    def happens(self, event_id: str) -> bool:
        """Whether the probability of an event is at least a half."""
        return self.result.p[event_id] >= _HALF

    def certain(self, event_id: str) -> bool:
        """Whether the probability of an event is 0 or 1."""
        p = self.result.p[event_id]
        return p < _CERTAIN or p > 1 - _CERTAIN

    def cut(self, effect: str) -> bool:
        """Whether the links to an event carry nothing because it is set from outside."""
        return effect in self.query.do or effect in self.query.imagine

    def why(self, event_id: str) -> str:
        """One sentence on which causes, by which rule, make an event happen or not."""
        happens = _("happens") if self.happens(event_id) else _("does not happen")
        if event_id in self.query.do:
            reason = _("set by do(), whatever its causes")
        elif event_id in self.query.imagine:
            reason = _("imagined so, whatever its causes")
        elif event_id in self.query.observe and not self.query.imagine:
            reason = _("observed")
        else:
            reason = self._because(event_id)
        return f"{happens}: {reason}"

    def _because(self, event_id: str) -> str:
        graph, happens = self.graph, self.happens(event_id)
        groups = [group for group in graph.groups_of(event_id) if group.rule is not Rule.ANY]
        grouped = {cause for group in groups for cause in group.causes}
        hinders, reasons, lacking = [], [], []
        for group in groups:
            happening = [cause for cause in group.causes if self.happens(cause)]
            missing = [cause for cause in group.causes if cause not in happening]
            if group.rule is Rule.INHIBITOR:
                hinders += happening
            elif missing:
                needed = _("{causes} are needed together, and {missing} is missing")
                lacking.append(
                    needed.format(
                        causes=self._named(group.causes, _(" and ")), missing=self._named(missing)
                    )
                )
            else:
                reasons.append(self._named(happening, _(" and ")))
        alone = [cause for cause in graph.causes(event_id) if cause not in grouped]
        single = [cause for cause in alone if self.happens(cause)]
        if single:
            reasons.append(self._named(single))
        by_itself = graph.event(event_id).leak >= _HALF
        if happens and reasons:
            rule = _("because of {causes}")
            if len(single) > 1:
                rule = _("any of these is enough: {causes}")
            return rule.format(causes="; ".join(reasons))
        if happens and by_itself:
            return _("by itself")
        if not happens and hinders and (reasons or by_itself):
            return _("prevented by {causes}", causes=self._named(hinders))
        if not happens and not reasons and not by_itself:
            if lacking:
                return "; ".join(lacking)
            if alone:
                return _("none of its causes does: {causes}", causes=self._named(alone))
            return _("nothing brings it about")
        # No single cause decides: chance or an observation does.
        if self.query.observe:
            if happens:
                return _("what was observed makes it likely")
            return _("what was observed does not make it likely")
        if happens:
            return _("its causes together make it likely")
        return _("its causes seldom bring it about: {causes}", causes="; ".join(reasons))

    def _named(self, events: Iterable[str], joint: str = ", ") -> str:
        quoted = _("“{text}”")
        return joint.join(quoted.format(text=self.graph.event(event).text) for event in events)


def world(graph: CausalEventGraph, query: Query, *, seed: int = 0) -> World:
    """The world of a query; raises `QueryError` and `NotFoundError`.

    `seed` seeds the sampling where an exact answer is out of reach.
    """
    chances = [event for event in graph.events if 0 < event.leak < 1]
    if query.mechanism is Mechanism.BOOLEAN and len(chances) <= _MOST_CHANCES:
        return World(graph, query, _enumerated(graph, query, chances))
    return World(graph, query, run_query(graph, query, seed=seed))


def _enumerated(graph: CausalEventGraph, query: Query, chances: Sequence[Event]) -> Result:
    """The result by passes from causes to effects, one for each outcome of what chance decides.

    Equal to that of `run_query`, in time linear in the links and exponential in the chances.
    """
    check(graph, query)
    whole = 0.0
    sums = dict.fromkeys((event.id for event in graph.events), 0.0)
    for outcome in product((True, False), repeat=len(chances)):
        luck = {event.id: lucky for event, lucky in zip(chances, outcome, strict=True)}
        facts = happens = _pass(graph, query.do, luck)
        if any(facts[event] != value for event, value in query.observe.items()):
            continue
        if query.imagine:
            happens = _pass(graph, {**query.do, **query.imagine}, luck)
        weight = math.prod(e.leak if luck[e.id] else 1 - e.leak for e in chances)
        whole += weight
        for event_id, value in happens.items():
            sums[event_id] += weight * value
    if not whole:
        raise impossible(query)
    p = {event_id: weight / whole for event_id, weight in sums.items()}
    return Result(p, Method.EXACT, {})


def _pass(
    graph: CausalEventGraph, forced: Mapping[str, bool], luck: Mapping[str, bool]
) -> dict[str, bool]:
    """Which events happen with some set from outside and `luck` deciding which happen alone."""
    grouped: dict[str, list[Group]] = {}
    for group in graph.groups:
        if group.rule is not Rule.ANY:
            grouped.setdefault(group.effect, []).append(group)
    happens: dict[str, bool] = {}
    for event_id in graph.order:
        if event_id in forced:
            happens[event_id] = forced[event_id]
            continue
        groups = grouped.get(event_id, ())
        together = {cause for group in groups for cause in group.causes}
        caused = luck.get(event_id, graph.event(event_id).leak == 1.0)
        caused |= any(happens[c] for c in graph.causes(event_id) if c not in together)
        caused |= any(g.rule is Rule.ALL and all(happens[c] for c in g.causes) for g in groups)
        hindered = any(
            g.rule is Rule.INHIBITOR and any(happens[c] for c in g.causes) for g in groups
        )
        happens[event_id] = caused and not hindered
    return happens


def depends_on_mechanism(graph: CausalEventGraph, query: Query) -> bool:
    """Whether an imagined probability depends on the choice of mechanism.

    Monotone causal models with the same conditional probabilities agree on a counterfactual as
    long as causes are only added or only removed. They may differ where one cause replaces
    another: that the old cause produced the effect does not determine whether the new one would
    have. An added inhibitor counts as a removed cause. Boolean equations leave no choice, and
    neither does a change that leads to nothing that was observed.

    Conservative: True wherever a replacement is possible in some world.
    """
    if not query.imagine or query.mechanism is Mechanism.BOOLEAN:
        return False
    reached = frozenset[str]().union(*(graph.descendants(event) for event in query.imagine))
    if reached.isdisjoint(query.observe.keys() - query.do.keys()):
        return False
    factual = world(graph, Query(query.do, query.observe, mechanism=query.mechanism)).result.p
    imagined = world(graph, query).result.p
    added: set[str] = set()
    removed: set[str] = set()
    for event_id in graph.order:
        adding, taking = _changes(graph, event_id, added, removed)
        if event_id in query.imagine:
            adding = taking = {event_id}
        elif adding and taking and len(adding | taking) > 1 and event_id not in query.do:
            return True
        if adding and factual[event_id] < 1 - _CERTAIN and imagined[event_id] > _CERTAIN:
            added.add(event_id)
        if taking and factual[event_id] > _CERTAIN and imagined[event_id] < 1 - _CERTAIN:
            removed.add(event_id)
    return False


def _changes(
    graph: CausalEventGraph, effect: str, added: set[str], removed: set[str]
) -> tuple[set[str], set[str]]:
    """The changed causes that may bring an effect about, and those that may prevent it."""
    causes = set(graph.causes(effect))
    hinders = {
        cause
        for group in graph.groups_of(effect)
        if group.rule is Rule.INHIBITOR
        for cause in group.causes
    }
    helps = causes - hinders
    return (helps & added) | (hinders & removed), (helps & removed) | (hinders & added)
