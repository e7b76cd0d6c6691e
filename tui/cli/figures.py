"""Prints the figures of a summary, each with its denominator, interval and baselines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.contract.summary import Figure, Summary
from core.contract.view import Cell, Grid
from core.exchange.exporters.figure_table import COLUMNS, figure_row
from core.layout.figures import named_figures
from core.layout.plain_text import cells
from core.layout.rows import columns_that_fit, plain
from core.layout.sections import draw_section
from core.models.blocks import Trajectory
from core.runs.block_tables import NOTES
from core.runs.blocks import BlockTable, DepthCounts, LensCounts
from core.runs.mean_centred import NotCentred
from core.text.shown_number import ShownNumber
from tui.cli.output import out, out_note, width


def print_summary(title: str, summary: Summary) -> None:
    """Print the figures as a table, then their notes."""
    print_table(title, COLUMNS, [*map(figure_row, summary.figures)])
    noted: dict[str, list[str]] = {}
    for figure in summary.figures:
        if figure.note:
            noted.setdefault(figure.note, []).append(figure.name)
    for note, names in noted.items():
        out_note(f"{named_figures(names)}: {note}")
    for (baseline, answers), figures in summary.trivial_answers.items():
        out_note(f"{baseline} ({named_figures(figures)}): {answers}")
    for table in summary.tables:
        out()
        print_grid(table)
    if summary.notes:
        out()
    for note in summary.notes:
        out_note(note)


def summary_json(summary: Summary) -> dict[str, Any]:
    """The summary as fields of a JSON document, each a mapping from the name of a figure."""
    figures = summary.figures
    return {
        "metrics": {figure.name: figure.value for figure in figures},
        "right": {figure.name: figure.right for figure in figures},
        "denominators": {figure.name: figure.n for figure in figures},
        "intervals": {figure.name: figure.interval for figure in figures if figure.interval},
        "withheld": {figure.name: figure.withheld for figure in figures if figure.withheld},
        "baselines": baselines_json(figures),
        "counts": summary.counts,
        "not_checkable": summary.not_checkable,
        "figure_notes": {figure.name: figure.note for figure in figures if figure.note},
        "notes": summary.notes,
        "estimates": {
            estimate.name: {
                "value": estimate.value,
                "interval": estimate.interval,
                "n": estimate.n,
                "clusters": estimate.clusters,
                "why": estimate.why,
            }
            for estimate in summary.estimates
        },
    } | (
        {
            "tables": [
                {
                    "title": table.title,
                    "columns": table.columns,
                    "rows": [[cell.text for cell in row] for row in table.rows],
                }
                for table in summary.tables
            ]
        }
        if summary.tables
        else {}
    )


def baselines_json(figures: Sequence[Figure]) -> dict[str, dict[str, dict[str, Any]]]:
    """The baselines by name of every figure that has some: what they reach and what they answer."""
    return {
        figure.name: {name: asdict(baseline) for name, baseline in figure.baselines.items()}
        for figure in figures
        if figure.baselines
    }


def blocks_json(table: BlockTable) -> dict[str, Any]:
    """Where answers settle, blocks counted from 0: `settles_at` has a count for each block.

    The counts of a layer are by the raw lens, and under `mean_centred` by the lens less its mean
    over the layer's questions; that is null where `not_mean_centred` says why.
    """

    def by_lens(counts: LensCounts) -> dict[str, Any]:
        classes = {trajectory.value: n for trajectory, n in counts.classes.items()}
        return {
            "right": _settled(counts.right),
            "wrong": _settled(counts.wrong) | {"classes": classes},
            "without_gold": _settled(counts.without_gold),
        }

    return {
        "count": table.blocks,
        "layers": [
            {
                "layer": layer.layer,
                **by_lens(layer.raw),
                "mean_centred": None
                if isinstance(layer.centred, NotCentred)
                else by_lens(layer.centred),
                "not_mean_centred": layer.centred.value
                if isinstance(layer.centred, NotCentred)
                else None,
                "unread": layer.unread,
            }
            for layer in table.layers
        ],
        "notes": NOTES,
    }


def _settled(answers: DepthCounts) -> dict[str, Any]:
    """Answers by block, then those for which no block is named: ties, or `withheld` by reason."""
    settled: dict[str, Any] = {"n": answers.n, "settles_at": answers.at}
    if Trajectory.TIE in answers.unsettled:
        return settled | {"ties": answers.unsettled[Trajectory.TIE]}
    return settled | {"withheld": {why.name.lower(): n for why, n in answers.unsettled.items()}}


def kappa_text(kappa: float | None, interval: tuple[float, float] | None, answer: str) -> str:
    """Fleiss' kappa with its interval; `answer` is what raters give."""
    if kappa is None:
        return f"undefined: every {answer} is the same"
    if interval is None:
        why = "all agree" if kappa == 1 else "too few"
        return f"{ShownNumber(kappa):.3f}, no interval: {why}"
    return "{:.3f} [{:.3f}, {:.3f}]".format(*map(ShownNumber, (kappa, *interval)))


def print_table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a table, as wide as the terminal."""
    print_grid(Grid(title, columns, tuple(tuple(Cell(text) for text in row) for row in rows)))


def table_width() -> int:
    """The most columns of text that a table takes."""
    # A pipe has no width, and a truncated figure would be worth nothing.
    return width() if sys.stdout.isatty() else 10_000


def table_parts(
    columns: Sequence[str], rows: Sequence[Sequence[str]], room: int
) -> list[list[int]]:
    """The columns by index, in parts that fit into `room`, each beside the first column."""
    return columns_that_fit(
        [max(map(len, texts)) for texts in zip(columns, *rows, strict=True)], room
    )


def print_grid(grid: Grid) -> None:
    """Print a table with its note, as wide as the terminal."""
    out(plain(draw_section(grid, table_width(), cells)))
