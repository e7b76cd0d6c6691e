"""Whether a lesson is still true: every claim of every step, and items of which it would be."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from core.contract.question import Form
from core.lessons.bound_lesson import BoundLesson
from core.lessons.claims import Claim
from core.lessons.evidence import Evidence
from core.lessons.lesson import Prediction, Step
from core.models.protocol import Model
from core.text.errors import CommonsenseError, DataError, ModelError, SettingError


class UntrueLessonError(CommonsenseError):
    """A lesson claims what is not so."""

    title = "Not every claim holds"


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim of a step, and whether it holds."""

    step: int
    """Counted from 1."""
    claim: str
    line: int
    holds: bool | None
    """None where the model cannot tell."""
    found: str


async def check(
    bound_lesson: BoundLesson, model: Model, form: Form | None = None
) -> AsyncIterator[Checked]:
    """Check every claim of a lesson, step by step.

    Of the options that a prediction names itself exactly one must come true.
    """
    for number, step in enumerate(bound_lesson.lesson.steps, 1):
        evidence = bound_lesson.evidence(bound_lesson.bind_step(step), model, form)
        for claim in step.checks:
            yield await _checked(number, claim, evidence)
        if step.prediction is not None and step.prediction.options:
            yield await _one_comes_true(number, step.prediction, evidence)


async def candidates(
    bound_lesson: BoundLesson,
    scene: Sequence[Step],
    model: Model,
    most: int,
    form: Form | None = None,
) -> AsyncIterator[str]:
    """The ids of items of which all steps of a scene would be true, at most `most`, in order."""
    found = 0
    for position in range(len(bound_lesson.collection)):
        if found == most:
            return
        if await _all_true(bound_lesson, scene, position, model, form):
            found += 1
            yield bound_lesson.collection.entry(position).id


async def _all_true(
    bound_lesson: BoundLesson, scene: Sequence[Step], position: int, model: Model, form: Form | None
) -> bool:
    try:
        bound_steps = [bound_lesson.check(step, position) for step in scene]
    except DataError:
        # It has no such switch, layer or node, so the lesson cannot be told of it.
        return False
    for step, bound_step in zip(scene, bound_steps, strict=True):
        evidence = bound_lesson.evidence(bound_step, model, form)
        # What costs least to find out comes first.
        for claim in sorted(step.checks, key=lambda one: one.asks_model):
            if not (await _checked(0, claim, evidence)).holds:
                return False
        prediction = step.prediction
        if prediction is None or prediction.layer:
            continue
        if not (await _one_comes_true(0, prediction, evidence)).holds:
            return False
    return True


async def _checked(number: int, claim: Claim, evidence: Evidence) -> Checked:
    try:
        finding = await claim.find(evidence)
    except (ModelError, SettingError) as error:
        return Checked(number, claim.text, claim.line, None, str(error))
    return Checked(number, claim.text, claim.line, finding.holds, finding.found)


async def _one_comes_true(number: int, prediction: Prediction, evidence: Evidence) -> Checked:
    said = "exactly one of what can be predicted comes true"
    try:
        true = await come_true(prediction, evidence)
    except ModelError as error:
        return Checked(number, said, prediction.line, None, str(error))
    names = [prediction.options[place].text.spoken("") for place in true]
    found = f"It is: {'; '.join(names) or 'none'}."
    return Checked(number, said, prediction.line, len(true) == 1, found)


async def come_true(prediction: Prediction, evidence: Evidence) -> tuple[int, ...]:
    """The places of the options that come true; raises `ModelError`.

    Of a layer's own options it is what the model answers.
    """
    if prediction.layer:
        verdict = await evidence.verdict(prediction.layer)
        return verdict.picked_options
    findings = [await option.when.find(evidence) for option in prediction.options]
    return tuple(place for place, finding in enumerate(findings) if finding.holds)
