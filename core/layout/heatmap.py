"""Draws a heat map: rows by columns, every figure as a shade, every sign told besides colour.

               0       1       2       3
true   ▸▓▓ .63 ▸██ .91  ·· .04 ▸██ .88
false   ▒▒ .37  ·· .09 ▸██ .96  ░░ .12
                         △       △
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.contract.view import Role
from core.layout.rows import SIGNS, Ink, Measure, Row, Span, pad, paragraph, wrap
from core.text.escaping import escape_control_characters
from core.text.language import N_, _

_SHADES = "·░▒▓█"
_BELOW = "▽"
_ABOVE = "▲"
_NOTHING = "–"
_NO_NUMBER = "?"
BEYOND = {
    _BELOW: N_("below nothing"),
    _ABOVE: N_("above all"),
    _NOTHING: N_("nothing to say"),
    _NO_NUMBER: N_("not a number"),
}
"""What the signs of a cell say that are no step from nothing to all."""
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
_SHORTEST = 4
_LEAST = 12
"""Cells that a name has before a column gets more than the tightest."""

Cell = tuple[int, int]
"""A row and a column of a heat map, both from 0."""


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
    across: str = ""
    """What the columns count ("block"), drawn before their numbers."""

    @property
    def flips(self) -> tuple[int, ...]:
        """The columns whose leader is not the one of the column before."""
        pairs = zip(self.leading, self.leading[1:], strict=False)
        return tuple(place for place, (one, other) in enumerate(pairs, 1) if one != other)


@dataclass(frozen=True, slots=True)
class Pointing:
    """What is pointed at in a heat map."""

    at: Cell | None = None
    """Under the cursor, in brackets."""
    signs: Mapping[Cell, str] = field(default_factory=dict)
    """A sign, one cell wide, for cells that stand out."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How much of a heat map is drawn, and how large."""

    label: int
    """Cells of a name."""
    cell: int
    """Cells of a column."""
    columns: range
    """The columns that are drawn."""
    rows: range
    """The rows that are drawn."""
    room: int
    """Cells there are for the columns."""


def draw_heat_map(heat: HeatMap, width: int, measure: Measure) -> list[Row]:
    """The map in lines of at most `width` cells; columns that do not fit follow underneath."""
    width = max(20, width)
    rows: list[Row] = [
        (Span(f" {line}", Ink.HEADING),)
        for line in wrap(escape_control_characters(heat.title), width - 1, measure)
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
    heat: HeatMap,
    width: int,
    measure: Measure,
    *,
    at: Cell = (0, 0),
    height: int | None = None,
    smallest: int = _TIGHT,
) -> Frame:
    """The largest columns of which all fit; else columns around that of `at`.

    Args:
        heat: what is drawn.
        width: cells there are.
        measure: cells that a text takes.
        at: the row and the column that are drawn whatever else is.
        height: lines there are for the columns' names and the rows; None for as many as it takes.
        smallest: cells of the smallest column.
    """
    count = len(heat.columns)
    texts = [row.label for row in heat.rows] + [heat.saying] * bool(heat.said)
    longest = max((_SHORTEST, *(measure(escape_control_characters(text)) for text in texts)))
    room = width - 4
    rows = _window(len(heat.rows), len(heat.rows) if height is None else height - 1, at[0])
    names = min(longest, max(_LEAST, min(_LABEL, width // 3)))

    def whole(cell: int) -> Frame:
        label = max(_SHORTEST, min(longest, room - count * cell))
        return Frame(label, cell, range(count), rows, room + 1 - label)

    if heat.said and count and (room - min(longest, _LABEL)) // count > _FIGURE:
        return whole(min(_SAID, (room - min(longest, _LABEL)) // count))
    for cell in (_FIGURE, _CELL, _SLIM, _TIGHT):
        least = min(longest, _LEAST) if cell == _TIGHT else names
        if cell >= smallest and count * cell <= room - least:
            return whole(cell)
    cell = max(smallest, _SLIM)
    label = max(
        _SHORTEST, min(longest, max(min(_LABEL, width // 2) if smallest == _CELL else 0, names))
    )
    columns = _window(count, (room - label) // cell, at[1])
    return Frame(label, cell, columns, rows, room + 1 - label)


def _window(many: int, fitting: int, at: int) -> range:
    """Those that are in sight: all, or as many as fit, with the cursor's in the middle."""
    fitting = max(1, fitting)
    first = min(max(0, at - fitting // 2), max(0, many - fitting))
    return range(first, min(many, first + fitting))


def draw_panel(
    heat: HeatMap,
    shown: Frame,
    measure: Measure,
    ref: Callable[[int, int], str] | None = None,
    pointing: Pointing | None = None,
) -> list[Row]:
    """What is in a frame: the columns' names, the rows, where the leader changes, what is said.

    Args:
        heat: what is drawn.
        shown: how much of it.
        measure: cells that a text takes.
        ref: a name for what stands in a row and a column; that of the row if left out.
        pointing: what stands out of it. A row's name has the ref of its cell in the cursor's
            column.
    """
    pointing = pointing or Pointing()
    blank = Span(" " * (shown.label + 3))
    rows: list[Row] = [_names(heat, shown, measure, pointing)]
    rows += [_row(heat, number, shown, measure, ref, pointing) for number in shown.rows]
    if any(place in heat.flips for place in shown.columns):
        marks = "".join(
            _under(_FLIP if place in heat.flips else "", shown.cell, measure)
            for place in shown.columns
        )
        rows.append((blank, Span(marks, Role.CHANGED)))
    if heat.said and shown.cell >= _FIGURE:
        name = Span(
            pad(f"   {escape_control_characters(heat.saying)}", shown.label + 3, measure), Ink.GLOSS
        )
        texts = (heat.said[place] for place in shown.columns)
        said = "".join(
            "  " + pad(escape_control_characters(text), shown.cell - 2, measure) for text in texts
        )
        rows.append((name, Span(said, Role.PLAIN)))
    return rows


def proportion_of_all(value: float | None) -> str:
    """A figure in at most four signs: .81, never a false 1 or 0."""
    if value is None:
        return _NOTHING
    if math.isnan(value):
        return _NO_NUMBER
    if not 0 <= value <= 1:
        return _beyond(value)
    if value >= 0.995:
        return "1" if value == 1 else ">.99"
    if value < 0.005:
        return "0" if value == 0 else "<.01"
    return f"{value:.2f}".removeprefix("0")


def _beyond(value: float) -> str:
    """A figure that is less than nothing or more than all, never a false 0 or 1."""
    if abs(value) >= 9.95:
        return f"{max(-999, min(9999, value)):.0f}"
    if value <= -0.995:
        return f"{value:.1f}"
    said = f"{value:.2f}".replace("-0.", "-.")
    return {"-.00": "<0", "1.00": ">1"}.get(said, said)


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


def _names(heat: HeatMap, shown: Frame, measure: Measure, pointing: Pointing) -> Row:
    """The columns' names over their shades; only some of them where columns are tight."""
    width = shown.label + 3
    corner = pad(f" {_corner(heat, shown, width - 2, measure)}", width, measure)
    spans = [Span(corner, Ink.NUMBER)]
    names = [escape_control_characters(heat.columns[place]) for place in shown.columns]
    if shown.cell >= _CELL:
        for place, name in zip(shown.columns, names, strict=True):
            here = pointing.at is not None and pointing.at[1] == place
            ink = Ink.KEY if here else Ink.NUMBER
            spans.append(Span(_under(name, shown.cell, measure), ink))
        return tuple(spans)
    every = max(1, -(-(max(map(measure, names), default=0) + 1) // shown.cell))
    text = "".join(
        pad(name, shown.cell * every, measure, right=True)
        if at + every <= len(names)
        else " " * shown.cell * (len(names) - at)
        for at, name in enumerate(names)
        if at % every == 0
    )
    return *spans, Span(text, Ink.NUMBER)


def _corner(heat: HeatMap, shown: Frame, width: int, measure: Measure) -> str:
    """What the columns count, or which of them and of the rows are in sight if not all are."""
    across = escape_control_characters(heat.across)
    parts = [
        (name, f"{part.start}–{part.stop - 1}/{many}")
        for name, part, many in (
            (_("rows"), shown.rows, len(heat.rows)),
            (across, shown.columns, len(heat.columns)),
        )
        if name and len(part) < many
    ]
    words = ", ".join(f"{name} {said}" for name, said in parts)
    short = ", ".join(said for _name, said in parts)
    return (words if measure(words) <= width else short) or across


def _under(sign: str, cell: int, measure: Measure) -> str:
    """A short text as wide as a column, at its shade."""
    return pad(pad(sign, min(cell, _CELL), measure, right=True), cell, measure)


def _row(
    heat: HeatMap,
    number: int,
    shown: Frame,
    measure: Measure,
    ref: Callable[[int, int], str] | None,
    pointing: Pointing,
) -> Row:
    row, at = heat.rows[number], pointing.at
    note = f"  {escape_control_characters(row.note)}" if row.note else ""
    # A name is shortened rather than the reason why there are no figures.
    label = max(
        min(shown.label, _LEAST), min(shown.label, shown.label + shown.room - measure(note))
    )
    name = f" {SIGNS[row.role]} {pad(escape_control_characters(row.label), label, measure)}"
    column = shown.columns.start if at is None else at[1]
    head = Span(name, row.role, ref(number, column) if ref else row.ref)
    if note:
        words = pad(note, max(1, shown.room + shown.label - label), measure)
        return head, Span(words, Role.MUTED, head.ref)
    spans, bracket = [head], " "
    for place in shown.columns:
        value = row.values[place]
        sign, ink = shade(value)
        leads = place < len(heat.leading) and heat.leading[place] == number
        strong = row.lead if leads else ink
        here = ref(number, place) if ref else row.ref
        bracket = "[" if at == (number, place) else bracket
        mark = (
            Span(_LEADS, strong, here)
            if leads
            else Span(pointing.signs.get((number, place), " "), Role.CHANGED, here)
        )
        if shown.cell > _TIGHT or bracket != " ":
            spans.append(Span(bracket, Ink.KEY, here))
        if shown.cell > _TIGHT or bracket == " ":
            spans.append(mark)
        figured = shown.cell >= _FIGURE
        wide = shown.cell - _FIGURE + 2 if figured else max(1, shown.cell - 2)
        spans.append(Span(sign * wide, strong if ink is Ink.LINK else ink, here))
        if figured:
            figure = pad(proportion_of_all(value), 5, measure, right=True)
            spans.append(Span(figure, row.lead if leads else Ink.NUMBER, here))
        bracket = "]" if bracket == "[" else " "
    if bracket == "]":
        spans.append(Span(bracket, Ink.KEY, spans[-1].ref))
    return tuple(spans)


def _glosses(texts: Sequence[str], width: int, measure: Measure) -> list[Row]:
    return [row for text in texts for row in paragraph(text, Ink.GLOSS, width, measure)]


def legend(heat: HeatMap) -> str:
    """What the signs stand for."""
    parts = []
    if heat.figure:
        parts.append(_("· none ░ ▒ ▓ █ all: {figure}", figure=heat.figure))
    return " · ".join([*parts, *signs_said(heat)])


def signs_said(heat: HeatMap) -> list[str]:
    """What each sign of a map stands for that is no step from nothing to all."""
    signs = {shade(value)[0] for row in heat.rows for value in row.values if not row.note}
    parts = [f"{sign} {_(meaning)}" for sign, meaning in BEYOND.items() if sign in signs]
    if any(leader is not None for leader in heat.leading):
        parts.append(f"{_LEADS} {_('leads')}")
    if heat.flips:
        parts.append(f"{_FLIP} {_('another leads from here on')}")
    return parts
