"""Checks the claims of a lesson, and finds items for which they would hold."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from core.contract.question import Form
from core.contract.setting import Setting
from core.lessons.bound_lesson import BoundLesson
from core.lessons.claim import Claim
from core.lessons.claims import answered
from core.lessons.count_store import Count
from core.lessons.evidence import Evidence
from core.lessons.lesson import Prediction, Step
from core.lessons.survey import Asked, last_count
from core.models.protocol import Model
from core.text.errors import CommonsenseError, DataError, ModelError, SettingError


class UntrueLessonError(CommonsenseError):
    """A claim of a lesson does not hold."""

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
) -> AsyncIterator[Checked]:
    """Check every claim of a lesson, step by step, and count what is so of one item only.

    Of the options that a prediction names itself exactly one must come true. What a step says of
    the model's answers about its item is counted over the items that share the facts of the step.
    """
    kin: dict[tuple[int, Setting], Evidence] = {}
    for number, step in enumerate(bound_lesson.lesson.steps, 1):
        evidence = bound_lesson.evidence(bound_lesson.bind_step(step), model, form, kin=kin)
        async for checked in _check_step(number, step.checks, step.prediction, evidence):
            yield checked
        for claim in await claims_to_count(step, evidence):
            yield await _count_one(number, step, claim, evidence)
        for asked in figures_of(step):
            yield await _figure(number, asked, evidence)


async def claims_to_count(step: Step, evidence: Evidence) -> tuple[Claim, ...]:
    """What a step says of the model's answers about its item: its checks, and what came true.

    Claims that do not hold, and those about the whole collection, are left out.
    """
    claims = list(step.checks)
    try:
        revealed = await revealed_claim(step, evidence)
        if revealed is not None:
            claims.append(revealed)
        return tuple(
            {
                claim.text: claim
                for claim in claims
                if claim.asks_model and not claim.of_all and (await claim.find(evidence)).holds
            }.values()
        )
    except ModelError:
        return ()


async def revealed_claim(step: Step, evidence: Evidence) -> Claim | None:
    """What came true in a step, as a claim that can be counted over a collection.

    Of a layer's prediction that is whether it is answered right. None where nothing is predicted,
    where the prediction needs no model, and where it is about the whole collection.
    """
    prediction = step.prediction
    if prediction is None:
        return None
    if prediction.layer:
        right = (await evidence.verdict(prediction.layer)).right
        return None if right is None else answered(prediction.layer, right=right)
    true = await come_true(prediction, evidence)
    claims = [prediction.options[index].when for index in true]
    if len(claims) != 1 or not claims[0].asks_model or claims[0].of_all:
        return None
    return claims[0]


def count_like(step: Step, claim: Claim) -> Asked:
    """What is counted to see how typical a step's item is."""
    return Asked(claim, step.facts, tuple(step.setting.items()))


async def _count_one(number: int, step: Step, claim: Claim, evidence: Evidence) -> Checked:
    counted = await last_count(count_like(step, claim), evidence)
    found = f"It holds for {counted}."
    return Checked(number, claim.text, claim.line, True, found, counted, step.exception)


def figures_of(step: Step) -> tuple[Asked, ...]:
    """All that a step counts over the whole collection."""
    return tuple(asked for row in step.figures.cells for asked in row) if step.figures else ()


async def _figure(number: int, asked: Asked, evidence: Evidence) -> Checked:
    """Whether there is something to count."""
    counted = await last_count(asked, evidence)
    found = f"It holds for {counted}."
    return Checked(number, f"count: {{{asked.text}}}", asked.claim.line, bool(counted.n), found)


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
) -> AsyncGenerator[Checked, None]:
    for claim in claims:
        try:
            finding = await claim.find(evidence)
            yield Checked(number, claim.text, claim.line, finding.holds, finding.found)
        except (ModelError, SettingError) as error:
            yield Checked(number, claim.text, claim.line, None, str(error))
    if prediction is None or not prediction.options:
        return
    claimed = "exactly one of what can be predicted comes true"
    try:
        true = await come_true(prediction, evidence)
    except ModelError as error:
        yield Checked(number, claimed, prediction.line, None, str(error))
        return
    names = [prediction.options[index].text.spoken("") for index in true]
    found = f"It is: {'; '.join(names) or 'none'}."
    yield Checked(number, claimed, prediction.line, len(true) == 1, found)


async def come_true(prediction: Prediction, evidence: Evidence) -> tuple[int, ...]:
    """The indices of the options that come true; raises `ModelError`.

    Of the options of a layer these are the ones that the model answers.
    """
    if prediction.layer:
        return (await evidence.verdict(prediction.layer)).picked_options
    findings = [await option.when.find(evidence) for option in prediction.options]
    return tuple(index for index, finding in enumerate(findings) if finding.holds)
