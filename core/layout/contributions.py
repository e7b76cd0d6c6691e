"""Draws how much each block's attention and feed-forward part add to the margin of two options.

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
from core.text.shown_number import ShownNumber

_NAMES = (N_("attention"), N_("feed-forward"))
_LABEL_WIDTH = 7
_FIGURE_WIDTH = 9
_MAX_BAR_WIDTH = 30
"""Both sides of a bar together, in cells."""


@dataclass(frozen=True, slots=True)
class OptionRoles:
    """The roles of contributions that favour the first and the second option."""

    first: Role
    second: Role

    def role(self, value: float) -> Role:
        """The role of a figure, by its sign; muted for zero and for what is no number."""
        if value == 0 or math.isnan(value):
            return Role.MUTED
        return self.first if value > 0 else self.second


def draw_contributions(
    attribution: Attribution,
    roles: OptionRoles,
    width: int,
    measure: Measure,
    ref: Callable[[int], str] = lambda block: "",
) -> list[Row]:
    """A row for every block, then embedding and biases, the totals, and the rounding error.

    Bars to the right favour the first option, bars to the left the second; all share one scale.
    """
    room = (width - _LABEL_WIDTH - 2) // 2 - _FIGURE_WIDTH
    side = max(2, min(_MAX_BAR_WIDTH, room) // 2)
    cell = 2 * side + 1 + _FIGURE_WIDTH
    parts = (*attribution.attention, *attribution.feed_forward)
    scale = max((abs(value) for value in parts if math.isfinite(value)), default=0.0)
    head = "".join(pad(f" {_(name)}", cell, measure) for name in _NAMES)
    rows: list[Row] = [(Span(f" {pad(_('block'), _LABEL_WIDTH, measure)}{head}", Ink.NUMBER),)]
    pairs = zip(attribution.attention, attribution.feed_forward, strict=True)
    for block, pair in enumerate(pairs):
        block_ref = ref(block)
        label = pad(str(block), _LABEL_WIDTH - 2, measure, right=True)
        spans = [Span(f" {label}  ", Ink.NUMBER, block_ref)]
        for value in pair:
            spans += _bar(value, scale, side, roles, block_ref)
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
        figure = f"{ShownNumber(value):+.3f}"
        rows.append(
            (Span(f" {pad(name, 24, measure)}", Ink.GLOSS), Span(f"{figure:>9}", roles.role(value)))
        )
    return rows


def running_margin(attribution: Attribution) -> tuple[float, ...]:
    """The margin after each block: everything that was added up to and including that block."""
    steps = map(sum, zip(attribution.attention, attribution.feed_forward, strict=True))
    return tuple(accumulate(steps, initial=attribution.embedding + attribution.constant))[1:]


def largest_contribution(attribution: Attribution) -> tuple[str, int, float] | None:
    """The part that adds most to the margin, its block and its value; None without blocks.

    Only the direction of the margin counts, so that the part explains the answer.
    """
    sign = -1 if attribution.margin < 0 else 1
    parts = [
        (sign * value, -block, name)
        for name, values in zip(
            _NAMES, (attribution.attention, attribution.feed_forward), strict=True
        )
        for block, value in enumerate(values)
        if not math.isnan(value)
    ]
    if not parts:
        return None
    value, block, name = max(parts)
    return name, -block, sign * value


def _bar(value: float, scale: float, side: int, roles: OptionRoles, ref: str) -> Sequence[Span]:
    """A bar that starts at the middle and grows left or right, with its figure behind it."""
    size = min(abs(value) / scale, 1.0) if scale and not math.isnan(value) else 0.0
    full, half = divmod(round(size * side * 2), 2)
    left = ("▐" if half else "") + "█" * full if value < 0 else ""
    right = "█" * full + ("▌" if half else "") if value > 0 else ""
    ink = roles.role(value)
    return (
        Span(f"{left:>{side}}", ink, ref),
        Span("│", Ink.TRACK, ref),
        Span(f"{right:<{side}}", ink, ref),
        Span(f"{ShownNumber(value):>+{_FIGURE_WIDTH - 1}.2f} ", ink, ref),
    )
