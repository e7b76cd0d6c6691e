"""Builds an item from checked chains and a checked question (sections 2.4 and 2.5).

How the chains become equations is this program's reading of the paper, as in
`core.benchmarks.com2.graph`.
"""

from __future__ import annotations

from itertools import pairwise

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event, Fault, Group, Kind, Rule
from core.benchmarks.com2.item import Com2Item, Option, Scenario, Task
from core.benchmarks.com2.scenarios import derive, sound, task_query
from core.benchmarks.com2.synthesis.reply_values import Asked, Chain, Chains
from core.benchmarks.com2.synthesis.requirements import check_answer
from core.benchmarks.com2.synthesis.stages import Make
from core.benchmarks.com2.worlds import world
from core.benchmarks.generation.normalised_text import normalise
from core.benchmarks.generation.rejection import Reason, Rejected

SOURCE = "model"
"""The `source` of a link that a model proposed."""
_FAULTS = (Fault.NONE, Fault.SCENE_DRIFT, Fault.THRESHOLD_EFFECT)
_NEEDED = {
    Fault.SCENE_DRIFT: "“{0}” and “{1}” belong to the same scene",
    Fault.THRESHOLD_EFFECT: "“{0}” is enough for “{1}”",
}
"""The condition under which a faulty link would hold; it is not met in the item's world."""


class Draft:
    """The events, links and groups of an item under construction."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._events: list[Event] = []
        self._links: list[CausalLink] = []
        self._groups: list[Group] = []

    def event(self, id_: str, text: str, leak: float = 0.0, kind: Kind | None = None) -> str:
        """Add an event; returns its id."""
        self._events.append(Event(id_, text, leak=leak, kind=self._kind if kind is None else kind))
        return id_

    def link(self, cause: str, effect: str, fault: Fault = Fault.NONE) -> None:
        """Add a link."""
        self._links.append(CausalLink(cause, effect, fault=fault, source=SOURCE))

    def group(self, effect: str, rule: Rule, *causes: str) -> None:
        """Add a group of causes."""
        self._groups.append(Group(effect, rule, causes))

    def chain(self, chain: Chain, prefix: str, root: str, fault: Fault) -> tuple[str, ...]:
        """Add a chain below an existing root; returns its ids, the root first."""
        ids = [root]
        for i, text in enumerate(chain.events[1:], 2):
            ids.append(self.event(f"{prefix}{i}", text))
        for number, (cause, effect) in enumerate(pairwise(ids), 1):
            faulty = fault if number == chain.link else Fault.NONE
            self.link(cause, effect, faulty)
            if faulty:
                texts = chain.events[number - 1 : number + 1]
                needed = _NEEDED[faulty].format(*texts)
                condition = self.event(f"{prefix}-needs", needed, kind=Kind.UNKNOWN)
                self.link(condition, effect)
                self.group(effect, Rule.ALL, cause, condition)
        return tuple(ids)

    def graph(self) -> CausalEventGraph:
        """The graph; raises `GraphError`."""
        return CausalEventGraph(tuple(self._events), tuple(self._links), tuple(self._groups))


def build(item_id: str, make: Make, chains: Chains, asked: Asked) -> Com2Item:
    """Build the item of a scenario; its derived answer must be the one that the model stated.

    Raises `Rejected` otherwise.
    """
    concrete = make is Make.COUNTERFACTUAL
    draft = Draft(Kind.CONCRETE if concrete else Kind.ABSTRACT)
    first = chains.chains[0]
    root = draft.event("a1", first.events[0], leak=1.0)
    paths = [draft.chain(first, "a", root, Fault.NONE)]
    for i, chain in enumerate(chains.chains[1:], 1):
        prefix = "abc"[i]
        start = draft.event(f"{prefix}1", chain.events[0]) if concrete else root
        fault = _FAULTS[i] if make is Make.TRANSITION else Fault.NONE
        paths.append(draft.chain(chain, prefix, start, fault))
    forced = {}
    if make is Make.INTERVENTION:
        cut = draft.event("x", asked.intervention)
        draft.link(cut, paths[0][asked.cuts])
        draft.group(paths[0][asked.cuts], Rule.INHIBITOR, cut)
        forced = {cut: True}
    holds = -1 if make in (Make.INTERVENTION, Make.COUNTERFACTUAL) else 0
    task = Task(
        Scenario(make.value),
        asked.question,
        _options(make, paths, chains, asked),
        path=paths[holds],
        distractors=tuple(path for path in paths if path is not paths[holds]),
        do=forced,
        imagine={"a1": False, "b1": True} if concrete else {},
        bad=paths[0][-1] if make is Make.DECISION else "",
    )
    item = Com2Item(item_id, draft.graph(), (task,), title=first.events[0], language="en")
    right = right_options(item)
    check_answer(asked.answer, len(task.options), right)
    _check_wrong(item, right)
    return item


def _check_wrong(item: Com2Item, right: frozenset[int]) -> None:
    """Require that no wrong option names an event that happens in the world of the question."""
    (task,) = item.tasks
    now = world(sound(item.graph), task_query(task))
    for i, option in enumerate(task.options):
        if option.event and i not in right and now.happens(option.event):
            raise Rejected(Reason.OPTIONS, f"“{option.text}” happens too, so it is not wrong.")


def right_options(item: Com2Item) -> frozenset[int]:
    """The derived answer of an item with one task; raises `Rejected` without any."""
    (task,) = item.tasks
    derivation = derive(item, task)
    if derivation.gold is None:
        raise Rejected(Reason.ANSWER, f"No answer follows from the graph: {derivation.why}.")
    return derivation.gold


def _options(
    make: Make, paths: list[tuple[str, ...]], chains: Chains, asked: Asked
) -> tuple[Option, ...]:
    if make is Make.DECISION:
        first, *others = paths
        numbered = (*first, *(event for path in others for event in path[1:]))
        return tuple(
            Option(choice.text, prevents=numbered[choice.stops - 1] if choice.stops else "")
            for choice in asked.options
        )
    # Any event, not only a tail: an intermediate event that happens is not wrong.
    known = {
        normalise(text): event
        for chain, path in zip(chains.chains, paths, strict=True)
        for text, event in zip(chain.events, path, strict=True)
    }
    return tuple(Option(c.text, event=known.get(normalise(c.text), "")) for c in asked.options)
