"""Whether a prompt and its contrast prompt are a pair that a trace can say something with.

A share of a difference means something where the model gives both answers, the tokens are aligned,
and the difference is not small (Zhang and Nanda 2024, "Towards Best Practices of Activation
Patching", sections 2 and 3).
"""

from __future__ import annotations

from enum import StrEnum

from core.blocks.pairing import Pairing
from core.models.blocks import TraceBase, leader
from core.text.language import N_


class Condition(StrEnum):
    """What a pair of prompts needs; the value says how it fails."""

    ANSWERED = N_("the model gives another answer to this prompt")
    ANSWERED_OTHERWISE = N_("the contrast prompt does not get the other answer")
    ALIGNED = N_("not every span has as many tokens in the contrast prompt")
    FAR_APART = N_("the margins differ by less than 1 nat")


def failing_conditions(
    pairing: Pairing, base: TraceBase, options: tuple[int, int] | None
) -> tuple[Condition, ...]:
    """The conditions that a pair does not meet; empty for a valid one.

    `options` are those of the margin, `core.blocks.trace.compared_options`: what is right here, and
    what the contrast prompt should get.
    """
    if options is None:
        return (Condition.ANSWERED_OTHERWISE,)
    first, second = options
    met = {
        Condition.ANSWERED: leader(base.prompt) == first,
        Condition.ANSWERED_OTHERWISE: leader(base.contrast) == second,
        Condition.ALIGNED: pairing.aligned,
        Condition.FAR_APART: base.margins_differ(first, second),
    }
    return tuple(condition for condition, holds in met.items() if not holds)
