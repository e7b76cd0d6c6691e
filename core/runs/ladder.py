"""Asks a model every layer of an item, and reports each step of that as an event.

The command line, the browse screen and lessons all ask through `ladder`.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from core.contract.benchmark import Benchmark
from core.contract.question import Form, Scoring, Verdict
from core.contract.rungs import Phase, Rung, with_verdict
from core.models.protocol import Model
from core.runs.asking import answer_steps, natural_form, natural_scoring
from core.runs.refusals import refusal
from core.text.errors import ModelError


@dataclass(frozen=True, slots=True)
class LayerSkipped:
    """A layer is not asked."""

    rung: Rung
    error: ModelError | None
    """Why this model cannot answer it; None where the layer has nothing to ask."""


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A layer is being asked."""

    rung: Rung


@dataclass(frozen=True, slots=True)
class TextWritten:
    """The model has written a piece of its answer."""

    rung: Rung
    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A layer is answered; the rung has the verdict."""

    rung: Rung
    verdict: Verdict
    seconds: float
    """From question to verdict."""


@dataclass(frozen=True, slots=True)
class LayerFailed:
    """The model failed to answer. This is the last event of its ladder."""

    rung: Rung
    error: ModelError


LadderEvent = LayerSkipped | QuestionAsked | TextWritten | Answered | LayerFailed


async def ladder(
    model: Model,
    benchmark: Benchmark,
    rungs: Iterable[Rung],
    *,
    form: Form | None = None,
    scoring: Scoring | None = None,
) -> AsyncGenerator[LadderEvent, None]:
    """Ask the questions of `rungs`, zero-shot and in order.

    Every layer that has something to ask is asked, also after a wrong answer: a right answer there
    may be right for the wrong reason. Of a record only the layers are asked that were asked then.

    Args:
        model: who answers: a model, a record of one, or a person.
        benchmark: scores the answers.
        rungs: as `core.contract.rungs.build_rungs` gives them.
        form: one text or turns; by default what suits the model.
        scoring: how answers are read; by default what suits the model and the form.

    To cancel, cancel the task that iterates.
    """
    form = form or natural_form(model.info)
    scoring = scoring or natural_scoring(model.info, form)
    for rung in rungs:
        question = rung.question
        if question is None:
            yield LayerSkipped(rung, None)
            continue
        error = refusal(model, question)
        if error is not None:
            yield LayerSkipped(rung, error)
            continue
        yield QuestionAsked(replace(rung, phase=Phase.ASKING))
        started = time.perf_counter()
        steps = answer_steps(model, benchmark, question, form, scoring=scoring)
        try:
            async with aclosing(steps):
                async for step in steps:
                    if isinstance(step, str):
                        yield TextWritten(rung, step)
                    else:
                        seconds = time.perf_counter() - started
                        yield Answered(with_verdict(benchmark, rung, step), step, seconds)
        except ModelError as failure:
            yield LayerFailed(replace(rung, phase=Phase.FAILED, error=str(failure)), failure)
            return


async def ask_rungs(
    model: Model,
    benchmark: Benchmark,
    rungs: Sequence[Rung],
    *,
    form: Form | None = None,
    scoring: Scoring | None = None,
) -> tuple[Rung, ...]:
    """Ask the questions of `rungs` as `ladder` does, and return the rungs with their answers.

    Raises `ModelError` when the model fails to answer, or can answer none of the questions.
    """
    refused: ModelError | None = None
    answers: dict[str, Rung] = {}
    steps = ladder(model, benchmark, rungs, form=form, scoring=scoring)
    async with aclosing(steps) as events:
        async for event in events:
            match event:
                case Answered(rung):
                    answers[rung.layer.id] = rung
                case LayerFailed(error=error):
                    raise error
                case LayerSkipped(error=ModelError() as error):
                    refused = refused or error
    if refused is not None and not answers:
        raise refused
    return tuple(answers.get(rung.layer.id, rung) for rung in rungs)
