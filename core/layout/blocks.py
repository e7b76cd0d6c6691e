"""Draws every kind of block of a view as rows."""

from __future__ import annotations

from core.layout.rows import Ink, Measure, Row, Span, pad, wrap
from core.layout.statements import draw_statements
from core.view import Block, Grid, Note, Statements, View
from core.visible import visible


def draw_view(
    view: View, width: int, measure: Measure, *, glosses: bool = False, airy: bool = True
) -> list[Row]:
    """Draw a view's blocks under each other; its title and badges are the caller's to draw."""
    rows: list[Row] = []
    for block in view.blocks:
        if rows:
            rows.append(())
        rows.extend(draw_block(block, width, measure, glosses=glosses, airy=airy))
    return rows


def draw_block(
    block: Block, width: int, measure: Measure, *, glosses: bool = False, airy: bool = True
) -> list[Row]:
    """Draw one block in `width` cells."""
    match block:
        case Statements():
            return draw_statements(block, width, measure, glosses=glosses, airy=airy)
        case Grid():
            return _draw_grid(block, width, measure)
        case Note():
            lines = wrap(visible(block.text), max(8, width - 2), measure)
            return [(Span(" "), Span(line, block.role)) for line in lines]


def _draw_grid(grid: Grid, width: int, measure: Measure) -> list[Row]:
    """A table whose columns are as wide as their longest cell, cut where the width ends."""
    texts = [grid.columns, *([cell.text for cell in row] for row in grid.rows)]
    widths = [max(measure(visible(row[i])) for row in texts) for i in range(len(grid.columns))]
    while sum(widths) + 2 * len(widths) + 1 > width and max(widths) > 6:
        widths[widths.index(max(widths))] -= 1
    heading = [
        Span(" " + pad(visible(c), w, measure) + " ", Ink.HEADING)
        for c, w in zip(grid.columns, widths, strict=True)
    ]
    rows: list[Row] = [(Span(f" {visible(grid.title)}", Ink.HEADING),), tuple(heading)]
    rows += [
        tuple(
            Span(" " + pad(visible(cell.text), w, measure) + " ", cell.role)
            for cell, w in zip(row, widths, strict=True)
        )
        for row in grid.rows
    ]
    if grid.note:
        lines = wrap(visible(grid.note), max(8, width - 2), measure)
        rows += [(Span(" "), Span(line, Ink.GLOSS)) for line in lines]
    return rows
