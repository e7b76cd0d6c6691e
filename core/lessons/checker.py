"""Checks the claims of a lesson, and finds items for which they would hold."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from core.contract.question import Form
from core.contract.setting import Setting
from core.lessons.bound_lesson import BoundLesson
from core.lessons.claim import Claim
from core.lessons.evidence import Evidence
from core.lessons.lesson import Prediction, Step
from core.models.protocol import Model
from core.statistics.count import Count
from core.text.errors import CommonsenseError, DataError, ModelError, SettingError


class UntrueLessonError(CommonsenseError):
    """A claim of a lesson does not hold."""

    title = "Not every claim holds"


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim of a step, and whether it holds."""

    step: int
    """Counted from 1."""
    claim: str
    line: int
    holds: bool | None
    """None where the model cannot tell."""
    found: str
    """What is the case, or why it cannot be told."""
    count: Count | None = None
    """For how many items of the collection the same holds; None where that is not counted."""
    exception: bool = False
    """Whether the lesson says that this item is an exception."""

    @property
    def surprising(self) -> bool:
        """Whether it holds for fewer than half of the items, and the lesson does not say so."""
        return self.count is not None and self.count.rare and not self.exception


async def check(
    bound_lesson: BoundLesson, model: Model, form: Form | None = None
) -> AsyncIterator[CheckedClaim]:
    """Check every claim of a lesson, step by step.

    Of a prediction that lists options of its own, exactly one must come true.
    """
    others: dict[tuple[int, Setting], Evidence] = {}
    for number, step in enumerate(bound_lesson.lesson.steps, 1):
        evidence = bound_lesson.evidence(bound_lesson.bind_step(step), model, form, others=others)
        async for checked in _check_step(number, step.checks, step.prediction, evidence):
            yield checked


async def candidates(
    bound_lesson: BoundLesson,
    scene: Sequence[Step],
    model: Model,
    most: int,
    form: Form | None = None,
) -> AsyncIterator[str]:
    """The ids of items for which all steps of a scene would hold, at most `most`, in order."""
    count = 0
    for position in range(len(bound_lesson.collection)):
        if count == most:
            return
        if await _all_hold(bound_lesson, scene, position, model, form):
            count += 1
            yield bound_lesson.collection.entry(position).id


async def _all_hold(
    bound_lesson: BoundLesson, scene: Sequence[Step], position: int, model: Model, form: Form | None
) -> bool:
    try:
        bound_steps = [bound_lesson.check(step, position) for step in scene]
    except DataError:
        # The item lacks a switch, layer or node that the lesson names.
        return False
    for step, bound_step in zip(scene, bound_steps, strict=True):
        evidence = bound_lesson.evidence(bound_step, model, form)
        # The cheapest claims come first.
        claims = sorted(step.checks, key=lambda claim: claim.asks_model)
        async with aclosing(_check_step(0, claims, step.prediction, evidence)) as results:
            async for checked in results:
                if not checked.holds:
                    return False
    return True


async def _check_step(
    number: int, claims: Sequence[Claim], prediction: Prediction | None, evidence: Evidence
) -> AsyncGenerator[CheckedClaim, None]:
    for claim in claims:
        try:
            finding = await claim.judge(evidence)
            yield CheckedClaim(number, claim.text, claim.line, finding.holds, finding.found)
        except (ModelError, SettingError) as error:
            yield CheckedClaim(number, claim.text, claim.line, None, str(error))
    if prediction is None or not prediction.options:
        return
    claimed = "exactly one of the predictions comes true"
    try:
        true = await come_true(prediction, evidence)
    except ModelError as error:
        yield CheckedClaim(number, claimed, prediction.line, None, str(error))
        return
    names = [prediction.options[index].text.spoken("") for index in true]
    sentence = f"It is: {'; '.join(names) or 'none'}."
    yield CheckedClaim(number, claimed, prediction.line, len(true) == 1, sentence)


async def come_true(prediction: Prediction, evidence: Evidence) -> tuple[int, ...]:
    """The indices of the options that come true; raises `ModelError`.

    Of the options of a layer these are the ones that the model answers.
    """
    if prediction.layer:
        return (await evidence.verdict(prediction.layer)).picked_options
    findings = [await option.when.judge(evidence) for option in prediction.options]
    return tuple(index for index, finding in enumerate(findings) if finding.holds)
