"""What an added direction does to the questions of other layers about the same items."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec
import numpy as np

from core.contract.question import Question
from core.models.blocks import Edit
from core.studies.conducting import StudyProgress
from core.studies.ranking import Estimate, Integers, draws, mean
from core.studies.study_store import KeptValues
from core.studies.subject import Case, Subject
from core.text.errors import SettingError
from core.text.language import N_, _

SIDE_EFFECTS = N_("side effects")


class KeptSideEffect(msgspec.Struct, frozen=True):
    """What a direction does to a question of another layer."""

    before: bool
    """Whether the model is right."""
    after: bool
    change: float
    """Of the right option's margin over the best other, in nats."""


CaseSideEffect = tuple[int, KeptSideEffect]
"""A side effect with the number of its case."""


async def side_effects(
    subject: Subject, cases: Sequence[Case], edits: Sequence[Edit], kept: KeptValues
) -> AsyncIterator[StudyProgress | dict[str, list[CaseSideEffect]]]:
    """What the edit of each case does to the questions of layers that no case is about.

    Yields progress, and last the effects by layer.
    """
    asked = {case.question.layer for case in cases}
    # Cases of one item share its other questions.
    first = {case.item.id: number for number, case in reversed(list(enumerate(cases)))}
    rows = [
        (number, question)
        for number in sorted(first.values())
        for question in _other_questions(subject, cases[number], asked)
    ]
    by_layer: dict[str, list[CaseSideEffect]] = {}
    for done, (number, question) in enumerate(rows, 1):
        key = f"besides/{question.layer}/{cases[number].item.id}"
        effect = kept.get(key, KeptSideEffect)
        if effect is None and kept.leaves(cases[number].item.id):
            continue
        if effect is None:
            effect = await _side_effect(subject, question, edits[number])
            kept.put(key, effect)
        by_layer.setdefault(question.layer, []).append((number, effect))
        yield StudyProgress(_(SIDE_EFFECTS), done, len(rows))
    kept.check_complete()
    yield by_layer


def _other_questions(subject: Subject, case: Case, asked: set[str]) -> list[Question]:
    """The closed questions with a right answer of the layers that are not in `asked`."""
    questions = []
    for layer in subject.benchmark.layers:
        if layer.id in asked:
            continue
        try:
            question = subject.source.asked(case.item, case.setting, layer.id)
        except SettingError:
            continue
        if question is not None and not question.open and question.gold is not None:
            questions.append(question)
    return questions


async def _side_effect(subject: Subject, question: Question, edit: Edit) -> KeptSideEffect:
    scored = await subject.blocks.patch_each(
        subject.prompt(question), question.continuations(), [edit]
    )
    assert question.gold is not None
    margins = []
    for scores in (scored.plain, scored.patched[0]):
        logprobs = [score.logprob for score in scores]
        right = logprobs.pop(question.gold)
        margins.append(right - max(logprobs, default=right))
    return KeptSideEffect(margins[0] > 0, margins[1] > 0, margins[1] - margins[0])


def side_effect_figures(
    layer: str, effects: Sequence[CaseSideEffect], clusters: Integers
) -> dict[str, Any]:
    """The figures of a layer as JSON; `clusters` (n,) holds the cluster of every case."""
    usable = [(number, effect) for number, effect in effects if np.isfinite(effect.change)]
    groups = np.unique([clusters[number] for number, _ in usable], return_inverse=True)[1]
    change = np.array([effect.change for _, effect in usable])
    document: dict[str, Any] = {
        "layer": layer,
        "n": len(usable),
        "right_before": sum(effect.before for _, effect in usable),
        "right_after": sum(effect.after for _, effect in usable),
    }
    if not usable:
        return document | Estimate(float("nan")).named("change")
    estimate = mean(change, groups.astype(np.int64), draws(int(groups.max()) + 1))
    return document | estimate.named("change")
