"""Draws a heat map in a given height with a cell under the cursor: what does not fit is out of
sight until the cursor comes near it.

              block   0        1        2
   1 It rains        ██ 0.98  ▓▓ 0.71  ·· 0.00
 △ 2 He stays in    [██ 1.01]▸░░ 0.22  ·· 0.00
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.layout.heatmap import HeatMap, HeatRow, shade
from core.layout.rows import SIGNS, Ink, Measure, Row, Span, pad
from core.view import Role
from core.visible import visible

Cell = tuple[int, int]
"""A row and a column of a heat map, both from 0."""

_FIGURED = 10
"""Cells of a column with its figure: bracket, sign, two of shade, six of figure."""
_SHADED = 4
"""Cells of a column without: bracket, sign, two of shade."""
_DENSE = 2
"""Cells of a column where many must fit: bracket or sign, one of shade."""
_LABELS = {_FIGURED: 30, _SHADED: 22, _DENSE: 16}
"""How much of the longest label a width of columns leaves at least."""
_LONGEST = 60
_SHORTEST = 20
"""Of a label, so that there is room above for what is out of sight."""


@dataclass(frozen=True, slots=True)
class Pointing:
    """What is pointed at in a heat map."""

    at: Cell
    """Under the cursor."""
    signs: Mapping[Cell, str] = field(default_factory=dict)
    """A sign, one cell wide, for cells that stand out."""


def draw_cells(
    heat: HeatMap, pointing: Pointing, width: int, height: int, measure: Measure
) -> list[Row]:
    """The columns' names, then as many rows as fit `height`, the cursor's among them.

    The refs of a row are its number for its label, and number and column, as in "3.2", for its
    cells.
    """
    cell, label = _widths(heat, width, measure)
    shown = _window(len(heat.columns), (width - label - 5) // cell, pointing.at[1])
    rows = _window(len(heat.rows), max(1, height - 1), pointing.at[0])
    drawn: list[Row] = [_names(heat, pointing, rows, shown, cell, label, measure)]
    for place in rows:
        row = heat.rows[place]
        ink = Ink.HEADING if place == pointing.at[0] else row.role
        name = pad(visible(row.label), label, measure)
        head = Span(f" {SIGNS[row.role]} {name} ", ink, str(place))
        if row.note:
            words = pad(f"  {visible(row.note)}", max(1, width - label - 4), measure)
            drawn.append((head, Span(words, Role.MUTED, str(place))))
            continue
        drawn.append((head, *_cells(row, place, pointing, shown, cell)))
    return drawn


def _widths(heat: HeatMap, width: int, measure: Measure) -> tuple[int, int]:
    """Of a column and of a label: figures where there is room for them, dense where many are."""
    longest = max((_SHORTEST, *(measure(visible(row.label)) for row in heat.rows)))
    for cell, least in _LABELS.items():
        spare = width - 5 - cell * len(heat.columns)
        if spare >= min(longest, least):
            return cell, max(4, min(longest, spare, _LONGEST))
    return _DENSE, max(4, min(longest, _LABELS[_DENSE], width - 5 - _DENSE))


def _window(many: int, fitting: int, at: int) -> range:
    """Those that are in sight: all, or as many as fit, with the cursor's in the middle."""
    fitting = max(1, fitting)
    first = min(max(0, at - fitting // 2), max(0, many - fitting))
    return range(first, min(many, first + fitting))


def _names(
    heat: HeatMap,
    pointing: Pointing,
    rows: range,
    shown: range,
    cell: int,
    label: int,
    measure: Measure,
) -> Row:
    side = pad(_out_of_sight(heat, rows, shown, label + 3), label + 3, measure, right=True)
    spans = [Span(f"{side} ", Role.MUTED)]
    step = 5 if cell == _DENSE else 1
    for place in shown:
        here = place == pointing.at[1]
        ink = Ink.KEY if here else Ink.NUMBER
        name = visible(heat.columns[place])
        if cell == _DENSE:
            name = name if here or (place % step == 0 and abs(place - pointing.at[1]) > 1) else ""
            name = name if measure(name) <= _DENSE else name[-_DENSE:]
        text = pad(name, min(cell, _SHADED), measure, right=True)
        spans.append(Span(pad(text, cell, measure), ink))
    return tuple(spans)


def _out_of_sight(heat: HeatMap, rows: range, shown: range, width: int) -> str:
    """Which rows and columns are in sight, where not all are."""
    parts = [
        (what, f"{part.start}–{part.stop - 1} of {many}")
        for what, part, many in (
            ("rows", rows, len(heat.rows)),
            ("blocks", shown, len(heat.columns)),
        )
        if len(part) < many
    ]
    words = " · ".join(f"{what} {said}" for what, said in parts)
    return (words if len(words) <= width else " × ".join(said for _, said in parts)) or "block"


def _cells(row: HeatRow, place: int, pointing: Pointing, shown: range, cell: int) -> list[Span]:
    spans: list[Span] = []
    for column in shown:
        ref = f"{place}.{column}"
        value = row.values[column]
        sign, ink = shade(value)
        here, before = pointing.at == (place, column), pointing.at == (place, column - 1)
        bracket = "[" if here else "]" if before and column - 1 in shown else " "
        mark = pointing.signs.get((place, column), "")
        if cell == _DENSE:
            lead = Span(bracket if bracket != " " else mark or " ", Ink.KEY, ref)
            spans += [lead, Span(sign, ink, ref)]
            continue
        spans.append(Span(bracket if mark else f"{bracket} ", Ink.KEY, ref))
        spans += [Span(mark, Role.CHANGED, ref)] if mark else []
        spans.append(Span(sign * 2, ink, ref))
        if cell == _FIGURED:
            figure = Ink.HEADING if here else Ink.TRACK if ink is Ink.TRACK else Ink.NUMBER
            spans.append(Span(f"{_figure(value):>6}", figure, ref))
    if shown and pointing.at == (place, shown[-1]):
        spans.append(Span("]", Ink.KEY, f"{place}.{shown[-1]}"))
    return spans


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    # Added to nought so that what is rounded to it has no sign.
    return f"{round(value, 2) + 0.0:.2f}" if abs(value) < 100 else f"{value:.0f}"[:5]
