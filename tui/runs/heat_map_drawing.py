"""Draws items by runs: a row for each item, a column for each run."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from rich.cells import cell_len

from core.contract.task_layer import TaskLayer
from core.contract.view import Role
from core.layout.rows import SIGNS, Ink, Row, Span, pad, paragraph
from core.runs.comparison import ALL_RIGHT
from core.runs.heat_map import HeatMapRow
from core.text.escaping import escape_control_characters
from core.text.language import _

HEAT_MAP = "map"
"""The part of the comparison that the cursor is in, on these rows."""
_CELL = 4
"""Cells of a column."""
_NOT_ASKED = "·"


def draw_heat_map(rows: Sequence[HeatMapRow], layers: Sequence[TaskLayer], width: int) -> list[Row]:
    """A heading, what the signs mean, the letters of the runs, and a row for each item.

    A cell is `✓` for all right or `✗` and the number of the first wrong layer: never only a
    colour.
    """
    counted = [layer for layer in layers if not layer.aside]
    numbers = {layer.id: str(number) for number, layer in enumerate(counted, 1)}
    met = {cell for row in rows for cell in row.first_wrong}
    legend = [
        f"{SIGNS[Role.BAD]}{numbers[layer.id]} {layer.shown}"
        for layer in counted
        if layer.id in met
    ]
    legend.append(f"{SIGNS[Role.GOOD]} {_(ALL_RIGHT)}")
    if None in met:
        legend.append(f"{_NOT_ASKED} {_('not asked')}")
    runs = len(rows[0].first_wrong)
    items = [escape_control_characters(row.item, limit=80) for row in rows]
    room = max(6, width - 2 - _CELL * runs)
    item_width = min(max(map(cell_len, items)), room)
    letters = "".join(
        f"{ascii_uppercase[run] if run < len(ascii_uppercase) else '+':<{_CELL}}"
        for run in range(runs)
    )
    title = _("First wrong layer of every item, by run")
    drawn: list[Row] = [
        (Span(f" {title}", Ink.HEADING, f"{HEAT_MAP}/heading"),),
        *paragraph(" · ".join(legend), Role.MUTED, width, cell_len),
        (Span(" " * (item_width + 2)), Span(letters, Ink.KEY)),
    ]
    for place, row in enumerate(rows):
        ref = f"{HEAT_MAP}/{place}"
        name = Span(f" {pad(items[place], item_width, cell_len)} ", Ink.NUMBER, ref)
        drawn.append((name, *(_cell(each, numbers, ref) for each in row.first_wrong)))
    return drawn


def _cell(first_wrong: str | None, numbers: dict[str, str], ref: str) -> Span:
    if first_wrong is None:
        return Span(f"{_NOT_ASKED:<{_CELL}}", Role.MUTED, ref)
    if first_wrong == ALL_RIGHT:
        return Span(f"{SIGNS[Role.GOOD]:<{_CELL}}", Role.GOOD, ref)
    text = f"{SIGNS[Role.BAD]}{numbers.get(first_wrong, '?')}"
    return Span(f"{text:<{_CELL}}", Role.BAD, ref)
