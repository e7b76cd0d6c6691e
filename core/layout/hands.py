"""Draws a class's prediction: the options, the hands raised for each, and which came true."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.contract.view import Role
from core.layout.rows import Ink, Measure, Row, Span, wrap
from core.text.escaping import escape_control_characters

_MAX_BAR_WIDTH = 20
"""Cells of the bar of an option for which every hand is raised."""
_CAME_TRUE = "▸"


def draw_hands(
    options: Sequence[str],
    hands: Sequence[int],
    true: Collection[int] | None,
    width: int,
    measure: Measure,
) -> list[Row]:
    """A row for each option with its number and, below it, a bar for the hands raised.

    Args:
        options: the answers that may be predicted.
        hands: how many hands were raised for each option.
        true: the indices of the options that came true; None before that is known.
        width: terminal cells of a row.
        measure: terminal cells that a text takes.
    """
    total = sum(hands)
    room = max(8, width - 5)
    longest = min(_MAX_BAR_WIDTH, room - len(str(total)) - 2)
    rows: list[Row] = []
    for index, (option, raised) in enumerate(zip(options, hands, strict=True)):
        came_true = true is not None and index in true
        ink = Role.PLAIN if true is None else Role.GOOD if came_true else Role.MUTED
        lines = wrap(escape_control_characters(option), room, measure)
        mark = _CAME_TRUE if came_true else " "
        rows.append(
            (Span(f" {mark} {index + 1} ", Ink.KEY if not came_true else ink), Span(lines[0], ink))
        )
        rows += [(Span("     "), Span(line, ink)) for line in lines[1:]]
        if raised:
            filled = max(1, round(longest * raised / total))
            bar = Span("█" * filled, Role.EVIDENCE if came_true or true is None else Ink.TRACK)
            rows.append((Span("     "), bar, Span(f" {raised}", Ink.NUMBER)))
    return rows
