"""`abspyramid score`: scores predictions that another program made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from core.benchmarks.abspyramid.detection import score_detection
from core.benchmarks.abspyramid.generation import score_generation
from core.benchmarks.abspyramid.meteor import installed_meteor
from core.benchmarks.abspyramid.predictions import read_detections, read_generations
from core.benchmarks.abspyramid.relation_scores import Scores
from core.contract.summary import Summary
from core.text.errors import DataError, NotFoundError
from tui.cli.figures import baselines_json, print_summary
from tui.cli.lookup import check_choice
from tui.cli.options import JsonOption
from tui.cli.output import out, out_json


def score(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="What was predicted: detection or generation.")
    ],
    predictions: Annotated[
        Path,
        typer.Option(
            "--predictions",
            help="Read predictions from this file. Detection: JSON lines with label, p_yes, pred, "
            "type, event, or the authors' test_label.txt. Generation: JSON lines with label and "
            "pred, as the authors' test.jsonl.",
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Score predictions by relation and pooled.

    As the paper does. Each figure has its count and a 95 % interval. Tuples of one head event are
    alike, if the predictions name the events: accuracy has Wilson's interval for as many
    independent tuples as these are worth, the others a bootstrap over ten or more head events with
    a fixed seed.
    """
    check_choice(task, ("detection", "generation"), "task", "TASK")
    if task == "detection":
        scores = score_detection(read_detections(predictions))
    else:
        scores = _score_generation(predictions)
    if as_json:
        out_json({name: _json(each) for name, each in scores.items()})
        return
    for name, each in scores.items():
        _print(name, each)


def _score_generation(path: Path) -> dict[str, Scores]:
    predictions = read_generations(path)
    try:
        return score_generation(predictions, installed_meteor())
    except (NotFoundError, DataError) as missing:
        return score_generation(predictions, None, str(missing))


def _json(scores: Scores) -> dict[str, Any]:
    """Every figure by its name, then counts, intervals and baselines."""
    figures = scores.figures
    intervals = {figure.name: figure.interval for figure in figures if figure.interval}
    return {
        **{figure.name: figure.value for figure in figures},
        "n": scores.n,
        "denominators": {figure.name: figure.n for figure in figures},
        "intervals": intervals,
        "withheld": {figure.name: figure.withheld for figure in figures if figure.withheld},
        "baselines": baselines_json(figures),
        "figure_notes": {figure.name: figure.note for figure in figures if figure.note},
        "counts": scores.counts,
    }


def _print(name: str, scores: Scores) -> None:
    counts = scores.counts
    note = ", ".join(f"{count:,} {word.replace('_', ' ')}" for word, count in counts.items())
    summary = Summary(name, scores.figures, counts, (note,))
    print_summary(f"{name}: {scores.n:,} predictions", summary)
    out()
