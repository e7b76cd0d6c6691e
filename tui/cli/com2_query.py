"""`com2 query` and `com2 separate`: probabilities and d-separation in a causal event graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.graph import CausalEventGraph
from core.benchmarks.com2.query import Mechanism, Query, Result, run_query
from core.benchmarks.com2.scenarios import sound
from core.benchmarks.com2.separation import (
    adjustment_set,
    is_adjustment_set,
    minimal_separator,
    separated,
)
from core.benchmarks.com2.worlds import depends_on_mechanism, world
from core.text.errors import DataError, NotFoundError, SettingError
from core.text.escaping import escape_control_characters
from tui.cli.lookup import check_choice, exists, find_item
from tui.cli.options import DataOption, GraphArgument, JsonOption
from tui.cli.output import out, out_json, out_line

_MOST_SAMPLES = 10_000_000
_GRAPH_HINT = "Name a file with one graph, or the id of one, such as ring-road."
_BADGE = "Depends on mechanism choice: causes are swapped."


def query(
    graph: GraphArgument,
    data: DataOption = None,
    do: Annotated[
        list[str] | None,
        typer.Option(
            "--do",
            metavar="E=0/1",
            help="Intervene: set an event to 0 or 1 from outside. Repeatable.",
        ),
    ] = None,
    observe: Annotated[
        list[str] | None,
        typer.Option(
            "--observe", metavar="E=0/1", help="Condition on an event being 0 or 1. Repeatable."
        ),
    ] = None,
    imagine: Annotated[
        list[str] | None,
        typer.Option(
            "--imagine",
            metavar="E=0/1",
            help="Ask the counterfactual in which an event is 0 or 1; --observe is then evidence "
            "about the factual world. Repeatable.",
        ),
    ] = None,
    mechanism: Annotated[
        str,
        typer.Option(
            "--mechanism",
            help="Combine causes by boolean rules or, as an illustration, by noisy-or.",
        ),
    ] = "boolean",
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            min=1,
            max=_MOST_SAMPLES,
            help="Estimate from this many sampled worlds instead of exactly.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Sample with this seed.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Print the probability of every event of a graph.

    Where it is sampled, its standard error stands beside it.
    """
    check_choice(mechanism, Mechanism, "mechanism", "--mechanism")
    asked = Query(
        _states("--do", do),
        _states("--observe", observe),
        _states("--imagine", imagine),
        Mechanism(mechanism),
    )
    opened = _graph(graph, data)
    if samples is None:
        result = world(opened, asked, seed=seed).result
    else:
        result = run_query(opened, asked, samples=samples, seed=seed)
    swapped = depends_on_mechanism(opened, asked)
    if as_json:
        out_json(
            {
                "p": result.p,
                "method": result.method.value,
                "se": result.se,
                "n": result.n,
                "mechanism": asked.mechanism.value,
                "rung": _rung(asked),
                "depends_on_mechanism": swapped,
            }
        )
        return
    _print(opened, asked, result)
    if swapped:
        out(_BADGE)


def separate(
    graph: GraphArgument,
    cause: Annotated[str, typer.Argument(metavar="CAUSE", help="The id of an event.")],
    effect: Annotated[str, typer.Argument(metavar="EFFECT", help="The id of another event.")],
    given: Annotated[
        list[str] | None,
        typer.Option("--given", metavar="E", help="Condition on this event. Repeatable."),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print whether two events are d-separated.

    Also prints the smallest separator and a back-door adjustment set, with which the effect of
    setting CAUSE can be estimated from observations.
    """
    opened, known = _graph(graph, data), given or []
    apart = separated(opened, cause, effect, known)
    separator = minimal_separator(opened, cause, effect)
    adjust = adjustment_set(opened, cause, effect)
    enough = is_adjustment_set(opened, cause, effect, known)
    if as_json:
        out_json(
            {
                "separated": apart,
                "separator": separator,
                "adjustment": adjust,
                "given_adjusts": enough,
            }
        )
        return
    when = f" given {', '.join(known)}" if known else ""
    out_line(f"{cause} and {effect} are {'separated' if apart else 'connected'}{when}.")
    out_line(f"Smallest separator: {_listed(separator, 'none, they are linked')}.")
    out_line(f"Adjust for: {_listed(adjust, f'not possible, {effect} causes {cause}')}.")
    if known:
        out(f"What is given is {'' if enough else 'not '}enough to adjust for.")


def _graph(name: str, data: Path | None) -> CausalEventGraph:
    """Open the graph, without the drifting links that carry no effect by themselves.

    Raises `DataError` and `NotFoundError`.
    """
    path = Path(name)
    if data is None and path.suffix in {".yaml", ".yml"}:
        if not exists(path):
            raise NotFoundError("There is no such file.", where=name, hint=_GRAPH_HINT)
        return sound(read_item(path).graph)
    try:
        return sound(find_item(Com2(), name, data)[1].graph)
    except DataError as error:
        if data is not None or not (exists(path) and path.is_dir()):
            raise
        raise DataError(
            "A query is about one graph, and this is a folder.",
            where=name,
            hint=(
                "Name one of its files, or an id: com2 query ID --data "
                f"{escape_control_characters(name)}"
            ),
        ) from error


def _states(option: str, words: Sequence[str] | None) -> dict[str, bool]:
    """Parse words `E=0` and `E=1` into events with values; raises `SettingError`."""
    states: dict[str, bool] = {}
    for word in words or ():
        event_id, equals, value = word.rpartition("=")
        event_id = event_id.strip()
        if not equals or not event_id or value.strip() not in {"0", "1"}:
            raise SettingError(
                f"“{word}” is not an event with 0 or 1.", where=option, hint=f"Write {option} E=1."
            )
        happens = value.strip() == "1"
        if states.setdefault(event_id, happens) != happens:
            raise SettingError(
                f"“{event_id}” is set to 0 and to 1.",
                where=option,
                hint="Remove one of the two.",
            )
    return states


def _rung(asked: Query) -> str:
    """The rung of the ladder of causation that a query stands on (Pearl, 2009)."""
    return "imagine" if asked.imagine else "do" if asked.do else "see"


def _print(graph: CausalEventGraph, asked: Query, result: Result) -> None:
    how = result.method.value
    if result.n:
        how = f"{how}, {result.n:,} worlds"
    illustrative = "" if asked.mechanism.value == "boolean" else ", illustrative"
    out(f"{_rung(asked)} · {asked.mechanism.value}{illustrative} · {how}")
    for event in graph.events:
        spread = f" ± {result.se[event.id]:.4f}" if result.se else ""
        out_line(f"  {result.p[event.id]:.4f}{spread}  {event.id}: {event.text}")


def _listed(events: Sequence[str] | None, otherwise: str) -> str:
    if events is None:
        return otherwise
    return ", ".join(events) or "nothing"
