"""Draws plots as lines of plain text: a bar with its figures for each point, or a grid."""

from __future__ import annotations

from collections.abc import Iterator

from core.exchange.plots.plot import Plot, Point, Series
from core.layout.plain_text import cells
from core.layout.rows import pad, wrap
from core.text.escaping import escape_control_characters
from core.text.shown_number import ShownNumber

_SMALLEST_BAR = 10


def plot_lines(plot: Plot, width: int) -> Iterator[str]:
    """The lines of a plot, no longer than `width` where that leaves room for its figures."""
    yield from wrap(_shown(plot.title), width, cells)
    yield from wrap(_shown(plot.values), width, cells)
    yield ""
    yield from _grids(plot, width) if plot.rows else _bars(plot, width)
    for paragraph in plot.caption:
        yield from wrap(_shown(paragraph), width, cells)


def _bars(plot: Plot, width: int) -> Iterator[str]:
    names = [_shown(_name(series)) for series in plot.series]
    name_width = max(map(cells, names))
    # A name with no room beside its bar is written above it: cut short, two could look the same.
    name_is_above = name_width > max(12, width // 3)
    margin = 4 if name_is_above else 2 + name_width + 2
    figures = [
        [_figures(plot, point) for point in series.points if point] for series in plot.series
    ]
    figure_width = max(len(text) for texts in figures for text in texts)
    room = width - margin - figure_width - 2
    beside = room >= _SMALLEST_BAR
    if not beside:
        room = max(_SMALLEST_BAR, width - margin)
    low, high = _limits(plot)
    for place, category in enumerate(plot.categories):
        yield from wrap(_shown(f"{plot.across} {category}".strip()), width, cells)
        for name, series in zip(names, plot.series, strict=True):
            point = series.points[place]
            if point is not None:
                lead = " " * margin
                if name_is_above:
                    yield from (f"  {line}" for line in wrap(name, width - 2, cells))
                else:
                    lead = f"  {pad(name, name_width, cells)}  "
                bar = f"{lead}{_bar(point, low, high, room)}"
                text = _figures(plot, point)
                if beside:
                    yield f"{bar}  {text}"
                else:
                    yield bar.rstrip()
                    yield from (f"    {line}" for line in wrap(text, width - 4, cells))
        yield ""


def _bar(point: Point, low: float, high: float, room: int) -> str:
    """The way from 0 to the value as `=`, the interval as `-` and the value as `#`."""

    def column(value: float) -> int:
        return round((value - low) / (high - low) * (room - 1))

    signs = [" "] * room
    for place in range(*sorted((column(0), column(point.value)))):
        signs[place] = "="
    if point.interval is not None:
        for place in range(column(point.interval[0]), column(point.interval[1]) + 1):
            signs[place] = "-"
    if low < 0:
        signs[column(0)] = "|"
    signs[column(point.value)] = "#"
    return "".join(signs)


def _limits(plot: Plot) -> tuple[float, float]:
    """The values at the ends of a bar's room; about 0 for differences."""
    points = [point for series in plot.series for point in series.points if point]
    ends = [end for point in points for end in (point.value, *(point.interval or ()))]
    if plot.kind == "forest":
        furthest = max(0.01, *map(abs, ends))
        return -furthest, furthest
    return min(0.0, *ends), max(1.0, *ends)


def _figures(plot: Plot, point: Point) -> str:
    if plot.kind == "funnel":
        return f"{point.value:.0f} of {point.n}"
    sign = "+" if plot.kind == "forest" else ""
    ends = [f"{ShownNumber(100 * end):{sign}.1f}" for end in point.interval or ()]
    around = f" [{', '.join(ends)}]" if ends else ""
    tokens = "" if point.tokens is None else f", {point.tokens:.1f} tokens"
    return f"{ShownNumber(100 * point.value):{sign}.1f}{around} n={point.n}{tokens}"


def _grids(plot: Plot, width: int) -> Iterator[str]:
    """A table for each series: accuracy in %, and in brackets the number of answers.

    Columns without room follow underneath.
    """
    for series in plot.series:
        yield from wrap(_shown(f"{_name(series)}: {plot.down} by {plot.across}"), width, cells)
        names = ["", *map(_shown, plot.rows)]
        size = max(map(cells, names))
        columns = []
        for place, category in enumerate(plot.categories):
            points = series.points[place :: len(plot.categories)]
            texts = [_shown(category), *map(_cell, points)]
            widest = max(map(cells, texts))
            columns.append([pad(text, widest, cells, right=True) for text in texts])
        abreast = max(1, (width - size) // (2 + max(cells(column[0]) for column in columns)))
        for first in range(0, len(columns), abreast):
            for name, *row in zip(names, *columns[first : first + abreast], strict=True):
                yield "  ".join([pad(name, size, cells, right=True), *row]).rstrip()
            yield ""


def _cell(point: Point | None) -> str:
    return "" if point is None else f"{100 * point.value:.0f} ({point.n})"


def _name(series: Series) -> str:
    return f"{series.label}, {series.part}" if series.part else series.label


def _shown(text: str) -> str:
    return escape_control_characters(text, limit=2000)
