"""Draws statements under each other, with the links between them to their right.

0 ● Olga ha staccato la spina.      conflict ──╮
1   Olga ha preso due mele.                    │ power
2 ■ Olga ha frullato le mele.    breakpoint ◀──╯
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.contract.view import Graph, Link, Node, Role, Statements
from core.layout.rows import SIGNS, Ink, Measure, Row, Span, pad, wrap
from core.text.escaping import escape_control_characters

_NARROW = 30
"""Below this many cells for the text, notes move under their statement."""
_LEAST = 8
"""Below this many cells for the text, links are told in words instead of drawn."""
MOST_DRAWN_LINKS = 1_000
"""More links are told in words, here and of a graph."""


@dataclass(frozen=True, slots=True)
class _Track:
    """A drawn link: the rows of its two ends and the column of its line."""

    link: Link
    top: int
    bottom: int
    column: int
    points_down: bool

    @property
    def label_row(self) -> int:
        """The row of the label."""
        return (self.top + self.bottom) // 2


def draw_statements(
    section: Statements,
    width: int,
    measure: Measure,
    *,
    glosses: bool = False,
    airy: bool = True,
) -> list[Row]:
    """Draw the statements of `section` in `width` cells.

    When `airy`, a blank row separates statements, so that a link between neighbours has a row for
    its label. A statement with neither number nor note, such as the question above its options,
    also uses the column of the notes. Where the links leave no room for the text, they are told in
    words.
    """
    if len(section.links) > MOST_DRAWN_LINKS:
        return _in_words(section, width, measure)
    numbers = [escape_control_characters(statement.number) for statement in section.statements]
    number_width = max((measure(number) for number in numbers), default=0)
    left = number_width + 4
    columns = _columns(section)
    labels = max(
        (measure(escape_control_characters(link.label)) for link in section.links), default=0
    )
    link_width = (2 + 2 * (max(columns, default=0) + 1) + 1 + labels) if section.links else 0
    notes = max((measure(escape_control_characters(s.note)) for s in section.statements), default=0)
    narrow = width - left - link_width - notes - 2 < _NARROW
    if narrow:
        notes, labels = 0, 0
        link_width = (2 + 2 * (max(columns, default=0) + 1)) if section.links else 0
    room_for_text = width - left - link_width - (notes + 2 if notes else 1)
    if section.links and room_for_text < _LEAST:
        return _in_words(section, width, measure)
    text_width = max(_LEAST, room_for_text)

    rows: list[Row] = []
    first_row: dict[str, int] = {}
    for statement, number in zip(section.statements, numbers, strict=True):
        first_row[statement.id] = len(rows)
        sign = SIGNS[statement.role]
        ref = statement.id
        beside = notes if number or statement.note else 0
        room = text_width if beside or not notes else text_width + notes + 1
        for i, line in enumerate(wrap(escape_control_characters(statement.text), room, measure)):
            shown = pad(number, number_width, measure, right=True)
            head = f" {shown} {sign} " if i == 0 else " " * left
            note = escape_control_characters(statement.note) if i == 0 and beside else ""
            rows.append(
                (
                    Span(head, Ink.NUMBER if i else statement.role, ref),
                    Span(pad(line, room, measure), statement.role, ref),
                    Span(
                        ("  " + pad(note, notes, measure, right=True)) if beside else " ",
                        statement.role,
                        ref,
                    ),
                )
            )
        below = [(statement.gloss, Ink.GLOSS)] if glosses and statement.gloss else []
        if narrow and statement.note and statement.role is not Role.CHANGED:
            below.insert(0, (statement.note, Ink.NUMBER))
        for text, ink in below:
            rows.extend(
                (
                    Span(" " * left, Role.PLAIN, ref),
                    Span(pad(line, text_width, measure), ink, ref),
                    Span(" " * (notes + 2 if notes else 1), Role.PLAIN, ref),
                )
                for line in wrap(escape_control_characters(text), text_width, measure)
            )
        if airy and statement is not section.statements[-1]:
            rows.append((Span(" " * (width - link_width)),))
    tracks = _tracks(section, first_row, columns)
    return [
        (*row, *_margin(i, tracks, link_width, labels, measure)) if link_width else row
        for i, row in enumerate(rows)
    ]


def _in_words(section: Statements, width: int, measure: Measure) -> list[Row]:
    """The statements as a list, each with what leads to it and where it leads."""
    from core.layout.graph.outline import outline

    nodes = tuple(Node(s.id, s.text, s.role, note=s.note) for s in section.statements)
    places = enumerate(section.statements, 1)
    numbers = {s.id: s.number or f"({place})" for place, s in places}
    return outline(Graph("", nodes, section.links), width, measure, numbers)


def _columns(section: Statements) -> list[int]:
    """A column for each link, so that links whose rows overlap never share one."""
    position = {s.id: i for i, s in enumerate(section.statements)}
    taken: list[list[tuple[int, int]]] = []
    columns = []
    for link in section.links:
        low, high = sorted((position[link.source], position[link.target]))
        free = (c for c, spans in enumerate(taken) if all(high < a or low > b for a, b in spans))
        column = next(free, len(taken))
        if column == len(taken):
            taken.append([])
        taken[column].append((low, high))
        columns.append(column)
    return columns


def _tracks(section: Statements, first_row: dict[str, int], columns: Sequence[int]) -> list[_Track]:
    tracks = []
    for link, column in zip(section.links, columns, strict=True):
        source, target = first_row[link.source], first_row[link.target]
        tracks.append(
            _Track(link, min(source, target), max(source, target), column, source < target)
        )
    return tracks


def _margin(
    row: int, tracks: Sequence[_Track], width: int, labels: int, measure: Measure
) -> tuple[Span, ...]:
    """The cells at the right of one row: corners, lines, arrow heads and labels."""
    cells = [" "] * width
    label = ""
    for track in tracks:
        column = 2 + 2 * track.column
        if row in (track.top, track.bottom):
            at_target = (row == track.bottom) == track.points_down
            cells[0] = " "
            cells[1] = "◀" if at_target else "─"
            for i in range(2, column):
                cells[i] = "─" if cells[i] == " " else "┼"
            cells[column] = "╮" if row == track.top else "╯"
        elif track.top < row < track.bottom:
            cells[column] = "│"
        if labels and row == track.label_row:
            label = escape_control_characters(track.link.label)
    if label:
        lines = "".join(cells[: width - labels - 1]).rstrip()
        return (
            Span(pad(lines, width - labels - 1, measure), Ink.LINK),
            Span(" " + pad(label, labels, measure), Ink.LINK),
        )
    return (Span("".join(cells), Ink.LINK),)
