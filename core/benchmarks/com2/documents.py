"""Reads items in our own form: a causal event graph with its tasks, one YAML file for each item.

`events` and `links` make the graph, `groups` say how causes combine, `tasks` hold the question of
each scenario, and `case` makes the item a detective story. The right options are not written: they
follow from the graph.

Two events with the same text stay two events, with a warning. Cycles, repeated links, links from
an event to itself and links from or to unknown events are errors.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from core.benchmarks.com2.graph import (
    CausalEventGraph,
    CausalLink,
    Event,
    Fault,
    GraphError,
    Group,
    Kind,
    Rule,
)
from core.benchmarks.com2.item import (
    LANGUAGES,
    MOST_OPTIONS,
    Case,
    Com2Item,
    Option,
    Scenario,
    Task,
)
from core.benchmarks.com2.scenarios import comparable
from core.files import strict_yaml
from core.files.strict_yaml import Value
from core.text.errors import ConfigError

_KEYS = ("id", "language", "title", "source", "events", "links", "groups", "tasks", "case")
_EVENT_KEYS = ("text", "gloss", "kind", "leak")
_LINK_KEYS = ("from", "to", "strength", "fault", "source", "evidence")
_TASK_KEYS = ("question", "options", "path", "distractors", "do", "observe", "imagine", "bad",
              "thinking")  # fmt: skip
_OPTION_KEYS = ("text", "event", "prevents")
_CASE_KEYS = ("crime", "facts", "suspects", "clue")
_MOST_WARNED = 8


def read_item(path: Path) -> Com2Item:
    """The item of a file, named after the file; raises `DataError` with file and line."""
    with strict_yaml.data_errors():
        return _item(strict_yaml.read(path, "The item"), path)


def _item(root: Value, path: Path) -> Com2Item:
    parts = root.members(_KEYS, ("events",), "An item has at least events.")
    graph = _graph(parts)
    tasks = []
    if "tasks" in parts:
        values = parts["tasks"].members([scenario.value for scenario in Scenario])
        tasks = [_task(Scenario(name), value, graph) for name, value in values.items()]
    case = _case(parts["case"], graph) if "case" in parts else None
    language = parts["language"].text() if "language" in parts else "en"
    if language not in LANGUAGES:
        raise parts["language"].error("The language must be en, it or zh.")
    return Com2Item(
        id=path.stem,
        graph=graph,
        tasks=tuple(sorted(tasks, key=lambda task: list(Scenario).index(task.scenario))),
        title=parts["title"].text() if "title" in parts else path.stem,
        language=language,
        case=case,
        hard=case is not None,
        warnings=_repeated(graph),
    )


def _repeated(graph: CausalEventGraph) -> tuple[str, ...]:
    """A warning for each event with the text of an earlier one."""
    first: dict[str, Event] = {}
    warnings = []
    for event in graph.events:
        before = first.setdefault(comparable(event.text), event)
        if before is not event:
            warnings.append(
                f"“{before.id}” and “{event.id}” have the same text and stay two events."
            )
    if len(warnings) > _MOST_WARNED:
        left = len(warnings) - _MOST_WARNED
        warnings[_MOST_WARNED:] = [f"More events with a text that was there before: {left:,}."]
    return tuple(warnings)


def _graph(parts: Mapping[str, Value]) -> CausalEventGraph:
    events = []
    for event_id, value in parts["events"].members().items():
        fields = value.members(_EVENT_KEYS, ("text",), "An event has at least a text.")
        events.append(
            Event(
                event_id,
                fields["text"].text(),
                gloss=_text(fields, "gloss"),
                kind=fields["kind"].one_of(Kind) if "kind" in fields else Kind.UNKNOWN,
                leak=_share(fields, "leak", 0.0),
            )
        )
    links = []
    for value in _listed(parts, "links"):
        fields = value.members(_LINK_KEYS, ("from", "to"), "A link has a from and a to.")
        links.append(
            CausalLink(
                fields["from"].text(),
                fields["to"].text(),
                strength=_share(fields, "strength", 1.0),
                fault=fields["fault"].one_of(Fault) if "fault" in fields else Fault.NONE,
                source=_text(fields, "source"),
                evidence=_text(fields, "evidence"),
            )
        )
    groups = []
    for value in _listed(parts, "groups"):
        keys = ("effect", "rule", "causes")
        fields = value.members(keys, keys, "A group has an effect, a rule and causes.")
        causes = tuple(cause.text() for cause in fields["causes"].parts())
        rule = fields["rule"].one_of(Rule)
        groups.append(Group(fields["effect"].text(), rule, causes))
    try:
        return CausalEventGraph(tuple(events), tuple(links), tuple(groups))
    except GraphError as error:
        raise _located(error, parts, events, links) from error


def _located(
    error: GraphError, parts: Mapping[str, Value], events: Sequence[Event], links: list[CausalLink]
) -> ConfigError:
    """The error at the line of the first link that causes it; else of the events or groups."""

    def error_with(count: int) -> GraphError | None:
        """The error of the graph with the first `count` links."""
        try:
            CausalEventGraph(tuple(events), tuple(links[:count]))
        except GraphError as graph_error:
            return graph_error
        return None

    count = bisect_left(range(len(links)), True, key=lambda count: error_with(count) is not None)
    first_error = error_with(count)
    if first_error is None:
        return parts["groups"].error(error.what, error.hint)
    value = parts["links"].parts()[count - 1] if count else parts["events"]
    return value.error(first_error.what, first_error.hint)


def _task(scenario: Scenario, value: Value, graph: CausalEventGraph) -> Task:
    fields = value.members(_TASK_KEYS, ("question", "options"), "A task has question and options.")
    event = _known(graph)
    options = []
    for part in fields["options"].parts():
        own = part.members(_OPTION_KEYS)
        named = event(own["event"]) if "event" in own else ""
        if "text" not in own and not named:
            raise part.error("An option has a text or an event.")
        text = own["text"].text() if "text" in own else graph.event(named).text
        options.append(Option(text, named, event(own["prevents"]) if "prevents" in own else ""))
    if len(options) > MOST_OPTIONS:
        raise fields["options"].error(
            f"These are {len(options):,} options.",
            f"Write at most {MOST_OPTIONS}: they are lettered A to Z.",
        )
    path = tuple(event(part) for part in _listed(fields, "path"))
    for cause, effect in pairwise(path):
        if graph.link(cause, effect) is None:
            raise fields["path"].error(f"The path goes from {cause} to {effect} without a link.")
    return Task(
        scenario,
        fields["question"].text(),
        tuple(options),
        path=path,
        distractors=tuple(
            tuple(event(part) for part in chain.parts()) for chain in _listed(fields, "distractors")
        ),
        do=_states(fields, "do", graph),
        observe=_states(fields, "observe", graph),
        imagine=_states(fields, "imagine", graph),
        bad=event(fields["bad"]) if "bad" in fields else "",
        thinking=_text(fields, "thinking"),
    )


def _case(value: Value, graph: CausalEventGraph) -> Case:
    fields = value.members(_CASE_KEYS, ("crime",), "A case has a crime.")
    event = _known(graph)
    return Case(
        fields["crime"].text(),
        tuple(part.text() for part in _listed(fields, "facts")),
        tuple(event(part) for part in _listed(fields, "suspects")),
        event(fields["clue"]) if "clue" in fields else "",
    )


def _states(fields: Mapping[str, Value], key: str, graph: CausalEventGraph) -> dict[str, bool]:
    if key not in fields:
        return {}
    states = {}
    for event_id, value in fields[key].members().items():
        if event_id not in graph.ids:
            raise value.error(f"There is no event “{event_id}”.")
        number = value.number()
        if number not in (0.0, 1.0):
            raise value.error(f"{event_id} must be 0 or 1.")
        states[event_id] = bool(number)
    return states


def _known(graph: CausalEventGraph) -> Callable[[Value], str]:
    """Reads the id of an event of the graph."""

    def event(value: Value) -> str:
        name = value.text()
        if name not in graph.ids:
            raise value.error(f"There is no event “{name}”.")
        return name

    return event


def _listed(fields: Mapping[str, Value], key: str) -> list[Value]:
    return fields[key].parts() if key in fields else []


def _text(fields: Mapping[str, Value], key: str) -> str:
    return fields[key].text() if key in fields else ""


def _share(fields: Mapping[str, Value], key: str, default: float) -> float:
    if key not in fields:
        return default
    number = fields[key].number()
    if not 0.0 <= number <= 1.0:
        raise fields[key].error(f"{key} must lie between 0 and 1.")
    return number
