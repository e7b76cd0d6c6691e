"""The released questions of Com²: rows of `main.json`, `hard.json` and `train.json` as items.

A row of main and train has `type`, `question`, `options` and `answer`, in main also `chains` and
`thinking_process`; a detective case of hard has `type`, `crime`, `facts`, `Q`, `O` and `A`. The
type `reco` is what Xiong et al. (2025), Table 1, call transition. `scenario` and `model` are
not read.

The chains are text. They are read as links; chains share events only where they begin alike:

* direct, decision, transition: the first chain is the sound one; in a decision its tail is bad.
* intervention: the first chain does not reach its tail, the second one does (section 2.4). The
  data does not say where the first is cut, so what is set is its tail.
* counterfactual: the events where the second chain leaves the first are imagined, the first's
  away and the second's instead.

An option stands for a tail where its text and the tail's are the same; where the tail that should
be right equals no option or several of them, nothing is derived.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event
from core.benchmarks.com2.item import (
    HARD_SCENARIOS,
    RELEASED_TYPES,
    Case,
    Com2Item,
    Option,
    Scenario,
    Task,
    letter,
)
from core.benchmarks.com2.released_options import answer_of, options_of
from core.benchmarks.com2.scenarios import comparable
from core.text.errors import DataError
from core.text.language import _
from core.text.suggestions import suggestion

MOST_CHAINS = 20
MOST_EVENTS = 100
"""Most events of a chain."""
_SECOND = (Scenario.INTERVENTION, Scenario.COUNTERFACTUAL)
"""Scenarios whose right option is the tail of the second chain."""
LONGEST_EVENT = 2_000
"""Most characters of an event of a chain."""
_WRAPPED = re.compile(r"Counterfactual_of_given_event\s*\((.*)\)", re.DOTALL)
_ARROW = re.compile("->|→")
_NUMBERED = re.compile(r"^\s*(?:[-*]\s+)?\d{1,3}[.):]\s+")


class Parts(NamedTuple):
    """The checked contents of a row, and what was repaired to read it."""

    scenario: Scenario
    question: str
    options: tuple[str, ...]
    right: frozenset[int] | None
    chains: Sequence[Sequence[str]]
    case: Case | None
    thinking: str
    repairs: tuple[str, ...]


def parts_of(row: Any, where: str) -> Parts:
    """Check a decoded row; raises `DataError`."""
    if not isinstance(row, Mapping):
        raise DataError(_("A row is a JSON object."), where=where)
    hard = "crime" in row
    scenario = _scenario(row.get("type"), where, hard=hard)
    repairs: list[str] = []
    multiple = scenario is Scenario.DECISION
    offered = options_of(_first(row, ("options", "O")), where, repairs)
    return Parts(
        scenario,
        _text(row, ("question", "Q"), where),
        offered.texts,
        answer_of(_first(row, ("answer", "A")), offered, where, repairs, multiple=multiple),
        _chains(row.get("chains"), repairs),
        Case(_text(row, ("crime",), where), _facts(row.get("facts"), where)) if hard else None,
        _optional(row.get("thinking_process")),
        tuple(repairs),
    )


def released_item(parts: Parts, item_id: str) -> Com2Item:
    """The item of a row, with the graph of its chains."""
    named, graph = _graph(parts.chains, parts.scenario)
    task = _task(parts.scenario, parts.question, parts.options, named, graph)
    return Com2Item(
        item_id,
        graph,
        (replace(task, released=parts.right, thinking=parts.thinking),),
        case=parts.case,
        hard=parts.case is not None,
        warnings=tuple(f"Repaired on reading: {repair}." for repair in parts.repairs),
    )


def _scenario(name: Any, where: str, *, hard: bool) -> Scenario:
    known = [scenario.value for scenario in HARD_SCENARIOS] if hard else list(RELEASED_TYPES)
    word = name.strip().lower() if isinstance(name, str) else ""
    if word not in known:
        what = "no text" if not isinstance(name, str) else f"“{name[:60]}”"
        kind = "a detective case" if hard else "a question"
        raise DataError(
            _("“type” is {what}, which is not a type of {kind}.", what=what, kind=kind),
            where=where,
            hint=suggestion("Types", known, word[:60]),
        )
    return RELEASED_TYPES[word]


def _first(row: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """The value of the first key that is there."""
    return next((row[key] for key in keys if key in row), None)


def _text(row: Mapping[str, Any], keys: Sequence[str], where: str) -> str:
    value = _first(row, keys)
    if not isinstance(value, str) or not value.strip():
        raise DataError(_("“{keys}” is missing or no text.", keys=keys[0]), where=where)
    return value.strip()


def _optional(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _facts(value: Any, where: str) -> tuple[str, ...]:
    """The facts of a case, from a list or from one text with a fact a line."""
    lines = value.splitlines() if isinstance(value, str) else value
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise DataError(_("“facts” are neither a list of texts nor a text."), where=where)
    facts = (_NUMBERED.sub("", line).strip() for line in lines)
    return tuple(fact for fact in facts if fact)


def _chains(value: Any, repairs: list[str]) -> list[list[str]]:
    """The texts of the chains, root first; none where they are missing or no chains."""
    if value is None:
        return []
    chains = [_chain(part) for part in value] if isinstance(value, list) else [None]
    if len(chains) > MOST_CHAINS or any(chain is None for chain in chains):
        repairs.append("its chains are no lists of short texts, so it is shown without them")
        return []
    read = [chain for chain in chains if chain]
    for number, chain in enumerate(read, 1):
        for i, text in enumerate(chain):
            wrapped = _WRAPPED.fullmatch(text.removesuffix(".").rstrip())
            if wrapped and wrapped[1].strip():
                chain[i] = wrapped[1].strip()
                repairs.append(f"“{chain[i][:60]}” stood in Counterfactual_of_given_event()")
        texts = [comparable(text) for text in chain]
        repeated = next((chain[i] for i, text in enumerate(texts) if text in texts[:i]), "")
        if repeated:
            repairs.append(f"chain {number} says “{repeated[:60]}” twice, as two events here")
    return read


def _chain(part: Any) -> list[str] | None:
    """One chain, a list of texts or a text with arrows; None where it is neither, or too long."""
    texts = _ARROW.split(part) if isinstance(part, str) else part
    if not isinstance(texts, list) or len(texts) > MOST_EVENTS:
        return None
    if not all(isinstance(text, str) for text in texts):
        return None
    events = [text.strip() for text in texts if text.strip()]
    return events if all(len(text) <= LONGEST_EVENT for text in events) else None


def _graph(
    chains: Sequence[Sequence[str]], scenario: Scenario
) -> tuple[list[tuple[str, ...]], CausalEventGraph]:
    """The ids of each chain's events, and the graph: chains share how they begin.

    The chains' roots happen; the second root of a counterfactual is only imagined.
    """
    events: dict[str, Event] = {}
    links: dict[tuple[str, str], CausalLink] = {}
    ids: dict[tuple[str, ...], str] = {}
    named: list[tuple[str, ...]] = []
    for number, chain in enumerate(chains):
        own: list[str] = []
        begun = tuple[str, ...]()
        for i, text in enumerate(chain):
            begun = (*begun, comparable(text))
            event_id = ids.setdefault(begun, f"{letter(number).lower()}{i + 1}")
            happens = i == 0 and not (scenario is Scenario.COUNTERFACTUAL and number)
            events.setdefault(event_id, Event(event_id, text, leak=float(happens)))
            own.append(event_id)
        for cause, effect in pairwise(own):
            links.setdefault((cause, effect), CausalLink(cause, effect))
        named.append(tuple(own))
    return named, CausalEventGraph(tuple(events.values()), tuple(links.values()))


def _task(
    scenario: Scenario,
    question: str,
    texts: Sequence[str],
    chains: Sequence[tuple[str, ...]],
    graph: CausalEventGraph,
) -> Task:
    """The task, with the events of the chains that its options name."""
    at = 1 if scenario in _SECOND else 0
    if len(chains) <= at:
        options = tuple(Option(text) for text in texts)
        return Task(scenario, question, options, distractors=tuple(chains))
    path = chains[at]
    others = tuple(chain for i, chain in enumerate(chains) if i != at and chain != path)
    do: dict[str, bool] = {}
    imagine: dict[str, bool] = {}
    if scenario is Scenario.INTERVENTION and chains[0][-1] not in path:
        do = {chains[0][-1]: False}
    if scenario is Scenario.COUNTERFACTUAL:
        new = next((event for event in path if event not in chains[0]), "")
        old = next((event for event in chains[0] if event not in path), "")
        imagine = {event: there for event, there in ((old, False), (new, True)) if event}
        # What leads to an imagined event brings nothing about, so its link is no part of the path.
        path = path[path.index(new) :] if new else path
    bad = path[-1] if scenario is Scenario.DECISION else ""
    # Advice is no outcome: what an option of a decision prevents is not in the data.
    named = {} if bad else _matched(texts, path[-1], (c[-1] for c in others), graph)
    options = tuple(Option(text, named.get(i, "")) for i, text in enumerate(texts))
    return Task(
        scenario,
        question,
        options,
        path=path,
        distractors=others,
        do=do,
        imagine=imagine,
        bad=bad,
    )


def _matched(
    texts: Sequence[str], right: str, others: Iterable[str], graph: CausalEventGraph
) -> dict[int, str]:
    """Which option names which tail; nothing where the right tail is not exactly one option."""
    offered = [comparable(text) for text in texts]

    def places(event: str) -> list[int]:
        tail = comparable(graph.event(event).text)
        return [i for i, text in enumerate(offered) if text == tail]

    if len(places(right)) != 1:
        return {}
    named = {places(right)[0]: right}
    for other in others:
        for i in places(other):
            named.setdefault(i, other)
    return named
