"""The study `direction`: does a learned direction move the answer, where, and what else does it?"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from core.contract.question import Question
from core.models.blocks import Action, Edit, Part, margin
from core.studies.conducting import StudyProgress, StudyResult, StudyWork
from core.studies.direction import (
    FEWEST,
    HALVES,
    RANDOM,
    SHUFFLES,
    STRENGTHS,
    Directions,
    chosen_blocks,
    directions,
    halves,
    learned,
    permutation_p,
)
from core.studies.items_behind import ITEMS
from core.studies.moved_questions import moved_questions
from core.studies.plan import Study, StudyPlan
from core.studies.ranking import Estimate, Floats, Integers, draws, mean
from core.studies.report import Curve, CurvePlot, StudyReport, StudyTable
from core.studies.state_capture import (
    KEPT,
    ONE_LAYER,
    AnswerStates,
    capture_answers,
    two_option_cases,
)
from core.studies.study_store import KeptValues
from core.studies.subject import Case, Subject
from core.text.errors import RunError, SettingError
from core.text.language import N_, _

TITLE = N_("Directions that move the answer")
ADDING, BESIDES = N_("directions"), N_("side effects")
_WHOLE = STRENGTHS.index(1.0)
LEVEL = 0.05
MOST_ADDED = 100
"""Most cases that directions are added to: each does much the same to all of them."""
MOST_TESTED = 20
"""Most of these that directions of shuffled labels are added to."""
_MOST_NUMBERS = 200_000
"""Most numbers of the vectors of one request."""


class KeptChanges(msgspec.Struct, frozen=True):
    """How the margin of a case changes, in nats."""

    learned: list[list[float]]
    """(blocks, strengths)."""
    random: list[float]
    """(blocks,): the mean of the random directions at strength 1."""
    shuffled: list[list[float]]
    """(blocks, `SHUFFLES`); empty where they were not added."""


class KeptSideEffect(msgspec.Struct, frozen=True):
    """What a direction does to a question of another layer."""

    before: bool
    """Whether the model is right."""
    after: bool
    change: float
    """Of the right option's margin over the best other, in nats."""


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


def direction_work(subject: Subject, plan: StudyPlan) -> StudyWork:
    """The work of a direction study: states, directions, what they do, and what else they do."""

    async def work(kept: KeptValues) -> AsyncGenerator[StudyProgress | StudyResult, None]:
        cases = two_option_cases(subject, alike=plan.option("layers") != ONE_LAYER)
        states: AnswerStates | None = None
        async for step in capture_answers(subject, cases, kept):
            if isinstance(step, StudyProgress):
                yield step
            else:
                states = step
        assert states is not None
        labels, clusters = states.labels, states.clusters
        try:
            half = halves(clusters, labels, plan.seed)
        except (ValueError, IndexError):
            raise SettingError(
                _(
                    "Too few groups have questions with either right answer; a direction needs "
                    "{fewest}.",
                    fewest=HALVES * FEWEST,
                ),
                hint=_("Read a larger collection, or choose another --task-layer."),
            ) from None
        # What is added to a half was learned on the other.
        added = [
            directions(states.states[half != each], labels[half != each], clusters[half != each],
                       plan.seed + each)
            for each in range(HALVES)
        ]  # fmt: skip
        changes: _Changes | None = None
        whole = learned(states.states, labels, clusters)
        asked = len(states.cases), int(clusters.max()) + 1
        # From here on only the cases that are added to.
        drawn = _drawn(half, MOST_ADDED, plan.seed)
        states, half = states.of(drawn), half[drawn]
        tested = _drawn(half, MOST_TESTED, plan.seed)
        async for change in _changes(subject, states.cases, [added[h] for h in half], tested, kept):
            if isinstance(change, StudyProgress):
                yield change
            else:
                changes = change
        assert changes is not None
        chosen = chosen_blocks(changes.learned[:, :, _WHOLE] - changes.random, half)
        vectors = [added[each].learned[chosen[each]] for each in range(HALVES)]
        effects: dict[str, list[tuple[int, KeptSideEffect]]] = {}
        async for effect in _side_effects(subject, states, half, chosen, vectors, kept):
            if isinstance(effect, StudyProgress):
                yield effect
            else:
                effects = effect
        result = _document(states, half, chosen, changes, whole)
        result |= {"n": asked[0], "groups": asked[1]}
        clusters = states.clusters
        weights = draws(int(clusters.max()) + 1)
        result["side_effects"] = [
            _side_effect_document(layer, found, clusters, weights)
            for layer, found in effects.items()
        ]
        whole_effects = changes.learned[:, :, _WHOLE]
        result[ITEMS] = moved_questions(states, half, whole_effects, changes.random)
        kept.drop(KEPT)
        yield StudyResult(result)

    return work


def _drawn(half: Integers, most: int, seed: int) -> Integers:
    """The numbers of up to `most` cases, evenly of both halves, ascending."""
    drawn = np.random.default_rng(seed).permutation(len(half))
    members = [drawn[half[drawn] == each][: most // HALVES] for each in range(HALVES)]
    return np.sort(np.concatenate(members))


async def _changes(
    subject: Subject,
    cases: Sequence[Case],
    added: Sequence[Directions],
    tested: Integers,
    kept: KeptValues,
) -> AsyncIterator[StudyProgress | _Changes]:
    """Add to each case the directions of its own half; yields progress, and last the changes."""
    found: list[KeptChanges] = []
    for number, (case, vectors) in enumerate(zip(cases, added, strict=True)):
        key = f"change/{case.question.layer}/{case.item.id}"
        changes = kept.get(key, KeptChanges)
        if changes is None:
            changes = await _changes_of(subject, case, vectors, tested=number in tested)
            kept.put(key, changes)
        found.append(changes)
        yield StudyProgress(_(ADDING), number + 1, len(cases))
    yield _Changes(
        np.array([each.learned for each in found]),
        np.array([each.random for each in found]),
        tested,
        np.array([found[number].shuffled for number in tested]),
    )


async def _changes_of(
    subject: Subject, case: Case, added: Directions, *, tested: bool
) -> KeptChanges:
    blocks, width = added.learned.shape
    shuffled = added.shuffled if tested else added.shuffled[:0]
    edits = [
        _edit(block, vector)
        for block in range(blocks)
        for vector in (
            *(strength * added.learned[block] for strength in STRENGTHS),
            *added.random[:, block],
            *shuffled[:, block],
        )
    ]
    options = case.question.continuations()
    at_once = max(1, _MOST_NUMBERS // width)
    changes: list[float] = []
    for start in range(0, len(edits), at_once):
        scored = await subject.blocks.patch_each(
            case.prompt, options, edits[start : start + at_once]
        )
        plain = margin(scored.plain, 1, 0)
        changes += [margin(scores, 1, 0) - plain for scores in scored.patched]
    own, random, mixed = np.split(
        np.array(changes).reshape(blocks, -1), [len(STRENGTHS), len(STRENGTHS) + RANDOM], axis=1
    )
    return KeptChanges(own.tolist(), random.mean(axis=1).tolist(), mixed.tolist())


def _edit(block: int, vector: Floats) -> Edit:
    """A vector added at the answer position."""
    return Edit(Action.ADD, Part.RESIDUAL, block, -1, 0, vector=tuple(vector.tolist()))


async def _side_effects(
    subject: Subject,
    states: AnswerStates,
    half: Integers,
    chosen: Sequence[int],
    vectors: Sequence[Floats],
    kept: KeptValues,
) -> AsyncIterator[StudyProgress | dict[str, list[tuple[int, KeptSideEffect]]]]:
    """What the direction of each half's chosen block does to the other layers' questions.

    Yields progress, and last the effects by layer, each with the number of its case.
    """
    asked = {case.question.layer for case in states.cases}
    # Cases of one item share its other questions.
    first = {case.item.id: number for number, case in reversed(list(enumerate(states.cases)))}
    rows = [
        (number, question)
        for number in sorted(first.values())
        for question in _other_questions(subject, states.cases[number], asked)
    ]
    found: dict[str, list[tuple[int, KeptSideEffect]]] = {}
    for done, (number, question) in enumerate(rows, 1):
        key = f"besides/{question.layer}/{states.cases[number].item.id}"
        effect = kept.get(key, KeptSideEffect)
        if effect is None:
            part = int(half[number])
            edit = _edit(chosen[part], vectors[part])
            effect = await _side_effect(subject, question, edit)
            kept.put(key, effect)
        found.setdefault(question.layer, []).append((number, effect))
        yield StudyProgress(_(BESIDES), done, len(rows))
    yield found


def _other_questions(subject: Subject, case: Case, asked: set[str]) -> list[Question]:
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
        gain = changes.learned[:, block, _WHOLE] - changes.random[:, block]
        blocks.append(
            {
                "block": block,
                "norm": float(np.linalg.norm(whole[block])),
                "effects": [
                    {"strength": strength}
                    | _named("effect", mean(changes.learned[:, block, index], clusters, weights))
                    for index, strength in enumerate(STRENGTHS)
                ],
            }
            | _named("random", mean(changes.random[:, block], clusters, weights))
            | _named("difference", mean(gain, clusters, weights))
        )
    own = np.array(chosen)[half]
    rows = np.arange(len(own))
    effect, random = changes.learned[rows, own, _WHOLE], changes.random[rows, own]
    gained = mean(effect - random, clusters, weights)
    p = permutation_p(
        changes.learned[changes.tested, :, _WHOLE], changes.shuffled, half[changes.tested]
    )
    best = max(blocks[:-1] or blocks, key=lambda block: float(block["difference"]))["block"]
    first, second = states.cases[0].question.options
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
        "vector": {"block": best, "numbers": whole[best].tolist()},
    }
    document |= _named("effect", mean(effect, clusters, weights))
    document |= _named("random", mean(random, clusters, weights))
    return document | _named("difference", gained)


def _side_effect_document(
    layer: str,
    found: Sequence[tuple[int, KeptSideEffect]],
    clusters: Integers,
    weights: Floats,
) -> dict[str, Any]:
    usable = [(number, effect) for number, effect in found if np.isfinite(effect.change)]
    groups = np.unique([clusters[number] for number, _ in usable], return_inverse=True)[1]
    change = np.array([effect.change for _, effect in usable])
    document: dict[str, Any] = {
        "layer": layer,
        "n": len(usable),
        "right_before": sum(effect.before for _, effect in usable),
        "right_after": sum(effect.after for _, effect in usable),
    }
    if not usable:
        return document | _named("change", Estimate(float("nan")))
    return document | _named(
        "change", mean(change, groups.astype(np.int64), draws(int(groups.max()) + 1))
    )


def _named(name: str, estimate: Estimate) -> dict[str, Any]:
    return {name: estimate.value, f"{name}_interval": estimate.interval}


def direction_report(study: Study) -> StudyReport:
    """What a finished direction study shows."""
    result = study.result
    if result is None:
        raise RunError(_("Study {study} has no result yet.", study=study.id))
    blocks = result["blocks"]
    columns = (
        "block", "norm", *(f"effect x {strength:g}" for strength in STRENGTHS), "random x 1",
        "difference", "low", "high",
    )  # fmt: skip
    rows = tuple(
        (
            block["block"],
            block["norm"],
            *(effect["effect"] for effect in block["effects"]),
            block["random"],
            block["difference"],
            *(block["difference_interval"] or (None, None)),
        )
        for block in blocks
    )
    whole = [block["effects"][_WHOLE] for block in blocks]
    picture = CurvePlot(
        _(TITLE),
        _("change of the margin of “{raised}”, in nats", raised=result["raised"]),
        (
            Curve(
                _("learned direction"),
                tuple(each["effect"] for each in whole),
                tuple(_ends(each["effect_interval"]) for each in whole),
            ),
            Curve(
                _("random directions"),
                tuple(block["random"] for block in blocks),
                tuple(_ends(block["random_interval"]) for block in blocks),
            ),
        ),
        ((_("none"), 0.0),),
    )
    return StudyReport(
        _(TITLE), _findings(result), _method(study, result), StudyTable(columns, rows), picture
    )


def _ends(interval: Sequence[float] | None) -> tuple[float, float] | None:
    return None if interval is None else (interval[0], interval[1])


def _nats(figures: dict[str, Any], name: str) -> str:
    interval = figures[f"{name}_interval"]
    ends = "" if interval is None else f" [{interval[0]:+.3f}, {interval[1]:+.3f}]"
    return f"{figures[name]:+.3f}{ends}"


def _findings(result: dict[str, Any]) -> tuple[str, ...]:
    figures = {
        "raised": result["raised"],
        "effect": _nats(result, "effect"),
        "random": _nats(result, "random"),
        "difference": _nats(result, "difference"),
        "p": f"{result['p']:.2f}".removeprefix("0"),
    }
    if result["moves_the_answer"]:
        said = _(
            "The direction moves the answer: learned on some groups and added to others, it "
            "changes the margin of “{raised}” by {effect} nats, random ones of the same norm by "
            "{random}; the difference is {difference}, p {p}.",
            **figures,
        )
    else:
        said = _(
            "The direction is not shown to move the answer: it changes the margin of “{raised}” "
            "by {effect} nats, random ones of the same norm by {random}; the difference is "
            "{difference}, p {p}.",
            **figures,
        )
    besides = [
        _(
            "Side effect on layer {layer}: {before} of {n} right before, {after} after; the right "
            "option's margin changes by {change} nats.",
            layer=effect["layer"],
            before=effect["right_before"],
            after=effect["right_after"],
            n=effect["n"],
            change=_nats(effect, "change"),
        )
        for effect in result["side_effects"]
    ]
    return (said, *besides)


def _method(study: Study, result: dict[str, Any]) -> tuple[str, ...]:
    plan = study.plan
    return (
        _(
            "{n} questions of {groups} groups ({layers}); {left_out} more had no finite score. "
            "Direction: in each group the mean residual stream at the answer position of questions "
            "whose right answer is “{raised}” minus that of “{lowered}”, averaged over groups.",
            n=result["n"],
            groups=result["groups"],
            layers=", ".join(result["layers"]),
            left_out=result["left_out"],
            raised=result["raised"],
            lowered=result["lowered"],
        ),
        _(
            "Learned on half of the groups and added at the answer position of the other half's "
            "questions, both ways; the block is the best of the half that it was learned on: "
            "{chosen}, never the last, where what is added is read out as it is. Added to {added} "
            "questions, drawn where there are more. Controls: {random} random directions of the "
            "same norm; {shuffled} directions learned alike from labels shuffled inside the "
            "groups, added to {tested} of the questions, which give p. 95 % intervals, by "
            "bootstrap over groups, are of these directions as they are.",
            shuffled=SHUFFLES,
            added=result["added_to"],
            tested=result["tested"],
            chosen=", ".join(map(str, result["chosen_blocks"])),
            random=RANDOM,
        ),
        _(
            "Seed {seed}; model {model}, fingerprint {fingerprint}; collection {collection}.",
            seed=plan.seed,
            model=plan.model,
            fingerprint=plan.fingerprint[:12],
            collection=plan.collection_hash[:12],
        ),
    )
