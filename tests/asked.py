"""Asks a question as a run does, and scores the answer."""

from __future__ import annotations

from core.answers.scoring import score_answer
from core.contract.benchmark import Benchmark
from core.contract.question import Form, Question, Scoring, Verdict
from core.models.protocol import Model
from core.runs.asking import given_answer


async def ask(
    model: Model,
    benchmark: Benchmark,
    question: Question,
    form: Form,
    scoring: Scoring | None = None,
) -> Verdict:
    """The verdict on a model's answer."""
    return score_answer(
        question, await given_answer(model, question, form, scoring=scoring), benchmark.score
    )
