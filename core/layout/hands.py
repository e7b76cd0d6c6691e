"""Draws a prediction: options with the hands that were counted, and what came true."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.contract.view import Role
from core.layout.rows import Ink, Measure, Row, Span, wrap
from core.text.escaping import escape_control_characters

_BAR = 20
"""Cells of the bar of an option for which all hands are up."""
_CAME_TRUE = "▸"


def draw_hands(
    options: Sequence[str],
    hands: Sequence[int],
    true: Collection[int] | None,
    width: int,
    measure: Measure,
) -> list[Row]:
    """The options under each other, each with its number and, below it, its hands as a bar.

    Args:
        options: what may be predicted.
        hands: how many hands each has.
        true: the places of those that came true; None before that is known.
        width: cells of a row.
        measure: how wide a text is.
    """
    total = sum(hands)
    room = max(8, width - 5)
    longest = min(_BAR, room - len(str(total)) - 2)
    rows: list[Row] = []
    for place, (option, raised) in enumerate(zip(options, hands, strict=True)):
        came = true is not None and place in true
        ink = Role.PLAIN if true is None else Role.GOOD if came else Role.MUTED
        lines = wrap(escape_control_characters(option), room, measure)
        mark = _CAME_TRUE if came else " "
        rows.append(
            (Span(f" {mark} {place + 1} ", Ink.KEY if not came else ink), Span(lines[0], ink))
        )
        rows += [(Span("     "), Span(line, ink)) for line in lines[1:]]
        if raised:
            filled = max(1, round(longest * raised / total))
            bar = Span("█" * filled, Role.EVIDENCE if came or true is None else Ink.TRACK)
            rows.append((Span("     "), bar, Span(f" {raised}", Ink.NUMBER)))
    return rows
