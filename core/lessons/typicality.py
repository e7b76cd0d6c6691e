"""How typical the items of a lesson are: what is said of one, counted over its collection."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import takewhile

from core.contract.question import Form
from core.contract.setting import Setting
from core.lessons.bound_lesson import BoundLesson
from core.lessons.checker import CheckedClaim, come_true
from core.lessons.claim import Asked, Claim
from core.lessons.claims import answered
from core.lessons.evidence import Evidence
from core.lessons.lesson import Step
from core.lessons.survey import last_count
from core.models.protocol import Model
from core.text.errors import ModelError


async def check_typicality(
    bound_lesson: BoundLesson, model: Model, form: Form | None = None
) -> AsyncIterator[CheckedClaim]:
    """Count for how many items of the collection holds what a lesson says of one.

    It is counted over the items that share the facts of the step. What a step counts over the
    whole collection is counted too. Raises `ModelError` where the model cannot answer.
    """
    others: dict[tuple[int, Setting], Evidence] = {}
    for number, step in enumerate(bound_lesson.lesson.steps, 1):
        evidence = bound_lesson.evidence(bound_lesson.bind_step(step), model, form, others=others)
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
                if claim.asks_model and not claim.of_all and (await claim.judge(evidence)).holds
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


async def count_like(step: Step, claim: Claim, evidence: Evidence) -> Asked:
    """What is counted to see how typical a step's item is: of items with its facts.

    Where the step checks answers before the claim, such as that an earlier layer is right, the
    items also have those of its item.
    """
    before = takewhile(lambda check: check.text != claim.text, step.checks)
    answers = [
        check
        for check in before
        if check.asks_model and not check.of_all and (await check.judge(evidence)).holds
    ]
    return Asked(claim, (*step.facts, *answers), tuple(step.setting.items()))


async def _count_one(number: int, step: Step, claim: Claim, evidence: Evidence) -> CheckedClaim:
    counted = await last_count(await count_like(step, claim, evidence), evidence)
    sentence = f"The claim holds for {counted} like this one."
    return CheckedClaim(number, claim.text, claim.line, True, sentence, counted, step.exception)


def figures_of(step: Step) -> tuple[Asked, ...]:
    """All that a step counts over the whole collection."""
    return tuple(asked for row in step.figures.cells for asked in row) if step.figures else ()


async def _figure(number: int, asked: Asked, evidence: Evidence) -> CheckedClaim:
    """Whether there is something to count."""
    counted = await last_count(asked, evidence)
    sentence = f"What is counted holds for {counted}."
    return CheckedClaim(
        number, f"count: {{{asked.text}}}", asked.claim.line, bool(counted.n), sentence
    )
