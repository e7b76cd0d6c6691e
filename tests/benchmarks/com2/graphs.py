"""Makes small causal event graphs and items for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from hypothesis import strategies as st

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event, Fault, Group, Rule
from core.benchmarks.com2.item import Com2Item, Option, Scenario, Task


def graph(
    *chains: str,
    on: Iterable[str] = (),
    leaks: Mapping[str, float] | None = None,
    groups: Iterable[tuple[str, Rule, str]] = (),
    drifting: Iterable[str] = (),
    texts: Mapping[str, str] | None = None,
) -> CausalEventGraph:
    """A graph of chains such as "rain wet skid", with the roots `on` that happen by themselves.

    Groups are (effect, rule, causes), drifting links "cause effect".
    """
    leak = {**dict.fromkeys(on, 1.0), **(leaks or {})}
    pairs = dict.fromkeys(pair for chain in chains for pair in pairwise(chain.split()))
    faulty = {tuple(link.split()) for link in drifting}
    names = dict.fromkeys(name for chain in chains for name in chain.split())
    return CausalEventGraph(
        tuple(Event(n, (texts or {}).get(n, f"It is {n}."), leak=leak.get(n, 0.0)) for n in names),
        tuple(
            CausalLink(a, b, fault=Fault.SCENE_DRIFT if (a, b) in faulty else Fault.NONE)
            for a, b in pairs
        ),
        tuple(Group(effect, rule, tuple(causes.split())) for effect, rule, causes in groups),
    )


def options(made: CausalEventGraph, *events: str) -> tuple[Option, ...]:
    """Options that name events, and such that name none where the word is no event."""
    known = {event.id: event.text for event in made.events}
    return tuple(
        Option(known[name], event=name) if name in known else Option(name) for name in events
    )


def advice(*events: str) -> tuple[Option, ...]:
    """Options of a decision, each preventing an event; "-" prevents none."""
    return tuple(
        Option(f"Advice {i}", prevents="" if event == "-" else event)
        for i, event in enumerate(events)
    )


def task(
    kind: Scenario,
    offered: Sequence[Option],
    path: str = "",
    distractors: Sequence[str] = (),
    **more: Any,
) -> Task:
    """A task with its chains written as words."""
    return Task(
        kind,
        "What then?",
        tuple(offered),
        path=tuple(path.split()),
        distractors=tuple(tuple(chain.split()) for chain in distractors),
        **more,
    )


def item(made: CausalEventGraph, *tasks: Task, **more: Any) -> Com2Item:
    """An item of a graph and tasks."""
    return Com2Item("one", made, tasks, **more)


@st.composite
def graphs(draw: st.DrawFn) -> CausalEventGraph:
    """Graphs of at most seven events whose links are certain, some with groups."""
    count = draw(st.integers(2, 7))
    names = [f"e{i}" for i in range(count)]
    pairs = draw(st.lists(st.sampled_from(list(combinations(names, 2))), unique=True, min_size=1))
    made = graph(
        *(f"{a} {b}" for a, b in pairs), on=draw(st.sets(st.sampled_from(names), min_size=1))
    )
    groups = []
    for event in made.events:
        causes = made.causes(event.id)
        if len(causes) > 1 and draw(st.booleans()):
            rule = draw(st.sampled_from([Rule.ALL, Rule.INHIBITOR]))
            some = draw(st.sets(st.sampled_from(causes), min_size=1))
            groups.append(Group(event.id, rule, tuple(sorted(some))))
    return CausalEventGraph(made.events, made.links, tuple(groups))
