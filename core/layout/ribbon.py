"""Draws part of a long sequence, such as tokens or blocks, around the selected element.

token 61 of 109 │ … the power ⏎ 1 Olga bought ⟦two⟧ apple·s ⏎ …
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.contract.view import Role
from core.layout.rows import Ink, Measure, Row, Span, pad
from core.text.escaping import escape_control_characters

_MAX_BEAD_WIDTH = 24
"""Most cells of one element."""
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Bead:
    """One element of a ribbon."""

    text: str
    joined: bool = False
    """Whether it continues the word of the element before it, without a blank."""

    @property
    def gap(self) -> str:
        """The character before the element."""
        return "·" if self.joined else " "


def draw_ribbon(
    title: str,
    beads: Sequence[Bead],
    selected: int,
    width: int,
    measure: Measure,
    ref: Callable[[int], str],
) -> Row:
    """One row of at most `width` cells around the bead at index `selected`, which is in brackets.

    Shows as much before it as after it, or more on one side where the other one ends.
    """
    spans = [Span(f" {escape_control_characters(title)} │", Ink.NUMBER)]
    room = width - measure(spans[0].text) - 2 * measure(f" {_CUT}")
    if not beads:
        return tuple(spans)
    selected = min(len(beads) - 1, max(0, selected))
    texts = {selected: _text(beads[selected], max(1, min(_MAX_BEAD_WIDTH, room - 3)), measure)}
    used = measure(texts[selected]) + 3
    before, after = selected - 1, selected + 1
    while before >= 0 or after < len(beads):
        # The nearer one first.
        back = before >= 0 and (after >= len(beads) or selected - before <= after - selected)
        index = before if back else after
        text = _text(beads[index], max(1, min(_MAX_BEAD_WIDTH, room)), measure)
        if used + measure(text) + 1 > room:
            break
        texts[index] = text
        used += measure(text) + 1
        before, after = before - back, after + (not back)
    if before >= 0:
        spans.append(Span(f" {_CUT}", Ink.TRACK))
    for index in sorted(texts):
        bead_ref = ref(index)
        if index == selected:
            spans.append(Span(f"{beads[index].gap}⟦{texts[index]}⟧", Ink.KEY, bead_ref))
        else:
            spans.append(Span(beads[index].gap, Ink.TRACK, bead_ref))
            spans.append(Span(texts[index], Role.PLAIN, bead_ref))
    if after < len(beads):
        spans.append(Span(f" {_CUT}", Ink.TRACK))
    return tuple(spans)


def _text(bead: Bead, most: int, measure: Measure) -> str:
    text = escape_control_characters(bead.text) or "∅"
    return text if measure(text) <= most else pad(text, most, measure).rstrip()
