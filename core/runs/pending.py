"""Which questions of a layer are still to be asked, and which of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.contract.question import Scoring
from core.contract.task_layer import TaskLayer
from core.models.protocol import Answering, Model
from core.runs.asking import used_scoring
from core.runs.questions import (
    Examples,
    Gate,
    PendingQuestion,
    QuestionSource,
    check_ids,
    gate_of,
    layer_questions,
)
from core.runs.records import Plan, replace_surrogates
from core.runs.refusals import refusal
from core.runs.shards import Shard
from core.text.errors import DataError
from core.text.language import _

_WRITING_ROUNDS = 4
"""How many times as many questions form a group where answers are written: one that is written to
its end makes room for the next of the group."""


@dataclass(frozen=True, slots=True)
class PendingGroup:
    """Questions that one request asks."""

    number: int
    """Its number in the layer, from 0."""
    questions: Sequence[PendingQuestion]
    recorded: frozenset[int] = frozenset()
    """The positions of those that are answered: a group is asked as a whole, so that its scores
    are the same whenever it is asked."""


@dataclass(frozen=True, slots=True)
class PendingQuestions:
    """The questions of a layer that are not answered yet, and counts of those that are."""

    groups: Sequence[PendingGroup]
    total: int
    """All questions of the layer."""
    done: int
    """How many were answered earlier."""
    right: int
    """Earlier answers that are right."""
    scored: int
    """Earlier answers that are right or wrong."""


def pending_questions(
    plan: Plan,
    source: QuestionSource,
    model: Model,
    layer: TaskLayer,
    answered: Mapping[tuple[str, str], bool | None],
    shard: Shard | None,
) -> PendingQuestions:
    """What a layer asks, and which of it is answered; takes seconds on a large collection.

    `answered` is what `Store.answered` returns. Raises `DataError` where the collection is not the
    one that the run was begun with.
    """
    gate = _for_the_model(model, gate_of(source.benchmark, layer, answered))
    examples = Examples(plan.shots, plan.shot_rule, plan.seed)
    positions = _positions(plan, source, shard)
    questions = layer_questions(source, layer, gate, examples, positions)
    if source.collection.content_hash != plan.collection_hash:
        raise DataError(
            _("This collection is not the one that the run was begun with."),
            where=plan.collection,
            hint=_("Open it again."),
        )
    results = {
        question.position: answered[key]
        for question in questions
        if (key := (layer.id, replace_surrogates(question.item))) in answered
    }
    size = _group_size(plan, source, layer, questions)
    groups = [
        PendingGroup(start // size, group, recorded)
        for start in range(0, len(questions), size)
        if len(recorded := _recorded(group := questions[start : start + size], results))
        < len(group)
    ]
    known = [right for right in results.values() if right is not None]
    return PendingQuestions(groups, len(questions), len(results), sum(known), len(known))


def _positions(plan: Plan, source: QuestionSource, shard: Shard | None) -> Sequence[int]:
    """The positions of the items that a run, or its shard, asks about, in collection order.

    Raises `DataError` where two shards have items with the same id.
    """
    wanted: Sequence[int] = source.positions
    if plan.chosen:
        wanted = [position for position in plan.chosen if position in wanted]
    if shard is None:
        return wanted
    # Merged shards tell answers apart by the ids of their items.
    check_ids(source.collection.entry(position).id for position in source.positions)
    ours = shard.positions(len(source.positions))
    return [position for position in wanted if position in ours]


def _recorded(
    group: Sequence[PendingQuestion], results: Mapping[int, bool | None]
) -> frozenset[int]:
    return frozenset(each.position for each in group if each.position in results)


def _group_size(
    plan: Plan, source: QuestionSource, layer: TaskLayer, questions: Sequence[PendingQuestion]
) -> int:
    """How many questions of a layer one request asks; the first stands for all of them."""
    first = source.question(questions[0].position, layer) if plan.batch and questions else None
    if first is None:
        return 1
    written = used_scoring(first, plan.scoring) is Scoring.GENERATED
    return plan.batch * (_WRITING_ROUNDS if written else 1)


def _for_the_model(model: Model, gate: Gate | None) -> Gate | None:
    """The gate, which also keeps out what a person is not asked."""
    if not isinstance(model, Answering):
        return gate
    return lambda question: refusal(model, question) is None and (gate is None or gate(question))
