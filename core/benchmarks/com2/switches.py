"""The switches of a Com² item, and the graph, task and query under a setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.benchmarks.com2.edits import edited
from core.benchmarks.com2.graph import CausalEventGraph
from core.benchmarks.com2.item import Case, Com2Item, Scenario, Task
from core.benchmarks.com2.query import Mechanism, Query
from core.benchmarks.com2.scenarios import sound, task_query
from core.benchmarks.com2.worlds import World, world
from core.contract.graph_edits import parse_edits
from core.contract.setting import Choice, Edits, Flag, NodeState, Setting, Switch
from core.text.language import N_

EVENT = "event."
"""Prefix of the switch keys of events."""
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
    """The item with its edited graph."""
    task: Task | None
    """The task of the chosen scenario, if the item has any."""
    query: Query
    """The task's own query combined with what a person set."""
    own: Query
    """What a person set besides the task."""
    thinking: bool
    shown: frozenset[str]
    """The events that are drawn."""
    changed: bool
    """Whether a person changed the graph or its world, so that the released answer may not hold."""

    @property
    def graph(self) -> CausalEventGraph:
        """The events and links."""
        return self.item.graph

    def world(self, query: Query | None = None) -> World:
        """The world of a query, by default the situation's own; raises `QueryError`.

        Misleading links have no effect in it.
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

    Slow thinking is offered where the item's own scenario has some, so that a run with it asks
    nothing without. Events that were added by edits have no switch.
    """
    scenario = scenario_switch(item)
    result: list[Switch] = [scenario] if scenario else []
    result += [NodeState(f"{EVENT}{event.id}", event.text) for event in item.graph.events]
    result += [EXTENT, MECHANISM, EDITS]
    if item.tasks and item.tasks[0].thinking:
        result.append(THINKING)
    return tuple(result)


def situation(item: Com2Item, setting: Setting) -> Situation:
    """The item under a setting; raises `SettingError`."""
    scenario = scenario_switch(item)
    task = item.task(Scenario(setting.value(scenario))) if scenario else None
    graph = edited(item.graph, parse_edits(setting.value(EDITS)))
    known = graph.ids
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
        task = _restricted_task(task, known)
    removed = item.graph.ids - known
    changed = replace(item, graph=graph, case=_restricted_case(item.case, removed))
    query = task_query(task, own) if task else own
    shown = known
    if task is not None and setting.value(EXTENT) == EXTENT.default:
        added = known - item.graph.ids
        shown = relevant_events(graph, task).union(own.do, own.observe, own.imagine, added)
    return Situation(
        changed,
        task,
        query,
        own,
        thinking=setting.value(THINKING) == "on",
        shown=shown & known,
        changed=own != Query() or graph is not item.graph,
    )


def relevant_events(graph: CausalEventGraph, task: Task) -> frozenset[str]:
    """The events that a task names, and all their ancestors."""
    named = {*task.path, *task.do, *task.observe, *task.imagine, task.bad}
    named |= {event for chain in task.distractors for event in chain}
    named |= {event for option in task.options for event in (option.event, option.prevents)}
    return graph.with_ancestors(graph.ids & named)


def _restricted_task(task: Task, known: frozenset[str]) -> Task:
    """The task without references to events that an edit removed."""
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


def _restricted_case(case: Case | None, removed: frozenset[str]) -> Case | None:
    """The case without references to events that an edit removed."""
    if case is None:
        return None
    return replace(
        case,
        facts=tuple(fact for fact in case.facts if fact not in removed),
        suspects=tuple(suspect for suspect in case.suspects if suspect not in removed),
        clue="" if case.clue in removed else case.clue,
    )


def _states(given: Mapping[str, bool], known: frozenset[str]) -> dict[str, bool]:
    return {event: value for event, value in given.items() if event in known}
