"""Draws what each block's parts add to the margin between two options.

block  attention                      feed-forward
    3          ▐██│        -0.61             │█▌      +0.35
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.contract.view import Role
from core.layout.rows import Ink, Measure, Row, Span, pad
from core.models.blocks import Attribution
from core.text.language import N_, _

_NAMES = (N_("attention"), N_("feed-forward"))
_LABEL = 7
_FIGURE = 9
_MOST = 30
"""Most cells of a bar, both its sides together."""


@dataclass(frozen=True, slots=True)
class Sides:
    """How what speaks for each of the two options is drawn."""

    first: Role
    second: Role

    def of(self, value: float) -> Role:
        """How a figure is drawn by its sign."""
        return (
            Role.MUTED if value == 0 or value != value else self.first if value > 0 else self.second
        )


def draw_contributions(
    attribution: Attribution,
    sides: Sides,
    width: int,
    measure: Measure,
    ref: Callable[[int], str] = lambda block: "",
) -> list[Row]:
    """A line for every block, then what is neither's, the sum, and how far it is from the margin.

    Bars to the right speak for the first option, to the left for the second; all have one scale.
    """
    room = (width - _LABEL - 2) // 2 - _FIGURE
    side = max(2, min(_MOST, room) // 2)
    cell = 2 * side + 1 + _FIGURE
    parts = (*attribution.attention, *attribution.feed_forward)
    scale = max((abs(value) for value in parts if math.isfinite(value)), default=0.0)
    head = "".join(pad(f" {_(name)}", cell, measure) for name in _NAMES)
    rows: list[Row] = [(Span(f" {pad(_('block'), _LABEL, measure)}{head}", Ink.NUMBER),)]
    pairs = zip(attribution.attention, attribution.feed_forward, strict=True)
    for block, pair in enumerate(pairs):
        here = ref(block)
        label = pad(str(block), _LABEL - 2, measure, right=True)
        spans = [Span(f" {label}  ", Ink.NUMBER, here)]
        for value in pair:
            spans += _bar(value, scale, side, sides, here)
        rows.append(tuple(spans))
    rows.append(())
    for name, value in (
        (_("token embedding"), attribution.embedding),
        (_("biases"), attribution.constant),
        (_("all attention"), sum(attribution.attention)),
        (_("all feed-forward"), sum(attribution.feed_forward)),
        (_("together"), attribution.margin + attribution.deviation),
        (_("the model's own margin"), attribution.margin),
        (_("apart by rounding"), attribution.deviation),
    ):
        figure = f"{value:+.3f}"
        rows.append(
            (Span(f" {pad(name, 24, measure)}", Ink.GLOSS), Span(f"{figure:>9}", sides.of(value)))
        )
    return rows


def running(attribution: Attribution) -> tuple[float, ...]:
    """The margin as it stands after every block: all that was added up to there."""
    steps = map(sum, zip(attribution.attention, attribution.feed_forward, strict=True))
    return tuple(accumulate(steps, initial=attribution.embedding + attribution.constant))[1:]


def largest(attribution: Attribution) -> tuple[str, int, float] | None:
    """The part that adds most to the margin, its block, and how much; None without blocks.

    Most in the direction of the margin, so that it says what brought the answer about.
    """
    sign = -1 if attribution.margin < 0 else 1
    parts = [
        (sign * value, -block, name)
        for name, values in zip(
            _NAMES, (attribution.attention, attribution.feed_forward), strict=True
        )
        for block, value in enumerate(values)
        if value == value
    ]
    if not parts:
        return None
    most, block, name = max(parts)
    return name, -block, sign * most


def _bar(value: float, scale: float, side: int, sides: Sides, ref: str) -> Sequence[Span]:
    """A bar about its middle, and the figure."""
    size = min(abs(value) / scale, 1.0) if scale and value == value else 0.0
    full, half = divmod(round(size * side * 2), 2)
    left = ("▐" if half else "") + "█" * full if value < 0 else ""
    right = "█" * full + ("▌" if half else "") if value > 0 else ""
    ink = sides.of(value)
    return (
        Span(f"{left:>{side}}", ink, ref),
        Span("│", Ink.TRACK, ref),
        Span(f"{right:<{side}}", ink, ref),
        Span(f"{value:>+{_FIGURE - 1}.2f} ", ink, ref),
    )
