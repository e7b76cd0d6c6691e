"""Draws the sections of a view as rows."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.view import Graph, Grid, Note, Role, Section, Statements, View
from core.layout.rows import Ink, Measure, Row, Span, indented, pad, words, wrap
from core.layout.statements import MOST_DRAWN_LINKS, draw_statements
from core.text.escaping import escape_control_characters

_MAX_DRAWN_NODES = 400
"""Graphs with more nodes are listed in words instead of drawn."""


def draw_view(
    view: View, width: int, measure: Measure, *, glosses: bool = False, airy: bool = True
) -> list[Row]:
    """Draw the sections of a view under each other; the caller draws its title and badges.

    When `airy`, blank rows separate statements, and a note from the statements below it.
    """
    rows: list[Row] = []
    several = sum(isinstance(section, Statements | Graph) for section in view.sections) > 1
    for before, section in zip((None, *view.sections), view.sections, strict=False):
        is_heading = isinstance(before, Note) and isinstance(section, Statements)
        if rows and (airy or not is_heading):
            rows.append(())
        if several and isinstance(section, Statements) and section.title:
            rows.append((Span(f" {escape_control_characters(section.title)}", Ink.HEADING),))
        rows.extend(draw_section(section, width, measure, glosses=glosses, airy=airy))
    return rows


def draw_section(
    section: Section, width: int, measure: Measure, *, glosses: bool = False, airy: bool = True
) -> list[Row]:
    """Draw one section in `width` cells."""
    match section:
        case Statements():
            return draw_statements(section, width, measure, glosses=glosses, airy=airy)
        case Graph():
            return _draw_graph(section, width, measure)
        case Grid():
            return _draw_grid(section, width, measure)
        case Note():
            return indented(section.text, section.role, width, measure)


def _draw_graph(graph: Graph, width: int, measure: Measure) -> list[Row]:
    """The drawing under its title if it fits, otherwise an outline in words."""
    from core.layout.graph.canvas import draw_placement
    from core.layout.graph.outline import outline
    from core.layout.graph.placement import place_graph

    if len(graph.nodes) > _MAX_DRAWN_NODES or len(graph.links) > MOST_DRAWN_LINKS:
        return outline(graph, width, measure)
    placement = place_graph(graph, measure)
    if placement.width + 1 > width:
        return outline(graph, width, measure)
    rows: list[Row] = (
        [(Span(f" {escape_control_characters(graph.title)}", Ink.HEADING),)] if graph.title else []
    )
    rows += [(Span(" "), *row) for row in draw_placement(placement, graph, measure)]
    return rows + indented(graph.note, Ink.GLOSS, width, measure)


def _draw_grid(grid: Grid, width: int, measure: Measure) -> list[Row]:
    """A table whose widest columns shrink until it fits; long cells are wrapped.

    Words and intervals are broken only where all columns are as narrow as their widest word.
    """
    rows_of_texts = [grid.columns, *([cell.text for cell in row] for row in grid.rows)]
    columns = [
        [*map(escape_control_characters, column)] for column in zip(*rows_of_texts, strict=True)
    ]
    widths = [min(width, max(map(measure, column))) for column in columns]
    least = [
        max(measure(word) for text in column for word in words(text, width, measure))
        for column in columns
    ]
    while sum(widths) + 2 * len(widths) > width and max(widths) > 4:
        wider = [i for i, need in enumerate(least) if widths[i] > need]
        widths[max(wider or range(len(widths)), key=widths.__getitem__)] -= 1
    rows: list[Row] = [(Span(f" {escape_control_characters(grid.title)}", Ink.HEADING),)]
    rows += _grid_row([(column, Ink.HEADING) for column in grid.columns], widths, measure)
    for row in grid.rows:
        rows += _grid_row([(cell.text, cell.role) for cell in row], widths, measure)
    return rows + indented(grid.note, Ink.GLOSS, width, measure)


def _grid_row(
    cells: Sequence[tuple[str, Role | Ink]], widths: Sequence[int], measure: Measure
) -> list[Row]:
    """One row of a table: as many rows of spans as its longest cell has lines."""
    wrapped = [
        wrap(escape_control_characters(text), max(1, room), measure)
        for (text, _), room in zip(cells, widths, strict=True)
    ]
    return [
        tuple(
            Span(" " + pad(lines[i] if i < len(lines) else "", room, measure) + " ", ink)
            for lines, (_, ink), room in zip(wrapped, cells, widths, strict=True)
        )
        for i in range(max(len(lines) for lines in wrapped))
    ]
