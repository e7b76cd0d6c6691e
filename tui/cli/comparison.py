"""`runs compare`: two runs, or several against the first, question by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from core.contract import registry
from core.contract.task_layer import layer_id
from core.exchange.published.comparability import Comparability
from core.runs.adjusted_tests import adjusted
from core.runs.comparison import Comparison, NotComparableError, compare
from core.runs.comparison_tables import (
    about_many_tests,
    conditions_and_left_out,
    counts_table,
    figures_table,
    first_wrong_table,
    layers_table,
    run_line,
)
from core.runs.heat_map import heat_map
from core.runs.pairs import Flip, Outcome
from core.runs.store import Store
from core.runs.summaries import summarise
from core.statistics.paired import PairedDifference
from tui.cli import completion
from tui.cli.comparability import (
    common_figures,
    comparability_json,
    figures_json,
    print_comparability_of_two,
    published_beside,
)
from tui.cli.figures import print_grid, print_table
from tui.cli.lookup import check_named_once, open_store
from tui.cli.options import JsonOption, StoreOption
from tui.cli.output import out, out_json, say

_SHOWN_FLIPS = 20


def compare_runs(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN RUN...",
            help="Two runs or more; all others are compared with the first.",
            autocompletion=completion.runs,
        ),
    ],
    flips: Annotated[
        bool,
        typer.Option("--flips", help="List every question that one run has right and one wrong."),
    ] = False,
    task_layer: Annotated[
        str | None, typer.Option("--task-layer", metavar="L", help="Compare this task layer only.")
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare runs question by question.

    Only questions that both runs answered count. The interval of a difference takes families of
    stories, pairings, graphs or head events as cases, with Student's t. The p-value is that of the
    exact McNemar test, which needs the extra `stats`; for soft scores that of a permutation test by
    cluster. Beside more than ten p-values stand Holm's adjusted ones. Of three runs or more, those
    that have nothing to compare with the first are left out, and it is said why.
    """
    if len(names) < 2:
        raise typer.BadParameter("Name two runs or more.", param_hint="RUN")
    check_named_once(names)
    with open_store(store, create=False) as opened:
        comparisons, left_out = _compared(opened, names)
        beside = [_beside(opened, each) for each in comparisons]
        runs = [comparisons[0].first, *(each.second for each in comparisons)]
        benchmark = registry.installed(runs[0].plan.benchmark)
        rows = heat_map(opened, runs, benchmark) if as_json else []
    if task_layer is not None:
        comparisons = [_restricted(each, task_layer) for each in comparisons]
    comparisons = adjusted(comparisons)
    if as_json:
        first, *others = map(_comparison_json, comparisons, beside)
        document = first | ({"others": others} if others else {})
        left = [{"run": name, "why": str(error)} for name, error in left_out.items()]
        out_json(document | {"left_out": left, "heat_map": [row._asdict() for row in rows]})
        return
    for index, comparison in enumerate(comparisons):
        if index:
            out()
        _print(comparison, beside[index], all_flips=flips)
    if sentence := about_many_tests(comparisons):
        out(f"\n {sentence}")


def _compared(
    store: Store, names: Sequence[str]
) -> tuple[list[Comparison], dict[str, NotComparableError]]:
    """The first run compared with each of the others, and why some of these are left out.

    Raises `NotComparableError` where all are.
    """
    comparisons: list[Comparison] = []
    left_out: dict[str, NotComparableError] = {}
    for name in names[1:]:
        try:
            comparisons.append(compare(store, names[0], name))
        except NotComparableError as error:
            left_out[name] = error
    if not comparisons:
        raise next(iter(left_out.values()))
    for name, why in left_out.items():
        say(f"{name} is left out. {why}")
    return comparisons, left_out


_Both = tuple[Comparability, Comparability]


def _beside(store: Store, comparison: Comparison) -> _Both | None:
    """What is published beside either run; None where no figures of the benchmark are compared."""
    if not comparison.figures:
        return None
    first, second = (
        published_beside(store, run, summarise(store, run))
        for run in (comparison.first, comparison.second)
    )
    return first, second


def _print(comparison: Comparison, beside: _Both | None, *, all_flips: bool) -> None:
    for letter, run in zip("AB", (comparison.first, comparison.second), strict=True):
        out(f"{letter}  {run.id}: {run_line(run)}")
    for line, _role in conditions_and_left_out(comparison):
        out(f"   {line}")
    figures = figures_table(comparison)
    print_grid(layers_table(comparison))
    out()
    print_grid(counts_table(comparison))
    out()
    if figures is not None:
        print_grid(figures)
        if beside is not None:
            print_comparability_of_two(*beside)
        out()
    elif comparison.why_no_figures:
        out(f" {comparison.why_no_figures}\n")
    print_grid(first_wrong_table(comparison))
    if comparison.flips:
        shown = comparison.flips if all_flips else comparison.flips[:_SHOWN_FLIPS]
        out()
        print_table(
            "Questions that one run has right and the other wrong",
            ("item", "layer", "A", "B"),
            [_flip(flip) for flip in shown],
        )
        if len(shown) < len(comparison.flips):
            out(f" {len(comparison.flips) - len(shown)} more: --flips lists all.")


def _flip(flip: Flip) -> tuple[str, ...]:
    return (flip.item, flip.layer, _mark(flip.first), _mark(flip.second))


def _mark(outcome: Outcome) -> str:
    return "right" if outcome.right else "wrong"


def _restricted(comparison: Comparison, layer: str) -> Comparison:
    """The comparison of one task layer; raises `NotFoundError` if the runs do not share it."""
    layer = layer_id((each.layer for each in comparison.layers), layer)
    return replace(
        comparison,
        layers=tuple(each for each in comparison.layers if each.layer == layer),
        figures=(),
        why_no_figures="",
        flips=tuple(flip for flip in comparison.flips if flip.layer == layer),
    )


def _comparison_json(comparison: Comparison, beside: _Both | None) -> dict[str, Any]:
    runs = comparison.first, comparison.second
    return {
        "runs": [run.id for run in runs],
        "models": [run.plan.model for run in runs],
        "differs": comparison.unlike,
        "not_compared": [comparison.only_first, comparison.only_second],
        "same_questions": comparison.same_questions,
        "profile": comparison.profile,
        "layers": {
            layer.layer: {
                **_difference_json(layer.difference),
                "both": layer.both_right,
                "only_a": layer.first_only,
                "only_b": layer.second_only,
                "neither": layer.both_wrong,
                "not_read": layer.unread,
                "ties": layer.ties,
                "right_ties": layer.right_ties,
                "p": layer.p,
                "holm_p": layer.holm_p,
                "detectable": layer.detectable,
                "soft": None
                if layer.soft is None
                else {
                    **_difference_json(layer.soft),
                    "p": layer.soft_p,
                    "holm_p": layer.soft_holm_p,
                },
            }
            for layer in comparison.layers
        },
        "metrics": {
            figure.name: {
                "n": figure.n,
                "values": [figure.first, figure.second],
                "difference": figure.difference,
                "interval": figure.interval,
            }
            for figure in comparison.figures
        },
        "why_no_metrics": comparison.why_no_figures,
        "published": None
        if beside is None
        else {
            "comparable": figures_json(common_figures(*beside)),
            "differs": [comparability_json(each)["differs"] for each in beside],
        },
        "first_wrong_layers": [
            {"layers": layers, "items": count}
            for layers, count in comparison.first_failures.items()
        ],
        "flipped": [
            {
                "item": flip.item,
                "layer": flip.layer,
                "answers": [flip.first.picks, flip.second.picks],
                "right": [flip.first.right, flip.second.right],
            }
            for flip in comparison.flips
        ],
    }


def _difference_json(each: PairedDifference) -> dict[str, Any]:
    return {
        "n": each.n,
        "clusters": each.clusters,
        "values": [each.first, each.second],
        "difference": each.difference,
        "interval": each.interval,
    }
