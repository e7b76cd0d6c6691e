"""Draws what was read of a model's blocks with matplotlib: a logit lens, and a causal trace.

Imported only when one is drawn. Captions are the notes of the heat map that the command prints, so
the picture says the same about the model, the prompt and how to read it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.style import context
from matplotlib.ticker import MaxNLocator

from core.blocks.lens import LensTable
from core.blocks.sentences import option_names
from core.blocks.trace import TraceTable
from core.contract.question import Question
from core.contract.view import Role
from core.exchange.plots import style
from core.exchange.plots.style import INK, Key
from core.layout.heatmap import HeatMap, HeatRow
from core.layout.rows import SIGNS
from core.text.quantities import counted

_MOST_MARKERS = 16
"""Most blocks of which each has a marker on a line."""
_MOST_NUMBERS = 12
"""Most blocks whose cells have room for a figure."""
_MOST_LONG_NAMES = 16
"""Most spans whose names have room for several lines."""
_MOST_LINES = 3
_NAMES = 1.2
"""Width of the names of spans, in inches."""
_NAME_SIZE = 6.0
_BETWEEN_SPANS = 1.5
"""Width of the white lines between spans, in points."""
_ROUNDED = 0.05
"""A share that is nearer to 0 is written as 0, and one that is nearer to 1 as 1."""
_BELOW = -0.1
"""At most this is a share that has a sign in a cell without room for its figure."""
_NOT_COMPARABLE: dict[str, Any] = {
    "facecolor": "0.96",
    "edgecolor": "0.6",
    "hatch": "////",
    "linewidth": 0,
}
_BY_CONSTRUCTION: dict[str, Any] = {
    "facecolor": "1",
    "edgecolor": "0.6",
    "hatch": "\\\\\\\\",
    "linewidth": 0,
}


def draw_blocks(
    benchmark: str, table: LensTable | TraceTable, heat: HeatMap, ending: str, *, demo: bool
) -> bytes:
    """Options after every block, or a trace, as a file of the kind that its ending names.

    Args:
        benchmark: the title of the benchmark.
        table: what was read.
        heat: its heat map, `core.blocks.heatmaps.lens_map` or `trace_map`.
        ending: one of `writing.ENDINGS`.
        demo: whether the model is the bundled one, which the title then says.
    """
    is_lens = isinstance(table, LensTable)
    what = "options after every block" if is_lens else "margin restored by span and block"
    title = f"{benchmark}: {what}{' (demonstration)' if demo else ''}"
    # From matplotlib's defaults, so that a person's own configuration changes nothing.
    with context(["default", style.STYLE]):
        if isinstance(table, LensTable):
            figure = _lens(title, table, heat)
        else:
            figure = _trace(title, table, heat)
        return style.encoded(figure, ending, title)


def _caption(question: Question, words: str, notes: Sequence[str]) -> tuple[str, ...]:
    """What was asked, then the notes."""
    values = (f"{key}={value}" for key, value in question.setting.changed)
    asked = ", ".join([f"Item {question.item}", f"layer {question.layer}", *values])
    return f"{asked}{words}", " ".join(notes)


def _lens(title: str, table: LensTable, heat: HeatMap) -> Figure:
    names, shares = option_names(table.question), list(zip(*table.shares(), strict=True))
    right, blocks = table.question.right_options, range(table.blocks)
    coloured = _foremost(table)
    keys, lines = [], []
    for option, values in enumerate(shares):
        if option not in coloured:
            lines.append(Line2D(blocks, _percent(values), color="0.75", linewidth=0.7, zorder=1))
            continue
        place = coloured.index(option)
        look: dict[str, Any] = {
            "color": style.colour(place),
            "marker": style.MARKERS[place],
            "linewidth": 2.0 if option in right else 1.0,
            "markerfacecolor": style.colour(place) if option in right else "white",
            "markevery": -(-len(blocks) // _MOST_MARKERS),
        }
        lines.append(Line2D(blocks, _percent(values), **look, clip_on=False, zorder=3))
        sign = f"{SIGNS[Role.FORCED]} " if option in right else ""
        keys.append(Key(Line2D([], [], **look), f"{sign}{names[option]}"))
    if len(coloured) < len(shares):
        left = len(shares) - len(coloured)
        keys.append(Key(Line2D([], [], color="0.75", linewidth=0.7), counted(left, "other option")))
    settled: dict[str, Any] = {"color": INK, "linestyle": "--", "linewidth": 0.9}
    equal: dict[str, Any] = {"color": INK, "linestyle": ":", "linewidth": 0.9}
    depth = table.prediction_depth
    if depth is not None:
        keys.append(Key(Line2D([], [], **settled), f"settles at block {depth} (raw lens)"))
    keys.append(Key(Line2D([], [], **equal), "equal shares"))
    figure = style.page(title, keys, _caption(table.question, "", heat.notes), 2.0)
    axes = figure.subplots()
    axes.grid(axis="y")
    for line in lines:
        axes.add_line(line)
    if depth is not None:
        axes.axvline(depth, **settled, zorder=2)
    axes.axhline(100 / len(shares), **equal, zorder=2)
    axes.set_xlim(-0.3, len(blocks) - 0.7)
    axes.set_ylim(0, 100)
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    axes.set_xlabel("Block")
    axes.set_ylabel("Share among the options (%)")
    return figure


def _percent(values: tuple[float, ...]) -> list[float]:
    return [100 * value for value in values]


def _foremost(table: LensTable) -> list[int]:
    """The options that get a colour: right ones first, then those with the largest shares."""
    right = table.question.right_options
    largest = [max(values) for values in zip(*table.shares(), strict=True)]
    ranked = sorted(range(len(largest)), key=lambda each: (each not in right, -largest[each]))
    return sorted(ranked[: len(style.MARKERS)])


def _trace(title: str, table: TraceTable, heat: HeatMap) -> Figure:
    most = _MOST_LINES if len(heat.rows) <= _MOST_LONG_NAMES else 1
    names = [_name(row, most) for row in heat.rows]
    heights = [0.06 + (name.count("\n") + 1) * _NAME_SIZE * 1.25 / 72 for name in names]
    edges = list(accumulate(heights, initial=0.0))
    middles = [(top + bottom) / 2 for top, bottom in pairwise(edges)]
    values = [[math.nan if value is None else value for value in row.values] for row in heat.rows]
    known = [value for row in values for value in row if math.isfinite(value)]
    notes = list(heat.notes)
    if any(abs(value) > 1 + _ROUNDED for value in known):
        notes.append("Colours end at −1 and 1.")
    if table.blocks > _MOST_NUMBERS and any(value <= _BELOW for value in known):
        notes.append(f"− in a cell: {_BELOW:g} or less.".replace("-", "−"))
    lost = not all(table.rows.comparable)
    keys = [Key(Patch(**_NOT_COMPARABLE), "not comparable")] if lost else []
    keys += [Key(Patch(**_BY_CONSTRUCTION), "by construction")] if heat.by_construction else []
    body = edges[-1] + 0.75
    contrast = f", compared with {table.contrast.name}"
    figure = style.page(title, keys, _caption(table.question, contrast, notes), body)
    axes = figure.subplots()
    mesh = axes.pcolormesh(
        range(table.blocks + 1), edges, values, vmin=-1, vmax=1, cmap="PuOr_r",
        edgecolors="white", linewidth=min(0.3, 8 / table.blocks),
    )  # fmt: skip
    for comparable, top, height in zip(table.rows.comparable, edges, heights, strict=False):
        if not comparable:
            axes.add_patch(Rectangle((0, top), table.blocks, height, **_NOT_COMPARABLE))
    for span, block in heat.by_construction:
        corner = (block, edges[span])
        axes.add_patch(Rectangle(corner, 1, heights[span], **_BY_CONSTRUCTION))
    for edge in edges[1:-1]:
        axes.axhline(edge, color="white", linewidth=_BETWEEN_SPANS)
    for y, row in zip(middles, values, strict=True):
        _write_figures(axes, y, row)
    step = -(-table.blocks // _MOST_NUMBERS)
    numbers = range(0, table.blocks, step)
    axes.set_xticks([number + 0.5 for number in numbers], map(str, numbers))
    axes.set_yticks(middles, names, size=_NAME_SIZE)
    axes.set_xlim(0, table.blocks)
    axes.set_ylim(edges[-1], 0)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("Block")
    low, high = min(known, default=0.0), max(known, default=0.0)
    beyond = {
        (False, False): "neither",
        (True, False): "min",
        (False, True): "max",
        (True, True): "both",
    }
    bar = figure.colorbar(
        mesh,
        ax=axes,
        location="bottom",
        fraction=0.1,
        pad=0.02,
        aspect=30,
        extend=beyond[low < -1 - _ROUNDED, high > 1 + _ROUNDED],
    )
    style.finish_colour_bar(bar, f"{heat.figure[:1].upper()}{heat.figure[1:]}")
    return figure


def _write_figures(axes: Axes, y: float, row: list[float]) -> None:
    """The figure of every cell of a row, or where there are many a sign on those below 0."""
    size = min(style.SMALL, 72 * (style.WIDTH - _NAMES - 0.4) / len(row))
    for x, value in enumerate(row):
        if math.isnan(value):
            continue
        text = "−" if value <= _BELOW else ""
        if len(row) <= _MOST_NUMBERS:
            text = "0" if abs(value) < _ROUNDED else f"{value:.1f}".replace("-", "−")
        ink = "black" if -0.55 < value < 0.75 else "white"
        axes.text(x + 0.5, y, text, size=size, color=ink, ha="center", va="center")


def _name(row: HeatRow, most: int) -> str:
    """The name of a span in a few lines, with a sign where the contrast prompt says another."""
    text = f"{SIGNS[row.role]} {row.label}" if row.role is Role.CHANGED else row.label
    lines = style.wrapped(style.shown(text, 200), _NAME_SIZE, _NAMES)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][:-1]}…"]
    return "\n".join(lines)
