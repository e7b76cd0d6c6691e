"""What a direction study keeps of every question, and the questions behind a block's figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from core.studies.items_behind import (
    ItemsBehind,
    ListedItem,
    Place,
    kept_questions,
    not_kept,
    right_option,
)
from core.studies.plan import Study
from core.studies.ranking import DECIMALS, Floats, Integers
from core.studies.report import StudyReport
from core.studies.side_effects import SideEffectItem, measured_side_effects, side_effect_name
from core.studies.state_capture import AnswerStates
from core.studies.world_cases import compared_names
from core.system.typed_values import ready
from core.text.language import _
from core.text.quantities import questions_in_words


class MovedQuestion(msgspec.Struct, frozen=True):
    """A question that directions of the other half were added to."""

    item: str
    layer: str
    group: str
    """Questions of one group are in one half."""
    half: int
    """`chosen_blocks` has the block that the other half chose at this index."""
    gold: int
    """The index of the right option: 0 for `lowered`, 1 for `raised`."""
    margin: float
    """Log-likelihood of `raised` less that of `lowered` before anything is added, in nats."""
    effects: list[float | None]
    """What the learned direction at strength 1 adds to the margin, by block; None where the model
    gives no number."""
    random: list[float | None]
    """The mean of what the random directions add, by block."""


def moved_questions(
    states: AnswerStates, half: Integers, effects: Floats, random: Floats
) -> list[MovedQuestion]:
    """Every question that was added to; `effects` and `random` are (n, blocks)."""
    return [
        MovedQuestion(
            item=case.item.id,
            layer=case.question.layer,
            group=case.cluster,
            half=int(half[row]),
            gold=int(states.labels[row]),
            margin=round(float(states.margins[row]), DECIMALS),
            effects=_rounded(effects[row]),
            random=_rounded(random[row]),
        )
        for row, case in enumerate(states.cases)
    ]


def _rounded(values: Floats) -> list[float | None]:
    return [round(value, DECIMALS) if math.isfinite(value) else None for value in values.tolist()]


def items_of_direction(study: Study, _report: StudyReport, place: Place) -> ItemsBehind:
    """The questions behind a row of the table, the largest effect first.

    Raises LookupError, TypeError or ValueError for a damaged result.
    """
    result = study.result or {}
    if place.row >= len(result["blocks"]):
        return _items_of_side_effects(result, place.row - len(result["blocks"]))
    block = result["blocks"][place.row]["block"]
    questions = kept_questions(result, MovedQuestion)
    if questions is None:
        return not_kept(_("Direction of block {block}", block=block))
    options = compared_names(result)
    items = [
        ListedItem(
            question.item,
            (question.effects[place.row], question.random[place.row]),
            right_option(result, options[question.gold], question.layer),
        )
        for question in questions
    ]
    return ItemsBehind(
        _(
            "Direction of block {block}: {n} questions, what it adds to the margin of “{raised}” "
            "at strength 1, and random ones on average, in nats",
            block=block,
            n=len(items),
            raised=options[1],
        ),
        (_("effect"), _("random")),
        tuple(sorted(items, key=_largest_first)),
        _("The largest effect stands first."),
    )


def _items_of_side_effects(result: Mapping[str, Any], row: int) -> ItemsBehind:
    """The questions behind a row of the side effects, the largest effect first."""
    effect = measured_side_effects(result)[row]
    items = [
        ListedItem(question.item, (question.change, question.random), _rightness(question))
        for question in msgspec.convert(effect["items"], ready(list[SideEffectItem]))
    ]
    return ItemsBehind(
        _(
            "{where}: {questions}, what the direction adds to the right option's margin, and "
            "random ones on average, in nats; right before and after",
            where=side_effect_name(effect),
            questions=questions_in_words(len(items)),
        ),
        (_("effect"), _("random")),
        tuple(sorted(items, key=_largest_first)),
        _("The largest effect stands first."),
        effect["benchmark"],
    )


def _rightness(question: SideEffectItem) -> str:
    margins = question.margin, question.margin + question.change
    before, after = ("✓" if margin > 0 else "✗" for margin in margins)
    return f"{before} → {after}"


def _largest_first(item: ListedItem) -> float:
    effect = item.figures[0]
    return math.inf if effect is None else -effect
