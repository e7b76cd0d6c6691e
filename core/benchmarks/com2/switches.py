"""What may be toggled on a Com² item, and the graph, task and query that a setting makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.benchmarks.com2.edits import edited
from core.benchmarks.com2.graph import CausalEventGraph
from core.benchmarks.com2.item import Case, Com2Item, Scenario, Task
from core.benchmarks.com2.query import Mechanism, Query
from core.benchmarks.com2.scenarios import sound, task_query
from core.benchmarks.com2.worlds import World, world
from core.contract.graph_edits import operations
from core.contract.setting import Choice, Edits, Flag, NodeState, Setting, Switch
from core.text.language import N_

EVENT = "event."
"""What the keys of events begin with."""
EDITS = Edits("edits", N_("Edits"))
THINKING = Flag("thinking", N_("Slow thinking given"))
"""The condition of the paper's Figure 6."""
MECHANISM = Choice(
    "mechanism",
    N_("Mechanism"),
    (Mechanism.BOOLEAN.value, Mechanism.NOISY_OR.value),
    (N_("Boolean"), N_("noisy-OR, illustrative")),
)
EXTENT = Choice(
    "extent",
    N_("Events shown"),
    ("scenario", "all"),
    (N_("what bears on the scenario"), N_("all of them")),
)
_NAMES = {
    Scenario.DIRECT: N_("direct"),
    Scenario.DECISION: N_("decision"),
    Scenario.TRANSITION: N_("transition"),
    Scenario.INTERVENTION: N_("intervention"),
    Scenario.COUNTERFACTUAL: N_("counterfactual"),
}


@dataclass(frozen=True, slots=True)
class Situation:
    """An item under a setting."""

    item: Com2Item
    """With the graph as it was edited."""
    task: Task | None
    """The scenario that is shown, if the item has any."""
    query: Query
    """The world: the task's own, and what a person set on top of it."""
    own: Query
    """What a person set on top of the task."""
    thinking: bool
    shown: frozenset[str]
    """The events that are drawn."""
    changed: bool
    """Whether a person changed the graph or its world, so that a released answer may not hold."""

    @property
    def graph(self) -> CausalEventGraph:
        """The events and links."""
        return self.item.graph

    def world(self, query: Query | None = None) -> World:
        """The world of a query, of the situation's own if none is given; raises `QueryError`.

        Links that only seem to lead somewhere carry nothing in it.
        """
        return world(sound(self.graph), self.query if query is None else query)


def scenario_switch(item: Com2Item) -> Choice | None:
    """The switch between an item's scenarios; None where it has no task."""
    if not item.tasks:
        return None
    kinds = [task.scenario for task in item.tasks]
    names = tuple(_NAMES[kind] for kind in kinds)
    return Choice("scenario", N_("Scenario"), tuple(kinds), names, cycles=True)


def switches(item: Com2Item) -> tuple[Switch, ...]:
    """The scenario, each event's state, the mechanism, edits, and slow thinking.

    Events that edits add have no switch: they are set by editing their causes.
    """
    scenario = scenario_switch(item)
    found: list[Switch] = [scenario] if scenario else []
    found += [NodeState(f"{EVENT}{event.id}", event.text) for event in item.graph.events]
    found += [EXTENT, MECHANISM, EDITS]
    if any(task.thinking for task in item.tasks):
        found.append(THINKING)
    return tuple(found)


def situation(item: Com2Item, setting: Setting) -> Situation:
    """What a setting makes of an item; raises `SettingError`."""
    scenario = scenario_switch(item)
    task = item.task(Scenario(setting.value(scenario))) if scenario else None
    graph = edited(item.graph, operations(setting.value(EDITS)))
    known = {event.id for event in graph.events}
    verbs: dict[str, dict[str, bool]] = {"do": {}, "observe": {}, "imagine": {}}
    for key, value in setting.items():
        event = key.removeprefix(EVENT)
        if key.startswith(EVENT) and event in known:
            verb, _, state = value.partition("=")
            verbs[verb][event] = state == "1"
    own = Query(
        verbs["do"], verbs["observe"], verbs["imagine"], Mechanism(setting.value(MECHANISM))
    )
    if task is not None:
        task = _remaining(task, known)
    removed = {event.id for event in item.graph.events} - known
    changed = replace(item, graph=graph, case=_known_of(item.case, removed))
    query = task_query(task, own) if task else own
    shown = set(known)
    if task is not None and setting.value(EXTENT) == EXTENT.default:
        shown = bearing(graph, task) | set(own.do) | set(own.observe) | set(own.imagine)
        shown |= known - {event.id for event in item.graph.events}
    return Situation(
        changed,
        task,
        query,
        own,
        thinking=setting.value(THINKING) == "on",
        shown=frozenset(shown & known),
        changed=own != Query() or graph is not item.graph,
    )


def bearing(graph: CausalEventGraph, task: Task) -> set[str]:
    """The events that a task names, and everything that may bring them about."""
    named = {*task.path, *task.do, *task.observe, *task.imagine, task.bad}
    named |= {event for chain in task.distractors for event in chain}
    named |= {event for option in task.options for event in (option.event, option.prevents)}
    found = {event.id for event in graph.events} & named
    waiting = list(found)
    while waiting:
        for cause in graph.causes(waiting.pop()):
            if cause not in found:
                found.add(cause)
                waiting.append(cause)
    return found


def _remaining(task: Task, known: set[str]) -> Task:
    """A task without what it says of events that an edit removed."""
    options = tuple(
        replace(
            option,
            event=option.event if option.event in known else "",
            prevents=option.prevents if option.prevents in known else "",
        )
        for option in task.options
    )
    return replace(
        task,
        options=options,
        path=task.path if set(task.path) <= known else (),
        distractors=tuple(chain for chain in task.distractors if set(chain) <= known),
        do=_states(task.do, known),
        observe=_states(task.observe, known),
        imagine=_states(task.imagine, known),
        bad=task.bad if task.bad in known else "",
    )


def _known_of(case: Case | None, removed: set[str]) -> Case | None:
    """A case without what it says of events that an edit removed."""
    if case is None:
        return None
    return replace(
        case,
        facts=tuple(fact for fact in case.facts if fact not in removed),
        suspects=tuple(suspect for suspect in case.suspects if suspect not in removed),
        clue="" if case.clue in removed else case.clue,
    )


def _states(given: Mapping[str, bool], known: set[str]) -> dict[str, bool]:
    return {event: value for event, value in given.items() if event in known}
