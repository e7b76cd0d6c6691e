"""Draws what a study found with matplotlib: a heat map, or curves over the blocks of a model.

Imported only when one is drawn. The caption is the finding and the method of the study's report.
"""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.style import context
from matplotlib.ticker import MaxNLocator

from core.exchange.plots import style
from core.exchange.plots.style import INK, Key
from core.layout.heatmap import HeatMap
from core.studies.report import CurvePlot, StudyReport

_MOST_NUMBERS = 12
"""Most columns whose cells have room for a figure."""
_ROW = 0.17
"""Height of a row, in inches."""
_NAME = 30
"""Most characters of a row's name."""
_MOST_GROUPS = 6
"""Most groups of items that are drawn below all of them."""
_HATCH: dict[str, Any] = {"facecolor": "none", "edgecolor": "0.6", "hatch": "////", "linewidth": 0}


def draw_study(report: StudyReport, ending: str, *, demo: bool) -> bytes:
    """The picture of a report as a file of the kind that its ending names.

    Args:
        report: what a study shows.
        ending: one of `writing.ENDINGS`.
        demo: whether the model is the bundled one, which the title then says.
    """
    title = f"{report.title}{' (demonstration)' if demo else ''}"
    # From matplotlib's defaults, so that a person's own configuration changes nothing.
    with context(["default", style.STYLE]):
        if isinstance(report.picture, HeatMap):
            figure = _heat_map(title, report, report.picture)
        else:
            figure = _curves(title, report, report.picture)
        return style.encoded(figure, ending, title)


def _caption(report: StudyReport) -> tuple[str, ...]:
    return (" ".join(report.findings), " ".join(report.method))


def _heat_map(title: str, report: StudyReport, heat: HeatMap) -> Figure:
    maps = [("", heat), *report.groups[:_MOST_GROUPS]]
    # A row without figures stands between two groups, and says which the next one is.
    lines: list[tuple[str, tuple[float | None, ...]]] = []
    for group, each in maps:
        lines += [(f"{group}:", ())] if group else []
        lines += [(row.label, row.values) for row in each.rows]
    rows, columns = len(lines), len(heat.columns)
    figure = style.page(title, (), _caption(report), rows * _ROW + 0.75)
    axes = figure.subplots()
    values = [
        [math.nan if value is None else value for value in values or (None,) * columns]
        for _name, values in lines
    ]
    largest = max(
        (abs(value) for row in values for value in row if math.isfinite(value)), default=0
    )
    mesh = axes.pcolormesh(
        range(columns + 1), range(rows + 1), values, vmin=-(largest or 1), vmax=largest or 1,
        cmap="PuOr_r", edgecolors="white", linewidth=min(0.3, 8 / columns),
    )  # fmt: skip
    for y, (_name, row) in enumerate(lines):
        for x, value in enumerate(row):
            if value is None:
                axes.add_patch(Rectangle((x, y), 1, 1, **_HATCH))
    for y, row_values in enumerate(values):
        _write_figures(axes, y, row_values, largest)
    step = -(-columns // _MOST_NUMBERS)
    marked = range(0, columns, step)
    axes.set_xticks([number + 0.5 for number in marked], [heat.columns[each] for each in marked])
    names = [style.shown(name, _NAME) for name, _values in lines]
    axes.set_yticks([number + 0.5 for number in range(rows)], names, size=6.0)
    axes.set_ylim(rows, 0)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(heat.across[:1].upper() + heat.across[1:])
    bar = figure.colorbar(mesh, ax=axes, location="bottom", fraction=0.1, pad=0.02, aspect=30)
    style.finish_colour_bar(bar, "Mean effect in nats")
    return figure


def _write_figures(axes: Axes, y: int, row: list[float], largest: float) -> None:
    """The figure of every cell of a row, where there is room."""
    if len(row) > _MOST_NUMBERS:
        return
    for x, value in enumerate(row):
        if math.isfinite(value):
            ink = "white" if largest and abs(value) > 0.7 * largest else "black"
            # Nothing is written as a negative zero.
            text = f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
            axes.text(x + 0.5, y + 0.5, text, size=5.0, color=ink, ha="center", va="center")


def _curves(title: str, report: StudyReport, plot: CurvePlot) -> Figure:
    keys: list[Key] = []
    drawn: list[Line2D] = []
    for place, curve in enumerate(plot.curves[: len(style.MARKERS)]):
        look: dict[str, Any] = {"color": style.colour(place), "marker": style.MARKERS[place]}
        values = [math.nan if value is None else value for value in curve.values]
        drawn.append(Line2D(range(len(values)), values, **look, zorder=3))
        keys.append(Key(Line2D([], [], **look), curve.name))
    dashes = ("--", ":", "-.", (0, (1, 3)))
    lines: list[tuple[float, dict[str, Any]]] = [
        (value, {"color": INK, "linewidth": 0.9, "linestyle": dashes[index % len(dashes)]})
        for index, (_name, value) in enumerate(plot.lines)
    ]
    keys += [
        Key(Line2D([], [], **look), name)
        for (name, _value), (_y, look) in zip(plot.lines, lines, strict=True)
    ]
    figure = style.page(title, keys, _caption(report), 2.0)
    axes = figure.subplots()
    axes.grid(axis="y")
    for line in drawn:
        axes.add_line(line)
    for place, curve in enumerate(plot.curves[: len(style.MARKERS)]):
        for block, interval in enumerate(curve.intervals):
            if interval is not None:
                axes.vlines(block, *interval, color=style.colour(place), linewidth=0.8, zorder=2)
    for value, look in lines:
        axes.axhline(value, **look, zorder=1)
    axes.autoscale_view()
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    axes.set_xlabel("Block")
    axes.set_ylabel(style.shown(plot.figure))
    return figure
