"""Draws plots with matplotlib; imported only when a plot is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.style import context

from core.exchange.plots import style
from core.exchange.plots.plot import CHANCE, CHANCES, Plot, Point, Series
from core.exchange.plots.style import INK, Key

_MOST_UPRIGHT = 6
"""Most categories whose names have room below upright bars."""
_GROUP = 0.8
"""The share of a category's room that its bars or points take."""
_BASELINES = {True: ("chance", ":"), False: ("best constant answer", "-")}
"""Name and line style of chance, and of every other baseline."""
_MOST_ABREAST = 6
"""Most columns of a grid that has room beside another."""
_CELL = 0.25
"""Height of a cell of a grid, in inches."""


def draw(plot: Plot, ending: str) -> bytes:
    """The plot as a file of the kind that its ending names: one of `writing.ENDINGS`."""
    # From matplotlib's defaults, so that a person's own configuration changes nothing.
    with context(["default", style.STYLE]):
        return style.encoded(_DRAWINGS[plot.kind](plot), ending, plot.title)


def _layers(plot: Plot) -> Figure:
    if len(plot.categories) > _MOST_UPRIGHT or len(plot.categories) * len(plot.series) > 24:
        return _rows(plot)
    keys = [*_bar_keys(plot), *_baseline_keys(plot)]
    figure = style.page(plot.title, keys, plot.caption, 1.9)
    axes = figure.subplots()
    axes.grid(axis="y")
    thickness = min(0.5, _GROUP / len(plot.series))
    for index, series in enumerate(plot.series):
        for place, point in enumerate(series.points):
            if point is None:
                continue
            x = place + (index - (len(plot.series) - 1) / 2) * thickness
            axes.bar(x, 100 * point.value, thickness * 0.94, **_filled(series))
            if (error := _error(point)) is not None:
                axes.errorbar(x, 100 * point.value, error, **_WHISKER)
            for name, value in point.baselines.items():
                half = thickness / 2
                axes.hlines(100 * value, x - half, x + half, **_tick(name))
    room = (style.WIDTH - 0.5) / len(plot.categories) * 0.94
    names = ["\n".join([*_broken(name, 6.5, room), *_broken(_counts(plot, place), 6.5, room)])
             for place, name in enumerate(plot.categories)]  # fmt: skip
    axes.tick_params(axis="x", length=0)
    _frame(axes, plot, names)
    return figure


def _frame(axes: Axes, plot: Plot, names: Sequence[str]) -> None:
    """Per cent upwards, and the categories beside each other."""
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(0, 100)
    axes.set_ylabel(plot.values)
    axes.set_xlabel(plot.across)


def _rows(plot: Plot) -> Figure:
    """Categories one below another, with a row for each run: bars, or points with intervals."""
    is_bars = plot.kind in {"layers", "funnel"}
    scale = 1 if plot.kind == "funnel" else 100
    step = 0.125 if is_bars else 0.1
    room = len(plot.series) * step / _GROUP
    keys = _bar_keys(plot) if is_bars else _point_keys(plot)
    names = [_broken(name, 6.5, 1.15) for name in plot.categories]
    tallest = max(room, max(map(len, names)) * 6.5 * 1.25 / 72)
    body = len(names) * tallest + 0.45
    figure = style.page(plot.title, [*keys, *_baseline_keys(plot)], plot.caption, body)
    axes = figure.subplots()
    axes.grid(plot.kind != "funnel", axis="x")
    thickness = min(_GROUP / len(plot.series), step / tallest)
    for index, series in enumerate(plot.series):
        for place, point in enumerate(series.points):
            if point is None:
                continue
            y = place + (index - (len(plot.series) - 1) / 2) * thickness
            if is_bars:
                axes.barh(y, scale * point.value, thickness * 0.94, **_filled(series))
            error = _error(point)
            if error is not None or not is_bars:
                axes.errorbar(
                    scale * point.value, y, xerr=error, **(_WHISKER if is_bars else _marked(series))
                )
            for name, value in point.baselines.items():
                half = thickness / 2
                axes.vlines(100 * value, y - half, y + half, **_tick(name))
            if plot.kind == "funnel":
                text = f" {point.n if not place else point.value:.0f}"
                text += f" ({100 * point.value / point.n:.0f} %)" if place else ""
                axes.text(point.value, y, text, va="center_baseline", size=style.SMALL)
    axes.set_yticks(range(len(names)), ["\n".join(lines) for lines in names])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.5, -0.5)
    _value_limits(axes, plot)
    axes.set_xlabel("\n".join(_broken(plot.values, style.BODY, 2.6)))
    if plot.kind != "funnel":
        _count_column(axes, plot, thickness)
    return figure


def _value_limits(axes: Axes, plot: Plot) -> None:
    """The room of the values, with all intervals in it."""
    points = [point for series in plot.series for point in series.points if point]
    ends = [end for point in points for end in (point.value, *(point.interval or ()))]
    if plot.kind == "funnel":
        axes.set_xlim(0, max(ends) * 1.22 or 1)
        return
    if plot.kind != "forest":
        axes.set_xlim(100 * min(0, *ends), 100 * max(1, *ends))
        return
    furthest = max(0.01, *(abs(end) for end in ends))
    axes.set_xlim(-110 * furthest, 110 * furthest)
    axes.locator_params(axis="x", nbins=5)
    axes.axvline(0, color=INK, linewidth=0.8, zorder=1)


def _count_column(axes: Axes, plot: Plot, thickness: float) -> None:
    """The numbers of questions at the right: one for a category, or one for each of its rows."""
    across = axes.get_yaxis_transform()
    axes.text(1.03, -0.5, "n", transform=across, size=6.5, va="bottom", style="italic")
    for place in range(len(plot.categories)):
        points = [series.points[place] for series in plot.series]
        known = {point.n for point in points if point}
        if len(known) == 1:
            axes.text(1.03, place, f"{known.pop()}", transform=across, size=6, va="center_baseline")
            continue
        for index, point in enumerate(points):
            if point:
                y = place + (index - (len(points) - 1) / 2) * thickness
                axes.text(
                    1.03, y, f"{point.n}", transform=across, size=style.SMALL, va="center_baseline"
                )


def _hops(plot: Plot) -> Figure:
    keys = [*_curve_keys(plot), *_baseline_keys(plot)]
    figure = style.page(plot.title, keys, plot.caption, 2.0)
    axes = figure.subplots()
    axes.grid(axis="y")
    for index, series in enumerate(plot.series):
        shift = (index - (len(plot.series) - 1) / 2) * min(0.09, 0.5 / len(plot.series))
        places = [(place + shift, point) for place, point in enumerate(series.points) if point]
        for x, point in places:
            axes.errorbar(x, 100 * point.value, _error(point), **_marked(series))
        # The bare question is no step of the curve.
        curve = [(x, 100 * p.value) for x, p in places if plot.categories[round(x)].isdecimal()]
        if curve:
            axes.plot(*zip(*curve, strict=True), **_line(series), zorder=1)
    for place in range(len(plot.categories)):
        points = [series.points[place] for series in plot.series]
        for value in sorted({point.baselines[CHANCE] for point in points if point}):
            axes.hlines(100 * value, place - 0.5, place + 0.5, **_tick(CHANCE))
    room = (style.WIDTH - 0.5) / len(plot.categories) * 0.94
    names = ["\n".join([style.shown(name), *_broken(_counts(plot, place), style.SMALL, room)])
             for place, name in enumerate(plot.categories)]  # fmt: skip
    _frame(axes, plot, names)
    return figure


def _grid(plot: Plot) -> Figure:
    columns = 2 if len(plot.series) > 1 and len(plot.categories) <= _MOST_ABREAST else 1
    down = -(-len(plot.series) // columns)
    titles = [
        _broken(f"{series.label}, {series.part}", 6.5, 2.9 / columns) for series in plot.series
    ]
    above = (max(map(len, titles)) - 1) * 6.5 * 1.25 / 72
    body = down * (max(len(plot.rows), 3) * _CELL + 0.52 + above) + 0.45
    figure = style.page(plot.title, [], plot.caption, body)
    panels = figure.subplots(down, columns, squeeze=False, sharex=True, sharey=True).flat
    mesh = None
    for index, (axes, series) in enumerate(zip(panels, plot.series, strict=False)):
        rows = [
            series.points[start : start + len(plot.categories)]
            for start in range(0, len(series.points), len(plot.categories))
        ]
        values = [[float("nan") if p is None else 100 * p.value for p in row] for row in rows]
        mesh = axes.pcolormesh(
            values, vmin=0, vmax=100, cmap="cividis", edgecolors="white", linewidth=1.0
        )
        for y, row in enumerate(rows):
            for x, point in enumerate(row):
                if point:
                    ink = "white" if point.value < 0.47 else "black"
                    place = (x + 0.5, y + 0.5)
                    text = f"{100 * point.value:.0f}\n({point.n})"
                    axes.text(*place, text, size=5.5, color=ink, ha="center", va="center",
                              linespacing=1.1)  # fmt: skip
        axes.set_title("\n".join(titles[index]), size=6.5)
        axes.set_xticks(
            [x + 0.5 for x in range(len(plot.categories))], map(style.shown, plot.categories)
        )
        axes.set_yticks([y + 0.5 for y in range(len(plot.rows))], map(style.shown, plot.rows))
        axes.set_ylim(len(plot.rows), 0)
        axes.tick_params(length=0, labelbottom=True)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(plot.across)
        if index % columns == 0:
            axes.set_ylabel(plot.down)
    every = list(figure.axes)
    for axes in every[len(plot.series) :]:
        axes.set_visible(False)
    if mesh is not None:
        bar = figure.colorbar(
            mesh, ax=every, location="bottom", fraction=0.06, pad=0.04 / down, aspect=40
        )
        style.finish_colour_bar(bar, plot.values)
    return figure


def _tokens(plot: Plot) -> Figure:
    figure = style.page(plot.title, _point_keys(plot, counted=True), plot.caption, 2.0)
    axes = figure.subplots()
    axes.grid()
    ends = []
    for series in plot.series:
        for point in series.points:
            if point is not None and point.tokens is not None:
                axes.errorbar(point.tokens, 100 * point.value, _error(point), **_marked(series))
                ends.append(point.tokens)
    axes.set_xlim(0, max(ends) * 1.15)
    axes.set_ylim(0, 100)
    axes.set_xlabel(plot.across)
    axes.set_ylabel("\n".join(_broken(plot.values, style.BODY, 1.6)))
    return figure


# -- marks -----------------------------------------------------------------------------------------

_WHISKER: Mapping[str, Any] = {
    "fmt": "none",
    "ecolor": INK,
    "elinewidth": 0.8,
    "capsize": 1.5,
    "capthick": 0.8,
}


def _filled(series: Series) -> dict[str, Any]:
    return {
        "facecolor": style.colour(series.colour),
        "hatch": style.HATCHES[series.colour],
        "edgecolor": "white",
        "linewidth": 0,
    }


def _line(series: Series) -> dict[str, Any]:
    dashes = "--" if series.is_second else "-"
    return {"color": style.colour(series.colour), "linestyle": dashes}


def _marked(series: Series, *, with_interval: bool = True) -> dict[str, Any]:
    """A marker, with its interval or alone."""
    colour = style.colour(series.colour)
    marker = {
        "color": colour,
        "marker": style.MARKERS[series.colour],
        "markerfacecolor": "white" if series.is_second else colour,
        "markeredgewidth": 0.9,
        "linestyle": "none",
        "clip_on": False,
    }
    return marker | ({"elinewidth": 0.9, "capsize": 1.6, "zorder": 4} if with_interval else {})


def _tick(baseline: str) -> dict[str, Any]:
    _name, dashes = _BASELINES[baseline in CHANCES]
    look = {"colors": INK, "linestyles": dashes, "linewidth": 1.0}
    return look | {"zorder": 3, "clip_on": False}


def _bar_keys(plot: Plot) -> list[Key]:
    return [Key(Patch(**_filled(series)), series.label) for series in plot.series]


def _point_keys(plot: Plot, *, counted: bool = False) -> list[Key]:
    keys = []
    for series in plot.series:
        count = next((point.n for point in series.points if point), 0)
        label = f"{series.label}, n = {count}" if counted else series.label
        keys.append(Key(Line2D([], [], **_marked(series, with_interval=False)), label))
    return keys


def _curve_keys(plot: Plot) -> list[Key]:
    """A key for each curve of one run; of several, one for each run and one for each part."""

    def key(series: Series, label: str, **other: Any) -> Key:
        look = _marked(series, with_interval=False) | _line(series) | other
        return Key(Line2D([], [], **look), label)

    if len({series.label for series in plot.series}) == 1:
        return [key(series, f"{series.label}, {series.part}") for series in plot.series]
    runs = {series.label: series for series in reversed(plot.series)}
    parts = {series.part: series for series in reversed(plot.series)}
    grey = {"color": style.MUTED, "marker": ""}
    return [
        *(key(replace(series, is_second=False), label) for label, series in reversed(runs.items())),
        *(key(series, part, **grey) for part, series in reversed(parts.items())),
    ]


def _baseline_keys(plot: Plot) -> list[Key]:
    names = {
        name
        for series in plot.series
        for point in series.points
        if point
        for name in point.baselines
    }
    keys = []
    for is_chance in (True, False):
        if any((name in CHANCES) is is_chance for name in names):
            name, dashes = _BASELINES[is_chance]
            look: dict[str, Any] = {"color": INK, "linestyle": dashes, "linewidth": 1.0}
            keys.append(Key(Line2D([], [], **look), name))
    return keys


def _error(point: Point) -> list[list[float]] | None:
    """What matplotlib calls an error: lengths below and above, each in a list; in percent."""
    if point.interval is None:
        return None
    low, high = point.interval
    return [[100 * max(0.0, point.value - low)], [100 * max(0.0, high - point.value)]]


def _counts(plot: Plot, place: int) -> str:
    """The numbers of questions of a category, in the order of the series."""
    counts = [series.points[place] for series in plot.series]
    known: Sequence[int] = [point.n for point in counts if point]
    if len(set(known)) == 1:
        return f"n = {known[0]}"
    return "n = " + ", ".join("–" if point is None else str(point.n) for point in counts)


def _broken(text: str, size: float, width: float) -> list[str]:
    return style.wrapped(style.shown(text, style.LONGEST_NAME), size, width)


_DRAWINGS: Mapping[str, Callable[[Plot], Figure]] = {
    "layers": _layers,
    "figures": _rows,
    "hops": _hops,
    "grid": _grid,
    "funnel": _rows,
    "tokens": _tokens,
    "forest": _rows,
}
