"""`runs compare`: two runs, or several against the first, question by question."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.runs.comparison import ALL_RIGHT, Comparison, LayerComparison, Pair, compare
from core.runs.outcomes import Outcome
from core.runs.replay import conditions
from core.statistics.paired import PairedDifference
from tui.cli import completion
from tui.cli.figures import print_table
from tui.cli.lookup import open_store
from tui.cli.options import JsonOption, StoreOption
from tui.cli.output import out, out_json

_SHOWN_FLIPS = 20


def compare_runs(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN RUN...",
            help="Two runs or more; all others are compared with the first.",
            show_default=False,
            autocompletion=completion.runs,
        ),
    ],
    flips: Annotated[
        bool,
        typer.Option("--flips", help="List every question that one run has right and one wrong."),
    ] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare runs question by question.

    Only questions that both runs answered count. The interval of a difference is a percentile
    bootstrap over families, pairings, graphs or head events, 10,000 draws with a fixed seed; the
    p-value is that of the exact McNemar test, and needs the extra `stats`.
    """
    if len(names) < 2:
        raise typer.BadParameter("Name two runs or more.", param_hint="RUN")
    with open_store(store, create=False) as opened:
        comparisons = [compare(opened, names[0], name) for name in names[1:]]
    if as_json:
        out_json({"comparisons": [_comparison_json(each) for each in comparisons]})
        return
    for index, comparison in enumerate(comparisons):
        if index:
            out()
        _print(comparison, all_flips=flips)


def _print(comparison: Comparison, *, all_flips: bool) -> None:
    for letter, run in zip("AB", (comparison.first, comparison.second), strict=True):
        out(f"{letter}  {run.id}: {run.plan.model}, {conditions(run.plan)}")
    for condition in comparison.unlike:
        out(f"   Unlike in more than the model: {condition}")
    print_table(
        "B minus A, over the questions that both answered",
        (
            "layer",
            "n",
            "A",
            "B",
            "difference",
            "95 % interval",
            "only A : only B",
            "p",
            "80 % power",
        ),
        [row for layer in comparison.layers for row in _rows(layer)],
    )
    for line in _notes(comparison):
        out(f" {line}")
    failures = comparison.first_failures
    names = list(dict.fromkeys([layer.layer for layer in comparison.layers] + [ALL_RIGHT]))
    out()
    print_table(
        "Items by first wrong layer: rows A, columns B",
        ("", *names),
        [(row, *(str(failures.get((row, column), 0)) for column in names)) for row in names],
    )
    if comparison.flips:
        shown = comparison.flips if all_flips else comparison.flips[:_SHOWN_FLIPS]
        out()
        print_table(
            "Questions that one run has right and the other wrong",
            ("item", "layer", "A", "B"),
            [_flip(pair) for pair in shown],
        )
        if len(shown) < len(comparison.flips):
            out(f" {len(comparison.flips) - len(shown)} more: --flips lists all.")


def _rows(layer: LayerComparison) -> list[tuple[str, ...]]:
    rows = [
        (
            layer.layer,
            *_difference(layer.difference),
            f"{layer.first_only} : {layer.second_only}",
            _p(layer.p),
            "" if layer.detectable is None else f"{layer.detectable:.3f}",
        )
    ]
    if layer.soft is not None:
        rows.append(
            (f"{layer.layer}, soft score", *_difference(layer.soft), "", _p(layer.soft_p), "")
        )
    return rows


def _difference(each: PairedDifference) -> tuple[str, ...]:
    interval = (
        "no interval" if each.interval is None else "{:+.3f} to {:+.3f}".format(*each.interval)
    )
    return (
        str(each.n),
        f"{each.first:.3f}",
        f"{each.second:.3f}",
        f"{each.difference:+.3f}",
        interval,
    )


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return "< .001" if p < 0.001 else f"{p:.3f}"


def _notes(comparison: Comparison) -> list[str]:
    notes = []
    unpaired = comparison.only_first, comparison.only_second
    if any(unpaired):
        notes.append(
            "Not compared, because the other run did not answer them: "
            f"{unpaired[0]} questions of A, {unpaired[1]} of B. A layer that is asked only after a "
            "right answer is compared over the items that both runs had right before."
        )
    if any(layer.p is None for layer in comparison.layers):
        notes.append("For p-values install the extra: pip install 'commonsense-tui[stats]'.")
    else:
        notes.append(
            "p: exact McNemar test, questions taken as independent; of soft scores a permutation "
            "test by cluster."
        )
    notes.append("80 % power: the smallest difference that so many questions would show.")
    return notes


def _flip(pair: Pair) -> tuple[str, ...]:
    return (pair.first.item, pair.first.layer, _mark(pair.first), _mark(pair.second))


def _mark(outcome: Outcome) -> str:
    return "right" if outcome.right else "wrong"


def _comparison_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "runs": [
            {"id": run.id, "model": run.plan.model} for run in (comparison.first, comparison.second)
        ],
        "unlike": comparison.unlike,
        "not_compared": [comparison.only_first, comparison.only_second],
        "layers": [
            {
                "layer": layer.layer,
                **_difference_json(layer.difference),
                "both_right": layer.both_right,
                "only_first": layer.first_only,
                "only_second": layer.second_only,
                "both_wrong": layer.both_wrong,
                "mcnemar_p": layer.p,
                "detectable": layer.detectable,
                "soft": None
                if layer.soft is None
                else {**_difference_json(layer.soft), "permutation_p": layer.soft_p},
            }
            for layer in comparison.layers
        ],
        "first_wrong_layers": [
            {"first": first, "second": second, "items": count}
            for (first, second), count in comparison.first_failures.items()
        ],
        "flips": [
            {
                "item": pair.first.item,
                "layer": pair.first.layer,
                "right": [pair.first.right, pair.second.right],
                "picks": [pair.first.picks, pair.second.picks],
            }
            for pair in comparison.flips
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
