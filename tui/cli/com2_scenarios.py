"""`com2 scenario` and `com2 score`: the right answer to a scenario, and the scores of answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from core.benchmarks.com2.answer_files import read_answers
from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.item import Com2Item, Scenario, letter
from core.benchmarks.com2.scenarios import derive
from core.benchmarks.com2.scoring import summarise
from core.benchmarks.com2.switches import Situation, situation, switches
from core.contract.setting import Setting, typed_values
from core.text.errors import NotFoundError
from core.text.quantities import counted
from tui.cli.figures import print_summary, summary_json
from tui.cli.lookup import check_choice, exists, find_item
from tui.cli.options import DataOption, GraphArgument, JsonOption, SetOption
from tui.cli.output import out, out_json, out_line


def scenario(
    graph: GraphArgument,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            help="Ask this scenario: direct, decision, transition, intervention or counterfactual.",
        ),
    ],
    data: DataOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the question and answer of a scenario.

    The answer is derived from the graph.
    """
    item = _item(graph, data)
    kinds = [task.scenario.value for task in item.tasks]
    check_choice(kind, Scenario, "scenario", "--kind")
    if kind not in kinds:
        raise NotFoundError(
            f"This graph comes without a {kind} question.",
            where=graph,
            hint=f"It has {', '.join(kinds)}." if kinds else "It has none at all.",
        )
    values = {**typed_values(settings or ()), "scenario": kind}
    now = situation(item, Setting.of(switches(item), values))
    assert now.task is not None
    derivation = derive(now.item, now.task, now.own)
    gold = sorted(derivation.gold) if derivation.gold is not None else None
    if as_json:
        out_json(
            {
                "item": item.id,
                "scenario": kind,
                "question": now.task.question,
                "options": [option.text for option in now.task.options],
                "multiple": now.task.multiple,
                "gold": gold,
                "answer": None if gold is None else [letter(i) for i in gold],
                "released": sorted(now.task.released) if now.task.released is not None else None,
                "why": derivation.why,
                "cuts": [sorted(cut) for cut in derivation.cuts],
                "path": now.task.path,
                **_worlds(now),
            }
        )
        return
    out_line(now.task.question)
    for i, option in enumerate(now.task.options):
        out_line(f" {'✓' if gold and i in gold else ' '} {letter(i)}) {option.text}")
    out_line(f"{derivation.why}.")


def _item(graph: str, data: Path | None) -> Com2Item:
    """Open the item of a file, or the one with an id."""
    path = Path(graph)
    if data is None and exists(path):
        return read_item(path)
    return find_item(Com2(), graph, data)[1]


def _worlds(now: Situation) -> dict[str, Any]:
    world = now.world()
    return {
        "do": now.query.do,
        "observe": now.query.observe,
        "imagine": now.query.imagine,
        "happens": {event.id: world.happens(event.id) for event in now.graph.events},
    }


def score(
    answers: Annotated[
        Path,
        typer.Option(
            "--answers",
            help="JSON lines with type, options, gold, and answer (letters) or text (a reply).",
        ),
    ],
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            help="Score by this profile: paper (every answer counts) or parsed (those that could "
            "be read).",
        ),
    ] = "paper",
    as_json: JsonOption = False,
) -> None:
    """Score answers as the paper does.

    Prints accuracy per scenario, then macro averages. A decision with some of the right options and
    no wrong one earns its share.
    """
    verdicts = read_answers(answers)
    summary = summarise(verdicts, profile)
    if as_json:
        scores = [
            {
                "id": verdict.item,
                "type": verdict.tags["scenario"],
                "picked": verdict.answers if verdict.multiple else verdict.answer,
                "gold": verdict.golds if verdict.multiple else verdict.gold,
                "status": verdict.status.value,
                "credit": verdict.credit,
            }
            for verdict in verdicts
        ]
        out_json({"profile": profile, **summary_json(summary), "scores": scores})
        return
    print_summary(f"{counted(len(verdicts), 'answer')}, {profile}", summary)
    out()
    for name, count in summary.counts.items():
        out(f" {name}: {count}")
