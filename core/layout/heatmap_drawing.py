"""Draws a heat map: rows by columns, every figure as a shade that needs no colour to be read.

               0       1       2       3
true   ▸▓▓ .63 ▸██ .91  ·· .04 ▸██ .88
false   ▒▒ .37  ·· .09 ▸██ .96  ░░ .12
                         △       △
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.contract.view import Role
from core.layout.heatmap import FLIP, HATCHED, LEADS, MARK, Cell, HeatMap, legend, proportion_of_all
from core.layout.rows import SIGNS, Ink, Measure, Row, Span, pad, paragraph, wrap
from core.text.escaping import escape_control_characters
from core.text.language import _

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
            _under(FLIP if column in heat.flips else "", shown.cell, measure)
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
            sign, ink = HATCHED, Role.MUTED
        leads = column < len(heat.leading) and heat.leading[column] == number
        strong = row.lead if leads else ink
        cell_ref = ref(number, column) if ref else row.ref
        bracket = "[" if cursor == (number, column) else bracket
        own = MARK if (number, column) in heat.marked else " "
        mark = (
            Span(LEADS, strong, cell_ref)
            if leads
            else Span(pointing.signs.get((number, column), own), Role.CHANGED, cell_ref)
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
