"""Draws a few things of a long line around the one that is chosen: tokens, blocks.

token 61 of 109 │ … the power ⏎ 1 Olga bought ⟦two⟧ apple·s ⏎ …
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.contract.view import Role
from core.layout.rows import Ink, Measure, Row, Span, pad
from core.text.escaping import escape_control_characters

_MOST = 24
"""Most cells of one token."""
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Bead:
    """One thing of a line."""

    text: str
    joined: bool = False
    """Whether it goes on with the word of the one before, without a blank between them."""

    @property
    def gap(self) -> str:
        """What stands before it."""
        return "·" if self.joined else " "


def draw_ribbon(
    title: str,
    beads: Sequence[Bead],
    at: int,
    width: int,
    measure: Measure,
    ref: Callable[[int], str],
) -> Row:
    """One line of at most `width` cells: what stands around the bead at `at`, that in brackets.

    As much of what comes before as of what comes after, or more of one where the other ends.
    """
    spans = [Span(f" {escape_control_characters(title)} │", Ink.NUMBER)]
    room = width - measure(spans[0].text) - 2 * measure(f" {_CUT}")
    if not beads:
        return tuple(spans)
    at = min(len(beads) - 1, max(0, at))
    texts = {at: _text(beads[at], max(1, min(_MOST, room - 3)), measure)}
    used = measure(texts[at]) + 3
    before, after = at - 1, at + 1
    while before >= 0 or after < len(beads):
        # The nearer one first.
        back = before >= 0 and (after >= len(beads) or at - before <= after - at)
        index = before if back else after
        text = _text(beads[index], max(1, min(_MOST, room)), measure)
        if used + measure(text) + 1 > room:
            break
        texts[index] = text
        used += measure(text) + 1
        before, after = before - back, after + (not back)
    if before >= 0:
        spans.append(Span(f" {_CUT}", Ink.TRACK))
    for index in sorted(texts):
        here = ref(index)
        if index == at:
            spans.append(Span(f"{beads[index].gap}⟦{texts[index]}⟧", Ink.KEY, here))
        else:
            spans.append(Span(beads[index].gap, Ink.TRACK, here))
            spans.append(Span(texts[index], Role.PLAIN, here))
    if after < len(beads):
        spans.append(Span(f" {_CUT}", Ink.TRACK))
    return tuple(spans)


def _text(bead: Bead, most: int, measure: Measure) -> str:
    text = escape_control_characters(bead.text) or "∅"
    return text if measure(text) <= most else pad(text, most, measure).rstrip()
