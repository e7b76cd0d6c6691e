"""Draws a heat map: rows by columns, every figure as a shade, every sign told besides colour.

               0       1       2       3
true   ▸▓▓ .63 ▸██ .91  ·· .04 ▸██ .88
false   ▒▒ .37  ·· .09 ▸██ .96  ░░ .12
                         △       △
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.layout.rows import SIGNS, Ink, Measure, Row, Span, pad, wrap
from core.view import Role
from core.visible import visible

_SHADES = "·░▒▓█"
_BELOW = "▽"
_ABOVE = "▲"
_NOTHING = "–"
_NO_NUMBER = "?"
_LEADS = "▸"
_FLIP = "△"
_EDGE = 0.1
"""How far from 0 and from 1 a figure must lie to be told from them."""
_FIGURE = 9
"""Cells of a column: a blank, the leader's sign, two of shade, and the figure."""
_CELL = 4
"""The same without the figure."""
_SLIM = 3
_TIGHT = 2
"""The leader's sign and one cell of shade."""
_SAID = 14
"""Cells of a column under which stands what is said there."""
_LABEL = 34
_LEAST = 12
"""Cells that a name has before a column gets more than the tightest."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One row: a name and a figure for every column."""

    label: str
    values: tuple[float | None, ...]
    """0 is nothing, 1 is all; None where there is nothing to say."""
    ref: str = ""
    role: Role = Role.PLAIN
    """What the row is; its sign stands before the name."""
    lead: Role = Role.EVIDENCE
    """How its cells are drawn in the columns in which it leads."""
    note: str = ""
    """Said instead of the figures ("not comparable"); empty where there are figures."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Rows by columns, with what the figures are and are not."""

    title: str
    rows: tuple[HeatRow, ...]
    columns: tuple[str, ...]
    leading: tuple[int | None, ...] = ()
    """The row that leads in each column; empty where rows do not compete."""
    figure: str = ""
    """What a shade stands for ("share among the options")."""
    notes: tuple[str, ...] = ()
    """What must be known to read it, a sentence or two each: what is found first."""
    said: tuple[str, ...] = ()
    """A text for every column, drawn where there is room for it; empty for none."""
    saying: str = ""
    """What those texts are, in a word or two."""

    @property
    def flips(self) -> tuple[int, ...]:
        """The columns whose leader is not the one of the column before."""
        pairs = zip(self.leading, self.leading[1:], strict=False)
        return tuple(place for place, (one, other) in enumerate(pairs, 1) if one != other)


@dataclass(frozen=True, slots=True)
class Frame:
    """How much of a heat map is drawn, and how large."""

    label: int
    """Cells of a name."""
    cell: int
    """Cells of a column."""
    columns: range
    """The columns that are drawn."""
    room: int
    """Cells there are for them."""


def draw_heat_map(heat: HeatMap, width: int, measure: Measure) -> list[Row]:
    """The map in lines of at most `width` cells; columns that do not fit follow underneath."""
    width = max(20, width)
    rows: list[Row] = [
        (Span(f" {line}", Ink.HEADING),) for line in wrap(visible(heat.title), width - 1, measure)
    ]
    found, notes = heat.notes[:1], heat.notes[1:]
    rows += _glosses(found, width, measure)
    whole = frame(heat, width, measure, smallest=_CELL)
    step = max(1, len(whole.columns))
    for first in range(0, max(1, len(heat.columns)), step):
        part = range(first, min(first + step, len(heat.columns)))
        rows.append(())
        rows.extend(draw_panel(heat, replace(whole, columns=part), measure))
    under = _glosses((legend(heat), *notes), width, measure)
    return [*rows, (), *under] if under else rows


def frame(
    heat: HeatMap, width: int, measure: Measure, *, at: int = 0, smallest: int = _TIGHT
) -> Frame:
    """The largest columns of which all fit; else columns around the one at `at`.

    Args:
        heat: what is drawn.
        width: cells there are.
        measure: cells that a text takes.
        at: the column that is drawn whatever else is.
        smallest: cells of the smallest column.
    """
    count = len(heat.columns)
    longest = max((measure(visible(row.label)) for row in heat.rows), default=0)
    room = width - 4
    names = min(longest, max(_LEAST, min(_LABEL, width // 3)))
    if heat.said and count and (room - min(longest, _LABEL)) // count > _FIGURE:
        return _whole(count, min(_SAID, (room - min(longest, _LABEL)) // count), longest, room)
    for cell in (_FIGURE, _CELL, _SLIM, _TIGHT):
        if cell >= smallest and count * cell <= room - names:
            return _whole(count, cell, longest, room)
    cell = max(smallest, _SLIM)
    label = max(4, min(longest, max(min(_LABEL, width // 2) if smallest == _CELL else 0, names)))
    fitting = max(1, (room - label) // cell)
    first = max(0, min(at - fitting // 2, count - fitting))
    return Frame(label, cell, range(first, min(count, first + fitting)), room + 1 - label)


def _whole(count: int, cell: int, longest: int, room: int) -> Frame:
    label = max(4, min(longest, room - count * cell))
    return Frame(label, cell, range(count), room + 1 - label)


def draw_panel(
    heat: HeatMap,
    shown: Frame,
    measure: Measure,
    ref: Callable[[int, int], str] | None = None,
    at: tuple[int, int] | None = None,
) -> list[Row]:
    """The columns in a frame: their numbers, the rows, where the leader changes, what is said.

    Args:
        heat: what is drawn.
        shown: how much of it.
        measure: cells that a text takes.
        ref: a name for what stands in a row and a column; that of the row if left out.
        at: the row and the column that stand in brackets.
    """
    blank = Span(" " * (shown.label + 3))
    rows: list[Row] = [(blank, Span(_numbers(heat, shown, measure), Ink.NUMBER))]
    for number, row in enumerate(heat.rows):
        drawn = _row(heat, number, row, shown, measure, ref)
        rows.append(_bracketed(drawn, shown, at[1]) if at and at[0] == number else drawn)
    if any(place in heat.flips for place in shown.columns):
        marks = "".join(
            _under(_FLIP if place in heat.flips else "", shown.cell, measure)
            for place in shown.columns
        )
        rows.append((blank, Span(marks, Role.CHANGED)))
    if heat.said and shown.cell >= _FIGURE:
        name = Span(pad(f"   {visible(heat.saying)}", shown.label + 3, measure), Ink.GLOSS)
        texts = (heat.said[place] for place in shown.columns)
        said = "".join("  " + pad(visible(text), shown.cell - 2, measure) for text in texts)
        rows.append((name, Span(said, Role.PLAIN)))
    return rows


def proportion_of_all(value: float | None) -> str:
    """A figure in at most four signs: .81, never a false 1 or 0."""
    if value is None:
        return _NOTHING
    if math.isnan(value):
        return _NO_NUMBER
    if not 0 <= value <= 1:
        return f"{max(-99, min(99, value)):.1f}"
    if value >= 0.995:
        return "1" if value == 1 else ">.99"
    if value < 0.005:
        return "0" if value == 0 else "<.01"
    return f"{value:.2f}".removeprefix("0")


def shade(value: float | None) -> tuple[str, Role | Ink]:
    """The sign of a figure, one cell wide, and how it is drawn."""
    if value is None:
        return _NOTHING, Role.MUTED
    if math.isnan(value):
        return _NO_NUMBER, Role.BAD
    if value <= -_EDGE:
        return _BELOW, Role.BAD
    if value >= 1 + _EDGE:
        return _ABOVE, Role.CHANGED
    level = 0 if value < _EDGE else min(len(_SHADES) - 1, 1 + int(value * (len(_SHADES) - 1)))
    return _SHADES[level], Ink.LINK if level else Ink.TRACK


def _numbers(heat: HeatMap, shown: Frame, measure: Measure) -> str:
    """The columns' names over their shades; only some of them where columns are tight."""
    names = [visible(heat.columns[place]) for place in shown.columns]
    if shown.cell >= _CELL:
        return "".join(_under(name, shown.cell, measure) for name in names)
    every = max(1, -(-(max(map(measure, names), default=0) + 1) // shown.cell))
    return "".join(
        pad(name, shown.cell * every, measure, right=True)
        if at + every <= len(names)
        else " " * shown.cell * (len(names) - at)
        for at, name in enumerate(names)
        if at % every == 0
    )


def _under(sign: str, cell: int, measure: Measure) -> str:
    """A short text as wide as a column, at its shade."""
    return pad(pad(sign, min(cell, _CELL), measure, right=True), cell, measure)


def _row(
    heat: HeatMap,
    number: int,
    row: HeatRow,
    shown: Frame,
    measure: Measure,
    ref: Callable[[int, int], str] | None,
) -> Row:
    name = f" {SIGNS[row.role]} {pad(visible(row.label), shown.label, measure)}"
    head = Span(name, row.role, "" if ref else row.ref)
    if row.note:
        words = pad(f"  {visible(row.note)}", max(1, shown.room), measure)
        return head, Span(words, Role.MUTED, ref(number, shown.columns.start) if ref else row.ref)
    spans = [head]
    for place in shown.columns:
        value = row.values[place]
        sign, ink = shade(value)
        leads = place < len(heat.leading) and heat.leading[place] == number
        here = ref(number, place) if ref else row.ref
        shades, figure = sign * max(1, shown.cell - 2), ""
        if shown.cell >= _FIGURE:
            shades = sign * (shown.cell - _FIGURE + 2)
            figure = pad(proportion_of_all(value), 5, measure, right=True)
        gap = "" if shown.cell == _TIGHT else " "
        strong = row.lead if leads else ink
        spans.append(Span(gap, Role.PLAIN, here))
        spans.append(Span(_LEADS if leads else " ", strong, here))
        spans.append(Span(shades, strong if ink is Ink.LINK else ink, here))
        spans.append(Span(figure, row.lead if leads else Ink.NUMBER, here))
    return tuple(spans)


def _bracketed(row: Row, shown: Frame, column: int) -> Row:
    """The row with the blanks around one of its cells turned to brackets."""
    head, *cells = row
    first = 4 * (column - shown.columns.start)
    if len(cells) < 4 or shown.cell == _TIGHT:
        # There are no blanks: its name stands out, and its column by what is said of it.
        return row
    after = Span("]", Ink.KEY, cells[first].ref)
    cells[first] = Span("[", Ink.KEY, cells[first].ref)
    if first + 4 < len(cells):
        cells[first + 4] = after
    else:
        cells.append(after)
    return head, *cells


def _glosses(texts: Sequence[str], width: int, measure: Measure) -> list[Row]:
    return [
        (Span(f" {line}", Ink.GLOSS),)
        for text in texts
        if text
        for line in wrap(visible(text), width - 2, measure)
    ]


def legend(heat: HeatMap) -> str:
    """What the signs stand for."""
    parts = [f"{_SHADES[0]} none ░ ▒ ▓ █ all: {heat.figure}"] if heat.figure else []
    signs = {shade(value)[0] for row in heat.rows for value in row.values if not row.note}
    for sign, meaning in (
        (_BELOW, "below nothing"),
        (_ABOVE, "above all"),
        (_NOTHING, "nothing to say"),
        (_NO_NUMBER, "not a number"),
    ):
        parts += [f"{sign} {meaning}"] if sign in signs else []
    if any(leader is not None for leader in heat.leading):
        parts.append(f"{_LEADS} leads")
    if heat.flips:
        parts.append(f"{_FLIP} another leads from here on")
    return " · ".join(parts)
