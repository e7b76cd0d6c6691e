"""Draws items by runs: a row for each item, a column for each run."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from core.contract.task_layer import TaskLayer
from core.contract.view import Role
from core.layout.rows import SIGNS, Ink, Row, Span, pad_inside, paragraph
from core.runs.comparison import ALL_RIGHT, NONE_WRONG
from core.runs.heat_map import HeatMapRow
from core.text.escaping import escape_control_characters
from core.text.language import _

HEAT_MAP = "map"
"""The part of the comparison that the cursor is in, on these rows."""
_WIDE, _NARROW = 4, 3
"""Cells of a column, where there is room and where there is not."""
_LETTERS_EVERY = 20
"""Rows after which the letters of the runs stand again."""
_NOT_ASKED = "·"
_NONE_WRONG = "…"


def draw_heat_map(
    rows: Sequence[HeatMapRow], layers: Sequence[TaskLayer], width: int, letters: Sequence[str]
) -> list[Row]:
    """A heading, what the signs mean, the letters of the runs, and a row for each item.

    A cell is `✓` for all right, `…` for none wrong so far, or `✗` and the number of the first wrong
    layer: never only a colour. The letters stand again between the rows, as there may be hundreds
    of these.
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
    if NONE_WRONG in met:
        legend.append(f"{_NONE_WRONG} {_(NONE_WRONG)}")
    if None in met:
        legend.append(f"{_NOT_ASKED} {_('not asked')}")
    items = [escape_control_characters(row.item, limit=80) for row in rows]
    longest = max(map(cell_len, items))
    column = _WIDE if longest + 2 + _WIDE * len(letters) <= width else _NARROW
    item_width = min(longest, max(6, width - 2 - column * len(letters)))
    heads = "".join(f"{letter:<{column}}" for letter in letters)
    heading = (Span(" " * (item_width + 2)), Span(heads, Ink.KEY))
    title = _("First wrong layer of every item, by run")
    drawn: list[Row] = [
        (Span(f" {title}", Ink.HEADING, f"{HEAT_MAP}/heading"),),
        *paragraph(" · ".join(legend), Role.MUTED, width, cell_len),
    ]
    for place, row in enumerate(rows):
        if place % _LETTERS_EVERY == 0:
            drawn.append(heading)
        ref = f"{HEAT_MAP}/{place}"
        name = Span(f" {pad_inside(items[place], item_width, cell_len)} ", Ink.NUMBER, ref)
        cells = (_cell(each, numbers) for each in row.first_wrong)
        drawn.append((name, *(Span(f"{text:<{column}}", ink, ref) for text, ink in cells)))
    return drawn


def _cell(first_wrong: str | None, numbers: dict[str, str]) -> tuple[str, Role]:
    if first_wrong is None:
        return _NOT_ASKED, Role.MUTED
    if first_wrong == ALL_RIGHT:
        return SIGNS[Role.GOOD], Role.GOOD
    if first_wrong == NONE_WRONG:
        return _NONE_WRONG, Role.MUTED
    return f"{SIGNS[Role.BAD]}{numbers.get(first_wrong, '?')}", Role.BAD
