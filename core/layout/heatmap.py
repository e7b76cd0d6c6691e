"""Draws a heat map: rows by columns, every figure as a shade that needs no colour to be read.

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
"""The meaning of each sign that is not a shade between nothing and all."""
_HATCHED = "╱"
_LEADS = "▸"
_FLIP = "△"
_EDGE = 0.1
"""Least figure that is drawn as more than nothing."""
_BEYOND = 0.25
"""Least distance from 0 and from 1 at which a figure is marked as below or above them."""
_FIGURE_COLUMN = 9
"""Cells of a column: a blank, the leader's sign, two cells of shade, and the figure."""
_SHADE_COLUMN = 4
"""The same without the figure."""
_SLIM_COLUMN = 3
_TIGHT_COLUMN = 2
"""The leader's sign and one cell of shade."""
_TEXT_COLUMN = 14
"""Cells of a column that has a text underneath."""
_MAX_LABEL = 34
_MIN_LABEL = 4
_COMFORTABLE_LABEL = 12
"""Cells that a row's name gets before columns become wider than the tightest."""

Cell = tuple[int, int]
"""A row and a column of a heat map, both from 0."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One row of a heat map: a name and a figure for every column."""

    label: str
    values: tuple[float | None, ...]
    """0 is nothing, 1 is all; None where there is no figure."""
    ref: str = ""
    role: Role = Role.PLAIN
    """The row's role; its sign is drawn before the name."""
    lead: Role = Role.EVIDENCE
    """The role of its cells in the columns in which the row leads."""
    note: str = ""
    """Drawn instead of the figures ("not comparable"); empty where there are figures."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Figures in rows and columns, with notes on how to read them."""

    title: str
    rows: tuple[HeatRow, ...]
    columns: tuple[str, ...]
    leading: tuple[int | None, ...] = ()
    """The row that leads in each column; empty where rows do not compete."""
    figure: str = ""
    """What a shade stands for ("share among the options")."""
    notes: tuple[str, ...] = ()
    """How to read it, a sentence or two each; the first note is the finding."""
    column_texts: tuple[str, ...] = ()
    """A text for each column, drawn below it if it fits; empty for none."""
    column_texts_name: str = ""
    """The name of the row of these texts."""
    across: str = ""
    """What the columns count ("block"), drawn before their numbers."""
    by_construction: frozenset[Cell] = frozenset()
    """Cells whose figure says nothing about the model; they are hatched."""
    full: float = 1.0
    """The figure that fills a cell."""

    def shade(self, value: float | None) -> tuple[str, Role | Ink]:
        """The sign of a figure and its ink; see `shade`."""
        return shade(value if value is None else value / self.full)

    @property
    def flips(self) -> tuple[int, ...]:
        """The columns whose leader differs from that of the column before."""
        pairs = zip(self.leading, self.leading[1:], strict=False)
        return tuple(column for column, (before, leader) in enumerate(pairs, 1) if before != leader)


@dataclass(frozen=True, slots=True)
class Pointing:
    """The cursor and the highlighted cells of a heat map."""

    cursor: Cell | None = None
    """Drawn in brackets."""
    signs: Mapping[Cell, str] = field(default_factory=dict)
    """A sign, one cell wide, for each highlighted cell."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The visible part of a heat map and the widths of its columns."""

    label: int
    """Terminal cells of a row's name."""
    cell: int
    """Terminal cells of a column."""
    columns: range
    """The columns that are drawn."""
    rows: range
    """The rows that are drawn."""
    room: int
    """Terminal cells for all columns together."""


def draw_heat_map(heat: HeatMap, width: int, measure: Measure) -> list[Row]:
    """The whole map in `width` cells; columns that do not fit follow in panels underneath."""
    width = max(20, width)
    rows: list[Row] = [
        (Span(f" {line}", Ink.HEADING),)
        for line in wrap(escape_control_characters(heat.title), width - 1, measure)
    ]
    finding, notes = heat.notes[:1], heat.notes[1:]
    rows += _glosses(finding, width, measure)
    whole = frame(heat, width, measure, smallest=_SHADE_COLUMN)
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
    cursor: Cell = (0, 0),
    height: int | None = None,
    smallest: int = _TIGHT_COLUMN,
) -> Frame:
    """Choose the widest columns that all fit, or a part of the map around the cursor.

    Args:
        heat: the map.
        width: terminal cells available.
        measure: terminal cells that a text takes.
        cursor: the row and the column that must be visible.
        height: lines for the columns' names and the rows; None for no limit.
        smallest: least cells of a column.
    """
    count = len(heat.columns)
    texts = [row.label for row in heat.rows] + [heat.column_texts_name] * bool(heat.column_texts)
    longest = max((_MIN_LABEL, *(measure(escape_control_characters(text)) for text in texts)))
    room = width - 4
    rows = _window(len(heat.rows), len(heat.rows) if height is None else height - 1, cursor[0])
    names = min(longest, max(_COMFORTABLE_LABEL, min(_MAX_LABEL, width // 3)))

    def whole(cell: int) -> Frame:
        label = max(_MIN_LABEL, min(longest, room - count * cell))
        return Frame(label, cell, range(count), rows, room + 1 - label)

    if heat.column_texts and count and (room - min(longest, _MAX_LABEL)) // count > _FIGURE_COLUMN:
        return whole(min(_TEXT_COLUMN, (room - min(longest, _MAX_LABEL)) // count))
    for cell in (_FIGURE_COLUMN, _SHADE_COLUMN, _SLIM_COLUMN, _TIGHT_COLUMN):
        least = min(longest, _COMFORTABLE_LABEL) if cell == _TIGHT_COLUMN else names
        if cell >= smallest and count * cell <= room - least:
            return whole(cell)
    cell = max(smallest, _SLIM_COLUMN)
    label = max(
        _MIN_LABEL,
        min(longest, max(min(_MAX_LABEL, width // 2) if smallest == _SHADE_COLUMN else 0, names)),
    )
    columns = _window(count, (room - label) // cell, cursor[1])
    return Frame(label, cell, columns, rows, room + 1 - label)


def _window(count: int, fitting: int, cursor: int) -> range:
    """The visible indices: all, or as many as fit, with the cursor in the middle."""
    fitting = max(1, fitting)
    first = min(max(0, cursor - fitting // 2), max(0, count - fitting))
    return range(first, min(count, first + fitting))


def draw_panel(
    heat: HeatMap,
    shown: Frame,
    measure: Measure,
    ref: Callable[[int, int], str] | None = None,
    pointing: Pointing | None = None,
) -> list[Row]:
    """Draw a frame: the columns' names, the rows, where the leader changes, and the texts.

    Args:
        heat: the map.
        shown: its visible part.
        measure: terminal cells that a text takes.
        ref: the ref of the cell in a row and a column; that of the row if left out.
        pointing: the cursor and highlighted cells. A row's name has the ref of its cell in the
            cursor's column.
    """
    pointing = pointing or Pointing()
    blank = Span(" " * (shown.label + 3))
    rows: list[Row] = [_names(heat, shown, measure, pointing)]
    rows += [_row(heat, number, shown, measure, ref, pointing) for number in shown.rows]
    if any(column in heat.flips for column in shown.columns):
        marks = "".join(
            _under(_FLIP if column in heat.flips else "", shown.cell, measure)
            for column in shown.columns
        )
        rows.append((blank, Span(marks, Role.CHANGED)))
    if heat.column_texts and shown.cell >= _FIGURE_COLUMN:
        name = Span(
            pad(
                f"   {escape_control_characters(heat.column_texts_name)}", shown.label + 3, measure
            ),
            Ink.GLOSS,
        )
        texts = (heat.column_texts[column] for column in shown.columns)
        under = "".join(
            "  " + pad(escape_control_characters(text), shown.cell - 2, measure) for text in texts
        )
        rows.append((name, Span(under, Role.PLAIN)))
    return rows


def proportion_of_all(value: float | None) -> str:
    """A figure in at most four characters: .81; 0 and 1 are exact."""
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
    """A figure below 0 or above 1, never rounded to 0 or 1."""
    if abs(value) >= 9.95:
        return f"{max(-999, min(9999, value)):.0f}"
    if value <= -0.995:
        return f"{value:.1f}"
    text = f"{value:.2f}".replace("-0.", "-.")
    return {"-.00": "<0", "1.00": ">1"}.get(text, text)


def shade(value: float | None) -> tuple[str, Role | Ink]:
    """The sign of a figure of which 1 is all, one cell wide, and its ink."""
    if value is None:
        return _NOTHING, Role.MUTED
    if math.isnan(value):
        return _NO_NUMBER, Role.BAD
    if value <= -_BEYOND:
        return _BELOW, Role.BAD
    if value >= 1 + _BEYOND:
        return _ABOVE, Role.CHANGED
    level = 0 if value < _EDGE else min(len(_SHADES) - 1, 1 + int(value * (len(_SHADES) - 1)))
    return _SHADES[level], Ink.LINK if level else Ink.TRACK


def _names(heat: HeatMap, shown: Frame, measure: Measure, pointing: Pointing) -> Row:
    """The names above the columns; only every second or third one where columns are tight."""
    width = shown.label + 3
    corner = pad(f" {_corner(heat, shown, width - 2, measure)}", width, measure)
    spans = [Span(corner, Ink.NUMBER)]
    names = [escape_control_characters(heat.columns[column]) for column in shown.columns]
    if shown.cell >= _SHADE_COLUMN:
        for column, name in zip(shown.columns, names, strict=True):
            selected = pointing.cursor is not None and pointing.cursor[1] == column
            ink = Ink.KEY if selected else Ink.NUMBER
            spans.append(Span(_under(name, shown.cell, measure), ink))
        return tuple(spans)
    every = max(1, -(-(max(map(measure, names), default=0) + 1) // shown.cell))
    text = "".join(
        pad(name, shown.cell * every, measure, right=True)
        if index + every <= len(names)
        else " " * shown.cell * (len(names) - index)
        for index, name in enumerate(names)
        if index % every == 0
    )
    return *spans, Span(text, Ink.NUMBER)


def _corner(heat: HeatMap, shown: Frame, width: int, measure: Measure) -> str:
    """What the columns count, or the visible range of rows and columns if not all are visible."""
    across = escape_control_characters(heat.across)
    parts = [
        (name, f"{part.start}–{part.stop - 1}/{count}")
        for name, part, count in (
            (_("rows"), shown.rows, len(heat.rows)),
            (across, shown.columns, len(heat.columns)),
        )
        if name and len(part) < count
    ]
    words = ", ".join(f"{name} {visible}" for name, visible in parts)
    short = ", ".join(visible for _name, visible in parts)
    return (words if measure(words) <= width else short) or across


def _under(sign: str, cell: int, measure: Measure) -> str:
    """A short text as wide as a column, aligned with its shade."""
    return pad(pad(sign, min(cell, _SHADE_COLUMN), measure, right=True), cell, measure)


def _row(
    heat: HeatMap,
    number: int,
    shown: Frame,
    measure: Measure,
    ref: Callable[[int, int], str] | None,
    pointing: Pointing,
) -> Row:
    row, cursor = heat.rows[number], pointing.cursor
    note = f"  {escape_control_characters(row.note)}" if row.note else ""
    # A name is shortened rather than the reason why there are no figures.
    label = max(
        min(shown.label, _COMFORTABLE_LABEL),
        min(shown.label, shown.label + shown.room - measure(note)),
    )
    name = f" {SIGNS[row.role]} {pad(escape_control_characters(row.label), label, measure)}"
    column = shown.columns.start if cursor is None else cursor[1]
    head = Span(name, row.role, ref(number, column) if ref else row.ref)
    if note:
        words = pad(note, max(1, shown.room + shown.label - label), measure)
        return head, Span(words, Role.MUTED, head.ref)
    spans, bracket = [head], " "
    for column in shown.columns:
        value = row.values[column]
        sign, ink = heat.shade(value)
        if (number, column) in heat.by_construction and value is not None:
            sign, ink = _HATCHED, Role.MUTED
        leads = column < len(heat.leading) and heat.leading[column] == number
        strong = row.lead if leads else ink
        cell_ref = ref(number, column) if ref else row.ref
        bracket = "[" if cursor == (number, column) else bracket
        mark = (
            Span(_LEADS, strong, cell_ref)
            if leads
            else Span(pointing.signs.get((number, column), " "), Role.CHANGED, cell_ref)
        )
        if shown.cell > _TIGHT_COLUMN or bracket != " ":
            spans.append(Span(bracket, Ink.KEY, cell_ref))
        if shown.cell > _TIGHT_COLUMN or bracket == " ":
            spans.append(mark)
        with_figure = shown.cell >= _FIGURE_COLUMN
        wide = shown.cell - _FIGURE_COLUMN + 2 if with_figure else max(1, shown.cell - 2)
        spans.append(Span(sign * wide, strong if ink is Ink.LINK else ink, cell_ref))
        if with_figure:
            figure = pad(proportion_of_all(value), 5, measure, right=True)
            spans.append(Span(figure, row.lead if leads else Ink.NUMBER, cell_ref))
        bracket = "]" if bracket == "[" else " "
    if bracket == "]":
        spans.append(Span(bracket, Ink.KEY, spans[-1].ref))
    return tuple(spans)


def _glosses(texts: Sequence[str], width: int, measure: Measure) -> list[Row]:
    return [row for text in texts for row in paragraph(text, Ink.GLOSS, width, measure)]


def legend(heat: HeatMap) -> str:
    """The legend: what the shades and the signs mean."""
    parts = []
    if heat.figure:
        parts.append(_("· none ░ ▒ ▓ █ all: {figure}", figure=heat.figure))
    return " · ".join([*parts, *sign_meanings(heat)])


def sign_meanings(heat: HeatMap) -> list[str]:
    """The meanings of the signs of a map that are not shades between nothing and all."""
    signs = {heat.shade(value)[0] for row in heat.rows for value in row.values if not row.note}
    parts = [f"{sign} {_(meaning)}" for sign, meaning in BEYOND.items() if sign in signs]
    if heat.by_construction:
        parts.append(f"{_HATCHED} {_('by construction')}")
    if any(leader is not None for leader in heat.leading):
        parts.append(f"{_LEADS} {_('leads')}")
    if heat.flips:
        parts.append(f"{_FLIP} {_('another leads from here on')}")
    return parts
