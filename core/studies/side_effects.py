"""What an added direction does to questions that it was not learned from.

Random directions of the same norm are added to the same questions. What a direction does to a task
layer is named only where it does more than these: one test over all layers compares each mean
change, in units of what all directions do to that layer, with the largest that a random direction
makes anywhere (the maximum statistic of Westfall & Young 1993, "Resampling-Based Multiple
Testing").
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from core.contract.question import OptionScore
from core.models.blocks import Edit
from core.studies.added_vectors import added, scored_with_each
from core.studies.conducting import Report, StudyProgress
from core.studies.other_questions import OtherQuestion, OtherQuestions
from core.studies.ranking import DECIMALS, Floats, draws, mean
from core.studies.study_store import KeptValues
from core.studies.subject import Subject
from core.text.errors import LongPromptError
from core.text.language import N_, _

SIDE_EFFECTS = N_("side effects")
CONTROLS = 19
"""How many random directions: the fewest that can give a p-value of .05."""
LEVEL = 0.05


class KeptSideEffect(msgspec.Struct, frozen=True):
    """What a direction, and random ones, do to a question."""

    before: float | None = None
    """The right option's margin over the best other, in nats; None where the model gives no number,
    to the question or with one of the directions, and where the prompt is too long."""
    changes: tuple[float, ...] = ()
    """Of that margin, by the direction and then by each of the random ones."""
    long: bool = False
    """Whether the prompt is longer than the model's context."""


class SideEffectItem(msgspec.Struct, frozen=True):
    """A question that a direction was added to, as it stands in a result."""

    item: str
    group: str
    margin: float
    """Of the right option over the best other before anything is added, in nats."""
    change: float
    random: float
    """The mean change by the random directions."""


def edits_with_random(block: int, direction: Floats, seed: int) -> list[Edit]:
    """A direction (width,) added at the answer position, then `CONTROLS` random ones as long as it.

    With equal seeds these have equal directions.
    """
    drawn = np.random.default_rng(seed).normal(size=(CONTROLS, len(direction)))
    drawn *= np.linalg.norm(direction) / np.linalg.norm(drawn, axis=1)[:, None]
    return [added(block, vector) for vector in (direction, *drawn)]


async def side_effects(
    subject: Subject,
    layers: Sequence[OtherQuestions],
    edits: Mapping[int | None, Sequence[Edit]],
    kept: KeptValues,
    report: Report,
) -> list[list[KeptSideEffect]]:
    """What directions do to the questions of each of some other layers.

    Args:
        subject: gives the model.
        layers: what is asked.
        edits: what `edits_with_random` gives, for each half, and for questions in none.
        kept: every question is measured once.
        report: is told how far it is.
    """
    total, done = sum(len(layer.questions) for layer in layers), 0
    measured: list[list[KeptSideEffect]] = []
    for layer in layers:
        of_layer: list[KeptSideEffect] = []
        beginning = f"besides/{layer.benchmark}/{layer.content[:12]}/{layer.layer}"
        for question in layer.questions:
            done += 1
            key = f"{beginning}/{question.case.item.id}"
            measure = partial(_side_effect, subject, question, edits[question.half])
            effect = await kept.measured(key, KeptSideEffect, question.owner, measure)
            if effect is None:
                continue
            of_layer.append(effect)
            report(StudyProgress(_(SIDE_EFFECTS), done, total))
        measured.append(of_layer)
    kept.check_complete()
    return measured


async def _side_effect(
    subject: Subject, question: OtherQuestion, edits: Sequence[Edit]
) -> KeptSideEffect:
    asked, gold = question.case.question, question.case.question.gold
    assert gold is not None
    try:
        plain, changed = await scored_with_each(
            subject, question.case.prompt, asked.continuations(), edits
        )
    except LongPromptError:
        return KeptSideEffect(long=True)
    before = _margin(plain, gold)
    changes = tuple(_margin(scores, gold) - before for scores in changed)
    if not all(map(math.isfinite, (before, *changes))):
        return KeptSideEffect()
    return KeptSideEffect(before, changes)


def _margin(scores: Sequence[OptionScore], gold: int) -> float:
    """The right option's log-likelihood less that of the best other, in nats."""
    logprobs = [score.logprob for score in scores]
    right = logprobs.pop(gold)
    return right - max(logprobs, default=right)


def side_effect_figures(
    layers: Sequence[OtherQuestions], measured: Sequence[Sequence[KeptSideEffect]]
) -> list[dict[str, Any]]:
    """The figures of every layer as JSON."""
    documents = [_figures(*each) for each in zip(layers, measured, strict=True)]
    tested = [document for document in documents if document["n"]]
    if tested:
        ps = adjusted_p(np.array([document.pop("means") for document in tested]))
        for document, p in zip(tested, ps, strict=True):
            interval = document["difference_interval"]
            apart = interval is not None and not interval[0] <= 0 <= interval[1]
            document |= {"p": p, "beyond_random": bool(apart and p <= LEVEL)}
    return documents


def _figures(layer: OtherQuestions, effects: Sequence[KeptSideEffect]) -> dict[str, Any]:
    usable = [
        (question.case, effect.before, np.array(effect.changes))
        for question, effect in zip(layer.questions, effects, strict=True)
        if effect.before is not None
    ]
    too_long = sum(effect.long for effect in effects)
    document: dict[str, Any] = {
        "benchmark": layer.benchmark,
        "layer": layer.layer,
        "n": len(usable),
        "too_long": too_long,
        "no_score": len(effects) - len(usable) - too_long,
    }
    if not usable:
        return document
    groups = np.unique([case.cluster for case, _, _ in usable], return_inverse=True)[1]
    clusters = groups.astype(np.int64)
    changes = np.array([change for _, _, change in usable])
    own, random = changes[:, 0], changes[:, 1:].mean(axis=1)
    weights = draws(int(clusters.max()) + 1)
    document |= {
        "groups": int(clusters.max()) + 1,
        "right_before": sum(before > 0 for _, before, _ in usable),
        "right_after": sum(before + float(change[0]) > 0 for _, before, change in usable),
        # Rounding errors are no changes.
        "means": changes.mean(axis=0).round(DECIMALS),
    }
    for name, values in (("change", own), ("random", random), ("difference", own - random)):
        document |= mean(values, clusters, weights).named(name)
    document["items"] = [
        SideEffectItem(
            case.item.id,
            case.cluster,
            round(before, DECIMALS),
            round(float(change[0]), DECIMALS),
            round(float(change[1:].mean()), DECIMALS),
        )
        for case, before, change in usable
    ]
    return document


def adjusted_p(means: Floats) -> list[float]:
    """The p-value of each layer's mean change, two-sided, adjusted for all layers.

    Args:
        means: the mean change by the direction, and by each random one: (layers, 1 + random).
    """
    sizes = np.abs(means) / np.maximum(
        np.sqrt((means**2).mean(axis=1, keepdims=True)), np.finfo(np.float64).tiny
    )
    largest = sizes[:, 1:].max(axis=0)
    reached = (largest[None, :] >= sizes[:, :1]).sum(axis=1)
    return [float(p) for p in (1 + reached) / (1 + len(largest))]


def measured_side_effects(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The side effects of a study's result that have figures."""
    return [effect for effect in result["side_effects"] if effect["n"]]


def side_effect_name(effect: Mapping[str, Any]) -> str:
    """Which questions a side effect is on."""
    return f"{effect['benchmark']} · {effect['layer']}"
