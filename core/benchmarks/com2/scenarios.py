"""The right options of a task, derived from the graph by the rules of the five scenarios.

Xiong et al. (2025), sections 2.4 and 2.5. The paper's chains are text; treating their links as
causal mechanisms is this program's reading of them.

* direct, transition, counterfactual: the tail of the sound chain, if it happens.
* intervention: the tail that still happens; equal tails are flagged and not scored.
* decision: every option whose event, prevented by itself, keeps the bad outcome from happening.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations

from core.benchmarks.com2.graph import CausalEventGraph, Fault, Group, Rule
from core.benchmarks.com2.item import Com2Item, Scenario, Task
from core.benchmarks.com2.query import Query
from core.benchmarks.com2.worlds import World, world
from core.text.language import _

MOST_BEARING = 50
"""With more links that bear on the bad outcome than this, no decision is derived."""
_MOST_PAIRED = 12
"""With more events upstream than this, pairs are not tried as cuts."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """The right options of a task as they follow from the graph."""

    gold: frozenset[int] | None
    """Indices of the right options; None where they do not follow from the graph."""
    why: str
    """The reason, in one sentence."""
    cuts: tuple[frozenset[str], ...] = ()
    """The smallest sets of events whose prevention stops the bad outcome (decision)."""


def sound(graph: CausalEventGraph) -> CausalEventGraph:
    """The graph without its misleading links.

    A misleading link alone has no effect. In an all-of group it stays, because the group states
    what else is needed.
    """
    together = {
        (cause, group.effect)
        for group in graph.groups
        if group.rule is Rule.ALL
        for cause in group.causes
    }
    dropped = {
        (link.cause, link.effect)
        for link in graph.links
        if link.fault is not Fault.NONE and (link.cause, link.effect) not in together
    }
    if not dropped:
        return graph
    groups = []
    for group in graph.groups:
        causes = tuple(c for c in group.causes if (c, group.effect) not in dropped)
        if causes:
            groups.append(Group(group.effect, group.rule, causes))
    links = tuple(link for link in graph.links if (link.cause, link.effect) not in dropped)
    return CausalEventGraph(graph.events, links, tuple(groups))


def task_query(task: Task, more: Query | None = None) -> Query:
    """The query of a task, combined with what a person set besides (`more`).

    What a person sets on an event replaces what the task sets on it. Where a task imagines on
    evidence, a person intervenes in the imagined world alone: in the factual world that could
    contradict what was seen there.
    """
    more = more or Query()
    if task.imagine and task.observe:
        more = Query(
            {}, _without(more.observe, more.do), {**more.imagine, **more.do}, more.mechanism
        )
    own = {*more.do, *more.imagine}
    return Query(
        do={**_without(task.do, {*own, *more.observe}), **more.do},
        observe={**_without(task.observe, more.do), **more.observe},
        imagine={**_without(task.imagine, own), **more.imagine},
        mechanism=more.mechanism,
    )


def derive(item: Com2Item, task: Task, more: Query | None = None) -> Derivation:
    """Derive the right options of a task, in its own world or in one that a person changed.

    Raises `QueryError` for an impossible world.
    """
    if not item.graph.links:
        return Derivation(None, _("not derivable: the item came without its chains"))
    now = world(sound(item.graph), task_query(task, more))
    if task.scenario is Scenario.DECISION:
        return _decision(task, now)
    if all(not option.event for option in task.options):
        return Derivation(None, _("not derivable: no tail equals exactly one option"))
    if task.scenario is Scenario.INTERVENTION:
        return _surviving(item, task, now)
    return _tail(task, now)


def _tail(task: Task, now: World) -> Derivation:
    """The tail of the sound chain if it happens, else the one option that happens."""
    if task.path and now.happens(task.path[-1]):
        right = [i for i, option in enumerate(task.options) if option.event == task.path[-1]]
        if right:
            return _single(task, right, now)
    return _single(task, _happening(task, now, None), now)


def _surviving(item: Com2Item, task: Task, now: World) -> Derivation:
    """The tail, or in a case the suspect's deed, that still happens."""
    tails = [chain[-1] for chain in (task.path, *task.distractors) if chain]
    texts = Counter(comparable(now.graph.event(tail).text) for tail in tails)
    if max(texts.values(), default=0) > 1:
        return Derivation(None, _("two chains have the same tail: flagged and not scored"))
    suspects = item.case.suspects if item.case else ()
    return _single(task, _happening(task, now, {*tails, *suspects} if tails else None), now)


def _happening(task: Task, now: World, among: set[str] | None) -> list[int]:
    return [
        i
        for i, option in enumerate(task.options)
        if option.event and (among is None or option.event in among) and now.happens(option.event)
    ]


def _single(task: Task, right: list[int], now: World) -> Derivation:
    """The derivation of a single choice, which needs exactly one right option."""
    if not right:
        return Derivation(None, _("none of the options' events happens in this world"))
    texts = Counter(comparable(option.text) for option in task.options)
    if any(texts[comparable(task.options[i].text)] > 1 for i in right):
        return Derivation(None, _("two options have the same text: flagged and not scored"))
    if len(right) > 1:
        several = _("{options} options' events happen here")
        return Derivation(None, several.format(options=len(right)))
    return Derivation(frozenset(right), now.why(task.options[right[0]].event))


def _decision(task: Task, now: World) -> Derivation:
    """The advice that alone stops the bad outcome."""
    graph, bad = now.graph, task.bad
    if not bad or all(not option.prevents for option in task.options):
        return Derivation(None, _("not derivable: the options name no event that they prevent"))
    name = _("“{text}”", text=graph.event(bad).text)
    if not now.happens(bad):
        nothing = _("{event} does not happen in this world: nothing to prevent")
        return Derivation(None, nothing.format(event=name))
    near = _bearing(now, bad)
    if len(near.graph.links) > MOST_BEARING:
        many = _("not derivable: more than {most} links bear on {event}")
        return Derivation(None, many.format(most=MOST_BEARING, event=name))
    cuts = minimal_cuts(near, bad)
    right = frozenset(
        i
        for i, option in enumerate(task.options)
        if option.prevents in near.graph.ids and prevented(near, {option.prevents}, bad)
    )
    if not right:
        none = _("no single piece of advice stops {event}")
        return Derivation(None, none.format(event=name), cuts)
    why = _("preventing any one of {events} events stops {event}")
    prevents = ""
    if len(right) == 1:
        (only,) = right
        prevents = graph.event(task.options[only].prevents).text
        why = _("preventing “{prevents}” stops {event}")
    return Derivation(right, why.format(events=len(right), prevents=prevents, event=name), cuts)


def _bearing(now: World, bad: str) -> World:
    """The world without the events that neither lead to `bad` nor to anything observed.

    What is left has the same probabilities.
    """
    graph, query = now.graph, now.query
    others = graph.ids - graph.with_ancestors({bad, *query.observe})
    part = CausalEventGraph(
        tuple(event for event in graph.events if event.id not in others),
        tuple(link for link in graph.links if link.effect not in others),
        tuple(group for group in graph.groups if group.effect not in others),
    )
    left = Query(
        _without(query.do, others), query.observe, _without(query.imagine, others), query.mechanism
    )
    return World(part, left, now.result)


def prevented(now: World, events: set[str] | frozenset[str], bad: str) -> bool:
    """Whether preventing some events would have kept `bad` from happening.

    Observations stay in force; an event that do() sets cannot be prevented.
    """
    query = now.query
    if not events.isdisjoint(query.do):
        return False
    imagined = {**query.imagine, **dict.fromkeys(events, False)}
    # Where nothing was observed, to imagine is to intervene, and one world is enough.
    counterfactual = (
        Query(query.do, query.observe, imagined, query.mechanism)
        if query.observe
        else Query({**query.do, **imagined}, mechanism=query.mechanism)
    )
    return not world(now.graph, counterfactual).happens(bad)


def minimal_cuts(now: World, bad: str) -> tuple[frozenset[str], ...]:
    """The smallest sets of one or two happening events whose prevention stops `bad`.

    Pairs are tried only where no single event suffices and few enough events lead to `bad`.
    """
    leading = now.graph.with_ancestors({bad}) - {bad}
    upstream = [
        event.id
        for event in now.graph.events
        if event.id in leading and now.happens(event.id) and event.id not in now.query.do
    ]
    for size in (1, 2) if len(upstream) <= _MOST_PAIRED else (1,):
        cuts = tuple(
            frozenset(events)
            for events in combinations(upstream, size)
            if prevented(now, {*events}, bad)
        )
        if cuts:
            return cuts
    return ()


def agrees(task: Task, derivation: Derivation) -> bool | None:
    """Whether the released answer equals the derived one; None where either is unknown."""
    if task.released is None or derivation.gold is None:
        return None
    return task.released == derivation.gold


def right_options(
    task: Task, derivation: Derivation, *, changed: bool = False
) -> frozenset[int] | None:
    """The options that count as right: the released ones, else the derived ones.

    Scores are comparable with published ones only under the released answers. Where a person
    `changed` the graph or its world, the released answers may no longer hold, so the derived ones
    count.
    """
    return derivation.gold if changed or task.released is None else task.released


def comparable(text: str) -> str:
    """The text in the form in which answers are compared: no case, no final full stop."""
    return " ".join(text.split()).rstrip(".。").rstrip().casefold()


def _without(states: Mapping[str, bool], events: Collection[str]) -> dict[str, bool]:
    return {event: value for event, value in states.items() if event not in events}
