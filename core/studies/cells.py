"""The figures of a map of cells over the items of a study: means, intervals, control, p-values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.statistics.cluster_errors import unbounded_mean_interval
from core.statistics.max_t import FEWEST_CLUSTERS, max_t_p_values

LEVEL = 0.05
"""A cell is named as a finding below this adjusted p-value."""
LEAST_EFFECT = 0.1
"""Nats by which the effect of a named cell differs from its control's at least: smaller ones may be
real in this model, and mean nothing."""
Floats = NDArray[np.float64]
Rows = Mapping[str, Sequence[float | None]]
"""By row of the map: a figure for every column; None where an item has none."""


class MeasuredCells(msgspec.Struct, frozen=True):
    """The effects of an item, in nats, by row and column."""

    rows: dict[str, list[float | None]]


@dataclass(frozen=True, slots=True)
class MeasuredCase:
    """The effects measured for one item, and for its control."""

    item: str
    cluster: str
    effects: Rows
    control: Rows | None
    """None where there was no prompt to control with."""
    group: str = ""
    """What the items are split by."""


def effects_array(cases: Sequence[Rows | None], rows: Sequence[str], columns: int) -> Floats:
    """Figures of several items, (items, rows, columns); not a number where there is none."""
    figures = np.full((len(cases), len(rows), columns), np.nan)
    for index, case in enumerate(cases):
        for row, name in enumerate(rows):
            values = None if case is None else case.get(name)
            if values is not None:
                figures[index, row, : len(values)] = [
                    math.nan if value is None else value for value in values
                ]
    return figures


def cell_figures(
    cases: Sequence[MeasuredCase], rows: Sequence[str], columns: int
) -> dict[str, Any]:
    """Mean effect with interval, mean control, and adjusted p-value of every cell, as JSON.

    `effect`, `control`, `difference` and `p` are (rows, columns), the intervals have pairs,
    `n_by_row` and `n_control` are the items of each row; null where there is none. `difference` and
    `p` are those of effect minus control over the items that have both, whole clusters changing
    signs, adjusted over all cells; no p-value is given for fewer clusters than can have one below
    `LEVEL`.
    """
    effects = effects_array([case.effects for case in cases], rows, columns)
    controls = effects_array([case.control for case in cases], rows, columns)
    clusters = [case.cluster for case in cases]
    differences = effects - controls
    adjusted: list[float | None] = [None] * (len(rows) * columns)
    controlled = [index for index, case in enumerate(cases) if case.control is not None]
    if len({clusters[index] for index in controlled}) >= FEWEST_CLUSTERS:
        adjusted = max_t_p_values(
            differences[controlled].reshape(len(controlled), len(rows) * columns),
            [clusters[index] for index in controlled],
        )
    return own_figures([case.effects for case in cases], clusters, rows, columns) | {
        "n_control": _counts(controls),
        "control": _means(controls),
        "difference": _means(differences),
        "difference_interval": _intervals(differences, clusters),
        "p": [adjusted[row * columns : (row + 1) * columns] for row in range(len(rows))],
    }


def own_figures(
    cases: Sequence[Rows], clusters: Sequence[str], rows: Sequence[str], columns: int
) -> dict[str, Any]:
    """How many items have a figure in each row, and every cell's mean with its interval, as JSON.

    `clusters` is of each of `cases`.
    """
    figures = effects_array(cases, rows, columns)
    return {
        "n_by_row": _counts(figures),
        "effect": _means(figures),
        "interval": _intervals(figures, clusters),
    }


def split_figures(
    cases: Sequence[MeasuredCase], rows: Sequence[str], columns: int
) -> list[dict[str, Any]]:
    """Mean effect of every cell by group of items, the largest group first, with its interval."""
    groups: dict[str, list[MeasuredCase]] = {}
    for case in cases:
        groups.setdefault(case.group, []).append(case)
    split = []
    for name, members in sorted(groups.items(), key=lambda group: -len(group[1])):
        clusters = [case.cluster for case in members]
        split.append(
            {"group": name, "n": len(members), "clusters": len(set(clusters))}
            | own_figures([case.effects for case in members], clusters, rows, columns)
        )
    return split


def found_cells(figures: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The cells that are named as findings, that with the largest difference first."""
    significant = [
        (abs(figures["difference"][row][column]), row, column)
        for row, values in enumerate(figures["p"])
        for column, p in enumerate(values)
        if p is not None and p < LEVEL
    ]
    return [
        (row, column)
        for difference, row, column in sorted(significant, reverse=True)
        if difference >= LEAST_EFFECT
    ]


def _counts(figures: Floats) -> list[int]:
    """How many items have a figure in each row."""
    return [int(count) for count in (~np.isnan(figures)).any(axis=2).sum(axis=0)]


def _means(figures: Floats) -> list[list[float | None]]:
    """Means over items, (rows, columns)."""
    known = ~np.isnan(figures)
    counts = known.sum(axis=0)
    sums = np.where(known, figures, 0.0).sum(axis=0)
    return [
        [float(total / count) if count else None for total, count in zip(*row, strict=True)]
        for row in zip(sums, counts, strict=True)
    ]


def _intervals(figures: Floats, clusters: Sequence[str]) -> list[list[tuple[float, float] | None]]:
    """The intervals of the means over items, (rows, columns)."""
    _items, rows, columns = figures.shape
    return [
        [_interval(figures[:, row, column], clusters) for column in range(columns)]
        for row in range(rows)
    ]


def _interval(values: Floats, clusters: Sequence[str]) -> tuple[float, float] | None:
    return unbounded_mean_interval(
        (cluster, float(value))
        for cluster, value in zip(clusters, values, strict=True)
        if not math.isnan(value)
    )
