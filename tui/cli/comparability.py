"""Prints the published figures that may stand beside those of runs, or why none may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.contract import registry
from core.contract.summary import Summary
from core.exchange.published import library
from core.exchange.published.comparability import (
    Comparability,
    ComparableFigure,
    comparability,
    hashed_layer,
)
from core.exchange.published.released import questions_hash
from core.exchange.published.table import PublishedFigure, PublishedTable, Unit
from core.runs.records import Run
from core.runs.store import Store
from core.text.errors import CommonsenseError
from tui.cli.figures import print_table, table_parts, table_width
from tui.cli.output import out, out_note

_LONGEST_FIGURE = 8
"""Most characters of a published figure that are printed in a table of figures; longer ones are
rounded to four decimals."""


def published_beside(store: Store, run: Run, summary: Summary) -> Comparability:
    """Hold the published figures of a run's benchmark against its own."""
    layer, tables = hashed_layer(run.plan.benchmark), library.tables_of(run.plan.benchmark)
    return comparability(
        run,
        summary,
        tables,
        questions_hash=questions_hash(store, run.id, layer) if layer else "",
        bundled=_have_metrics(tables) and _is_bundled(run),
    )


def print_comparability(beside: Comparability) -> None:
    """Print the published rows beside the run's own figures, or one line that says why not."""
    if not beside.comparable:
        out_note(f"Not compared with published figures: {beside.why_not}.")
        return
    _print_rows(beside.comparable, [("this run", {_key(b): _own(b) for b in beside.comparable})])


def print_comparability_of_two(first: Comparability, second: Comparability) -> None:
    """Print the published rows that may stand beside both runs, or one line that says why not."""
    common = common_figures(first, second)
    if common:
        rows = [
            (letter, {_key(b): _own(b) for b in beside.comparable})
            for letter, beside in (("A", first), ("B", second))
        ]
        _print_rows(common, rows)
        return
    reasons = [
        f"{letter}: {beside.why_not}"
        for letter, beside in (("A", first), ("B", second))
        if not beside.comparable
    ]
    why = "; ".join(reasons) or "no published row was asked as both runs were"
    out_note(f"Not compared with published figures: {why}.")


def common_figures(first: Comparability, second: Comparability) -> list[ComparableFigure]:
    """The published figures that may stand beside both runs."""
    others = {_place(each.published) for each in second.comparable}
    return [each for each in first.comparable if _place(each.published) in others]


def comparability_json(beside: Comparability) -> dict[str, Any]:
    """The published figures as fields of a JSON document, as printed and as numbers."""
    return {
        "comparable": figures_json(beside.comparable),
        "differs": [
            {
                "table": rows.table,
                "source": f"{rows.paper}, {rows.source}",
                "rows": rows.rows,
                "why": rows.reasons,
            }
            for rows in beside.unlike
        ],
    }


def figures_json(figures: Sequence[ComparableFigure]) -> list[dict[str, Any]]:
    """Published figures with the run's own of the same name."""
    return [
        {
            "metric": each.figure.name,
            "here": each.figure.value,
            "n": each.figure.n,
            "row": each.published.row,
            "kind": each.published.kind.value,
            "published": each.published.value,
            "printed": each.published.text,
            "unit": each.published.unit.value,
            "table": each.published.table,
            "source": f"{each.published.paper}, {each.published.source}",
            "not_stated": each.not_stated,
        }
        for each in figures
    ]


def _print_rows(
    figures: Sequence[ComparableFigure], own: Sequence[tuple[str, dict[tuple[str, str], str]]]
) -> None:
    """One table for each published table, the runs' own rows first."""
    for table in dict.fromkeys(each.published.table for each in figures):
        shown = [each for each in figures if each.published.table == table]
        first = shown[0].published
        metrics = list(dict.fromkeys(each.figure.name for each in shown))
        published = {(e.published.row, e.figure.name): _printed(e.published) for e in shown}
        rows = [
            (name, *(values.get((table, metric), "-") for metric in metrics))
            for name, values in own
        ]
        rows += [
            (row, *(published.get((row, metric), "-") for metric in metrics))
            for row in dict.fromkeys(each.published.row for each in shown)
        ]
        out()
        columns = ("", *metrics)
        for part in table_parts(columns, rows, table_width()):
            print_table(
                f"Published beside it ({first.unit.value})",
                tuple(columns[i] for i in part),
                [tuple(row[i] for i in part) for row in rows],
            )
        out(f" {first.paper}, {first.source}")
        unknown = dict.fromkeys(name for each in shown for name in each.not_stated)
        if unknown:
            out(f" The source does not state: {', '.join(unknown)}.")
        out(f" commonsense-tui published show {table}: its conditions and notes")


def _key(each: ComparableFigure) -> tuple[str, str]:
    return each.published.table, each.figure.name


def _place(figure: PublishedFigure) -> tuple[str, str, str]:
    return figure.table, figure.row, figure.column


def _own(each: ComparableFigure) -> str:
    """The run's figure in the unit of the published one."""
    value = each.figure.value or 0.0
    return f"{value * 100:.2f}" if each.published.unit is Unit.PERCENT else f"{value:.4f}"


def _printed(figure: PublishedFigure) -> str:
    return figure.text if len(figure.text) <= _LONGEST_FIGURE else f"{figure.value:.4f}"


def _have_metrics(tables: Sequence[PublishedTable]) -> bool:
    return any(column.metric for table in tables for column in table.columns)


def _is_bundled(run: Run) -> bool:
    """Whether a run's items are bundled ones, wherever they were read from."""
    try:
        benchmark = registry.load(run.plan.benchmark)
        bundled = (benchmark.samples(), *benchmark.more_samples())
        hashes = {registry.open_collection(benchmark, path).content_hash for path in bundled}
    except CommonsenseError:
        return False
    return run.plan.collection_hash in hashes
