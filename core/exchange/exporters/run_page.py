"""Runs as one page that works without the program, the network and scripts.

Figures with intervals and baselines, comparisons with the first run, and the most telling items
with their ladders and graphs. The page holds texts of the items. The template escapes all texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.contract.question import Verdict
from core.contract.summary import Summary
from core.contract.view import Grid
from core.exchange.exporters.figure_table import COLUMNS, figure_row
from core.exchange.exporters.inline_drawing import drawing_style
from core.exchange.exporters.run_items import (
    MOST_ITEMS,
    TellingItem,
    failed_items,
    flipped_items,
    telling_items,
)
from core.exchange.exporters.self_contained import (
    escape_texts,
    package_file,
    policy,
    template,
    variables,
)
from core.runs.comparison import Comparison
from core.runs.comparison_tables import (
    about_many_tests,
    conditions_and_left_out,
    counts_table,
    figures_table,
    first_wrong_table,
    layers_table,
)
from core.runs.questions import QuestionSource
from core.runs.records import Run
from core.runs.replay import conditions
from core.text.escaping import escape_control_characters
from core.text.language import in_english
from core.text.quantities import counted

_OWN_STYLE = """\
td, th { overflow-wrap: break-word; }
.asked { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 46rem; }
.drawing svg { max-width: 100%; height: auto; }
"""
"""A narrow window scrolls a table, and breaks no figure."""


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run with what a page shows of it."""

    run: Run
    summary: Summary
    verdicts: Sequence[Verdict]


@dataclass(frozen=True, slots=True)
class _Table:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Part:
    title: str
    lines: Sequence[str] = ()
    tables: Sequence[_Table] = ()
    notes: Sequence[str] = ()


@in_english()
def run_page(
    reported: Sequence[ReportedRun],
    comparisons: Sequence[Comparison],
    source: QuestionSource | None = None,
) -> str:
    """The page of some runs.

    Args:
        reported: the runs, the first of which the others are compared with.
        comparisons: those of the others with the first.
        source: the questions of the runs, for their texts and graphs; None where the items are
            not at hand.
    """
    style = f"{variables()}\n{package_file('page.css')}{drawing_style()}{_OWN_STYLE}"
    parts = [*map(_of_run, reported), *map(_of_comparison, comparisons)]
    if sentence := about_many_tests(comparisons):
        parts.append(_Part("Many tests", [sentence]))
    telling, items = _telling(reported, comparisons, source)
    parts.append(telling)
    title = "Runs: " if len(reported) > 1 else "Run "
    text = template("run_page.html.j2").render(
        policy=policy((style,), ()),
        title=escape_texts(title + ", ".join(each.run.id for each in reported)),
        style=style,
        parts=escape_texts([asdict(part) for part in parts]),
        items=[_shown(item) for item in items],
    )
    return text + "\n"


def _of_run(reported: ReportedRun) -> _Part:
    run, summary = reported.run, reported.summary
    lines = [
        f"{run.plan.model} on {run.plan.benchmark}, {run.state}, {conditions(run.plan)}",
        f"{counted(run.items, 'item')}, {counted(run.verdicts, 'verdict')}; "
        f"recorded {run.created[:10]}",
    ]
    title = f"Figures under the profile {summary.profile}"
    figures = _Table(title, COLUMNS, [*map(figure_row, summary.figures)])
    notes = [f"{figure.name}: {figure.note}" for figure in summary.figures if figure.note]
    tables = [figures, *map(_grid, summary.tables)]
    return _Part(run.id, lines, tables, [*notes, *summary.notes])


def _grid(grid: Grid) -> _Table:
    rows = [[cell.text for cell in row] for row in grid.rows]
    return _Table(grid.title, grid.columns, rows)


def _of_comparison(comparison: Comparison) -> _Part:
    grids = [layers_table(comparison), counts_table(comparison)]
    figures = figures_table(comparison)
    if figures is not None:
        grids.append(figures)
    grids.append(first_wrong_table(comparison))
    return _Part(
        f"A: {comparison.first.id}, B: {comparison.second.id}",
        [line for line, _role in conditions_and_left_out(comparison)],
        [_grid(grid) for grid in grids],
        [
            *(grid.note for grid in grids if grid.note),
            *filter(None, [comparison.why_no_figures]),
        ],
    )


def _telling(
    reported: Sequence[ReportedRun],
    comparisons: Sequence[Comparison],
    source: QuestionSource | None,
) -> tuple[_Part, list[TellingItem]]:
    """The heading of the most telling items, and these."""
    first = reported[0]
    if comparisons:
        second = reported[1]
        title = f"Items that one of {first.run.id} (A) and {second.run.id} (B) has right"
        items = flipped_items(first.verdicts, second.verdicts, comparisons[0].flips)
        answers = {"A": first.verdicts, "B": second.verdicts}
    else:
        title = "Items with wrong answers"
        items = failed_items(first.verdicts)
        answers = {"answer": first.verdicts}
    shown = telling_items(items[:MOST_ITEMS], answers, source)
    line = "There are none."
    if items:
        line = (
            f"{len(shown)} of {len(items)}, the surest answers first: by how far the most probable "
            "option is ahead of the next."
        )
    return _Part(title, [line]), shown


def _shown(item: TellingItem) -> dict[str, Any]:
    """An item for the template, without control characters but the line feeds of questions."""
    layers = [
        escape_texts(asdict(layer)) | {"text": escape_control_characters(layer.text, lines=True)}
        for layer in item.layers
    ]
    return {
        "item": escape_control_characters(item.item),
        "why": escape_control_characters(item.why_not_drawn),
        "layers": layers,
        "drawing": item.drawing,
    }
