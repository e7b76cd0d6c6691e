"""Asks the questions of a run that one request asks, and scores their answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from core.contract.question import Question, Verdict
from core.contract.task_layer import TaskLayer
from core.models.protocol import Model
from core.runs.asking import ask, ask_at_blocks, ask_together, prompt_of
from core.runs.option_order import blocks_in_own_order, in_own_order
from core.runs.pending import PendingGroup
from core.runs.questions import QuestionSource
from core.runs.records import BlockAnswers, Plan, prompt_hash


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that is not recorded yet."""

    seq: int
    """Its position in run order, which does not depend on when the question was asked."""
    verdict: Verdict
    prompt_hash: str
    seconds: float
    """How long the answer took; of several questions in one request, the mean."""
    blocks: BlockAnswers | None = None
    batch: int | None = None
    """The number of its request in the layer, where one asks several questions."""


async def ask_group(
    model: Model,
    plan: Plan,
    source: QuestionSource,
    number: int,
    layer: TaskLayer,
    group: PendingGroup,
) -> list[Answered]:
    """Ask the questions of a group; returns the answers that are not recorded yet.

    `number` is that of the layer in the benchmark. Raises `ModelError`, and `DataError` where an
    item is not the one that it was.
    """
    benchmark, form = source.benchmark, plan.form
    questions = [source.full_question(pending, layer) for pending in group.questions]
    blocks: BlockAnswers | None = None
    started = time.perf_counter()
    if plan.batch:
        verdicts = await ask_together(
            model,
            benchmark,
            questions,
            form,
            batch=plan.batch,
            scoring=plan.scoring,
            sampling=plan.sampling,
        )
    elif plan.blocks:
        reading = ask_at_blocks(model, benchmark, questions[0], form, scoring=plan.scoring)
        verdict, blocks = await reading
        verdicts = [verdict]
    else:
        verdict = await ask(
            model,
            benchmark,
            questions[0],
            form,
            scoring=plan.scoring,
            sampling=plan.sampling,
            seed=plan.seed,
        )
        verdicts = [verdict]
    seconds = (time.perf_counter() - started) / len(questions)
    if blocks is not None and questions[0].order:
        blocks = blocks_in_own_order(blocks, questions[0].order)
    first = number * len(source.collection)
    return [
        Answered(
            first + pending.position,
            _as_recorded(verdict, question, layer.id in benchmark.lettered_layers),
            prompt_hash(prompt_of(question, form, model.info)),
            seconds,
            blocks,
            group.number if plan.batch else None,
        )
        for pending, question, verdict in zip(group.questions, questions, verdicts, strict=True)
        if pending.position not in group.recorded
    ]


def _as_recorded(verdict: Verdict, question: Question, lettered: bool) -> Verdict:
    """A verdict in the options' own order, which it names where options have letters."""
    verdict = in_own_order(verdict, question)
    if lettered and not verdict.order:
        return replace(verdict, order=tuple(range(len(verdict.options))))
    return verdict
