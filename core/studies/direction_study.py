"""The study `direction`: does a learned direction move the answer, where, and what else does it?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import numpy as np

from core.models.blocks import margin
from core.studies.added_vectors import added, scored_with_each
from core.studies.conducting import Report, StudyProgress, StudyWork
from core.studies.direction import (
    FEWEST,
    HALVES,
    RANDOM,
    STRENGTHS,
    WHOLE,
    Directions,
    chosen_blocks,
    directions,
    halves,
    learned,
    permutation_p,
)
from core.studies.items_behind import ITEMS
from core.studies.moved_questions import moved_questions
from core.studies.other_questions import (
    LeftOut,
    OtherQuestions,
    of_other_benchmarks,
    of_other_layers,
)
from core.studies.plan import StudyPlan
from core.studies.ranking import Floats, Integers, draws, mean
from core.studies.side_effects import edits_with_random, side_effect_figures, side_effects
from core.studies.state_capture import KEPT, AnswerStates, capture_answers
from core.studies.study_store import KeptValues
from core.studies.subject import Case, Subject
from core.studies.world_cases import LOWERED, RAISED, direction_cases, worlds_of
from core.text.errors import SettingError
from core.text.language import N_, _

ADDING = N_("directions")
LEVEL = 0.05
MOST_ADDED = 100
"""Most cases that directions are added to: each does much the same to all of them."""
MOST_TESTED = 20
"""Most of these that directions of shuffled labels are added to."""


class KeptChanges(msgspec.Struct, frozen=True):
    """How the margin of a case changes, in nats."""

    learned: list[list[float]]
    """(blocks, strengths)."""
    random: list[float]
    """(blocks,): the mean of the random directions at strength 1."""
    shuffled: list[list[float]]
    """(blocks, `SHUFFLES`); empty where they were not added."""


@dataclass(frozen=True, slots=True)
class _Changes:
    """The changes of all cases."""

    learned: Floats
    """(n, blocks, strengths)."""
    random: Floats
    """(n, blocks)."""
    tested: Integers
    """The numbers of the cases that directions of shuffled labels were added to, (m,)."""
    shuffled: Floats
    """(m, blocks, `SHUFFLES`)."""


def _check_enough(cases: Sequence[Case]) -> None:
    """Raise `SettingError` where the groups are too few even if every case can be measured."""
    golds: dict[str, set[int | None]] = {}
    for case in cases:
        golds.setdefault(case.cluster, set()).add(case.question.gold)
    if sum(known >= {0, 1} for known in golds.values()) < HALVES * FEWEST:
        raise _too_few_groups()


def _too_few_groups() -> SettingError:
    return SettingError(
        _(
            "Too few groups have questions with either right answer; a direction needs {fewest}.",
            fewest=HALVES * FEWEST,
        ),
        hint=_("Read a larger collection, or choose another --task-layer."),
    )


def direction_work(subject: Subject, plan: StudyPlan) -> StudyWork:
    """The work of a direction study: states, directions, what they do, and what else they do."""

    async def work(kept: KeptValues, report: Report) -> dict[str, Any]:
        cases = await asyncio.to_thread(direction_cases, subject, plan)
        _check_enough(cases)
        states = await capture_answers(subject, cases, kept, report)
        labels, clusters = states.labels, states.clusters
        try:
            half = halves(clusters, labels, plan.seed)
        except (ValueError, IndexError):
            raise _too_few_groups() from None
        # What is added to a half was learned on the other.
        learned_by_half = [
            directions(states.states[half != h], labels[half != h], clusters[half != h],
                       plan.seed + h)
            for h in range(HALVES)
        ]  # fmt: skip
        whole = learned(states.states, labels, clusters)
        asked = len(states.cases), int(clusters.max()) + 1
        worlds = worlds_of(states.cases)
        # From here on only the cases that are added to.
        drawn = _drawn(half, MOST_ADDED, plan.seed)
        states, half = states.of(drawn), half[drawn]
        tested = _drawn(half, MOST_TESTED, plan.seed)
        own = [learned_by_half[h] for h in half]
        changes = await _changes(subject, states.cases, own, tested, kept, report)
        gains = changes.learned[:, :, WHOLE] - changes.random
        chosen = chosen_blocks(gains, half)
        best = int(np.argmax(gains[:, : max(1, gains.shape[1] - 1)].mean(axis=0)))
        other = await asyncio.to_thread(_other_questions, subject, states.cases, half, plan.seed)
        layers = [each for each in other if isinstance(each, OtherQuestions)]
        edits = {
            h: edits_with_random(block, learned_by_half[h].learned[block], plan.seed)
            for h, block in enumerate(chosen)
        } | {None: edits_with_random(best, whole[best], plan.seed)}
        effects = await side_effects(subject, layers, edits, kept, report)
        result = _document(states, half, chosen, changes, whole)
        result |= {"n": asked[0], "groups": asked[1]} | worlds
        result["vector"] = {"block": best, "numbers": whole[best].tolist()}
        result["side_effects"] = side_effect_figures(layers, effects)
        result["not_asked"] = [each for each in other if isinstance(each, LeftOut)]
        whole_effects = changes.learned[:, :, WHOLE]
        result[ITEMS] = moved_questions(states, half, whole_effects, changes.random)
        kept.drop(KEPT)
        return result

    return work


def _other_questions(
    subject: Subject, cases: Sequence[Case], half: Integers, seed: int
) -> list[OtherQuestions | LeftOut]:
    return [
        *of_other_layers(subject, cases, half.tolist(), seed),
        *of_other_benchmarks(subject, cases, seed),
    ]


def _drawn(half: Integers, most: int, seed: int) -> Integers:
    """The indices of up to `most` cases, as many of each half, ascending."""
    drawn = np.random.default_rng(seed).permutation(len(half))
    members = [drawn[half[drawn] == h][: most // HALVES] for h in range(HALVES)]
    return np.sort(np.concatenate(members))


async def _changes(
    subject: Subject,
    cases: Sequence[Case],
    vectors: Sequence[Directions],
    tested: Integers,
    kept: KeptValues,
    report: Report,
) -> _Changes:
    """Add to each case the directions of its own half."""
    all_changes: list[KeptChanges] = []
    for number, (case, own) in enumerate(zip(cases, vectors, strict=True)):
        measure = partial(_changes_of, subject, case, own, tested=number in tested)
        changes = await kept.measured(f"change/{case.key}", KeptChanges, case.item.id, measure)
        if changes is None:
            continue
        all_changes.append(changes)
        report(StudyProgress(_(ADDING), number + 1, len(cases)))
    kept.check_complete()
    return _Changes(
        np.array([changes.learned for changes in all_changes]),
        np.array([changes.random for changes in all_changes]),
        tested,
        np.array([all_changes[number].shuffled for number in tested]),
    )


async def _changes_of(
    subject: Subject, case: Case, vectors: Directions, *, tested: bool
) -> KeptChanges:
    blocks = len(vectors.learned)
    shuffled = vectors.shuffled if tested else vectors.shuffled[:0]
    edits = [
        added(block, vector)
        for block in range(blocks)
        for vector in (
            *(strength * vectors.learned[block] for strength in STRENGTHS),
            *vectors.random[:, block],
            *shuffled[:, block],
        )
    ]
    options = case.question.continuations()
    plain, changed = await scored_with_each(subject, case.prompt, options, edits)
    changes = [margin(scores, 1, 0) - margin(plain, 1, 0) for scores in changed]
    own, random, mixed = np.split(
        np.array(changes).reshape(blocks, -1), [len(STRENGTHS), len(STRENGTHS) + RANDOM], axis=1
    )
    return KeptChanges(own.tolist(), random.mean(axis=1).tolist(), mixed.tolist())


def _document(
    states: AnswerStates,
    half: Integers,
    chosen: Sequence[int],
    changes: _Changes,
    whole: Floats,
) -> dict[str, Any]:
    clusters = states.clusters
    weights = draws(int(clusters.max()) + 1)
    blocks: list[dict[str, Any]] = []
    for block in range(changes.random.shape[1]):
        gain = changes.learned[:, block, WHOLE] - changes.random[:, block]
        blocks.append(
            {
                "block": block,
                "norm": float(np.linalg.norm(whole[block])),
                "effects": [
                    {"strength": strength}
                    | mean(changes.learned[:, block, index], clusters, weights).named("effect")
                    for index, strength in enumerate(STRENGTHS)
                ],
            }
            | mean(changes.random[:, block], clusters, weights).named("random")
            | mean(gain, clusters, weights).named("difference")
        )
    own = np.array(chosen)[half]
    rows = np.arange(len(own))
    effect, random = changes.learned[rows, own, WHOLE], changes.random[rows, own]
    gained = mean(effect - random, clusters, weights)
    p = permutation_p(
        changes.learned[changes.tested, :, WHOLE], changes.shuffled, half[changes.tested]
    )
    first, second = states.cases[0].question.options
    if states.cases[0].world:
        first, second = LOWERED, RAISED
    document: dict[str, Any] = {
        "added_to": len(states.cases),
        "raised": second,
        "lowered": first,
        "blocks": blocks,
        "chosen_blocks": list(chosen),
        "p": p,
        "tested": len(changes.tested),
        "moves_the_answer": bool(gained.low > 0 and p <= LEVEL),
        "layers": list(dict.fromkeys(case.question.layer for case in states.cases)),
        "left_out": states.left_out,
    }
    document |= mean(effect, clusters, weights).named("effect")
    document |= mean(random, clusters, weights).named("random")
    return document | gained.named("difference")
