"""Asks one group of a run's questions; their answers are scored later.

So the next questions are on their way to a server while the answers to others are scored.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from core.answers.scoring import score_answer
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, Question, Scoring, Verdict
from core.contract.task_layer import TaskLayer
from core.models.protocol import Model
from core.runs.asking import ask_at_blocks, ask_together, given_answer, prompt_of, used_scoring
from core.runs.option_order import blocks_in_own_order, in_own_order
from core.runs.pending import PendingGroup
from core.runs.questions import QuestionSource
from core.runs.records import Plan, RecordedBlocks, prompt_hash
from core.text.errors import LongPromptError
from core.text.language import ngettext


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer that is not recorded yet."""

    seq: int
    """Its position in run order, which does not depend on when the question was asked."""
    verdict: Verdict
    prompt_hash: str
    seconds: float
    """How long the answer took; of several questions in one request, the mean."""
    blocks: RecordedBlocks | None = None
    batch: int | None = None
    """The number of its request in the layer, where one asks several questions."""


@dataclass(frozen=True, slots=True)
class UnscoredAnswer:
    """An answer as it was given."""

    question: Question
    answer: Answer | Verdict
    """A verdict where scoring is a part of asking."""
    seq: int
    seconds: float
    blocks: RecordedBlocks | None = None
    batch: int | None = None

    def scored(self, benchmark: Benchmark, plan: Plan, model: Model) -> ScoredAnswer:
        """The answer with its verdict, in the options' own order."""
        question, verdict, blocks = self.question, self.answer, self.blocks
        if isinstance(verdict, Answer):
            verdict = score_answer(question, verdict, benchmark.score)
        verdict = in_own_order(verdict, question)
        if question.layer in benchmark.lettered_layers and not verdict.order:
            verdict = verdict._replace(order=tuple(range(len(verdict.options))))
        if blocks is not None and question.order:
            blocks = blocks_in_own_order(blocks, question.order)
        asked = prompt_hash(prompt_of(question, plan.form, model.info))
        return ScoredAnswer(self.seq, verdict, asked, self.seconds, blocks, self.batch)


async def ask_group(
    model: Model,
    plan: Plan,
    source: QuestionSource,
    number: int,
    layer: TaskLayer,
    group: PendingGroup,
) -> list[UnscoredAnswer]:
    """Ask the questions of a group; returns the answers that are not recorded yet.

    `number` is that of the layer in the benchmark. Raises `ModelError`, and `DataError` where an
    item is not the one that it was.
    """
    benchmark, form = source.benchmark, plan.form
    questions = [source.full_question(pending, layer) for pending in group.questions]
    answers: list[Answer | Verdict] = []
    blocks: RecordedBlocks | None = None
    started = time.perf_counter()
    if plan.batch:
        answers += await ask_together(
            model,
            benchmark,
            questions,
            form,
            batch=plan.batch,
            scoring=plan.scoring,
            sampling=plan.sampling,
        )
    elif plan.blocks and used_scoring(questions[0], plan.scoring) is Scoring.LOGLIKELIHOOD:
        verdict, blocks = await ask_at_blocks(model, benchmark, questions[0], form)
        answers.append(verdict)
    else:
        answer = given_answer(
            model,
            questions[0],
            form,
            scoring=plan.scoring,
            sampling=plan.sampling,
            seed=plan.seed,
        )
        answers.append(await answer)
    seconds = (time.perf_counter() - started) / len(questions)
    first = number * len(source.collection)
    return [
        UnscoredAnswer(
            question,
            answer,
            first + pending.position,
            seconds,
            blocks,
            group.number if plan.batch else None,
        )
        for pending, question, answer in zip(group.questions, questions, answers, strict=True)
        if pending.position not in group.recorded
    ]


def too_long_error(errors: Sequence[LongPromptError]) -> LongPromptError:
    """The error of a run whose other questions are answered."""
    what = ngettext(
        "{n:,} request was longer than the model's context and is not answered; all others are. "
        "{first}",
        "{n:,} requests were longer than the model's context and are not answered; all others "
        "are. The first: {first}",
        len(errors),
        n=len(errors),
        first=errors[0].what,
    )
    return LongPromptError(what, where=errors[0].where, hint=errors[0].hint)
