"""Asks a model one question, or every layer of one item."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from core.benchmark import Benchmark
from core.errors import ModelError
from core.models.protocol import Ability, Model, ModelInfo, Replaying
from core.question import Answer, Form, Prompt, Question, Verdict
from core.setting import Setting


def natural_form(info: ModelInfo) -> Form:
    """Turns for a model that has a chat template, one text for any other."""
    return Form.CHAT if Ability.CHAT in info.abilities else Form.BASE


def prompt_of(question: Question, form: Form, info: ModelInfo) -> Prompt:
    """The prompt exactly as the model gets it."""
    return question.base() if form is Form.BASE else question.chat(system=info.system_turn)


def was_asked(model: Model, question: Question) -> bool:
    """Whether the model can answer: one that replays a record knows only what was asked then."""
    return not isinstance(model, Replaying) or model.recorded(question) is not None


async def ask(model: Model, benchmark: Benchmark, question: Question, form: Form) -> Verdict:
    """Ask one question by log-likelihood and judge the answer.

    A model that replays a record answers from it. Raises `ModelError` when the model cannot
    answer. To cancel the request, cancel the task that awaits this.
    """
    if isinstance(model, Replaying):
        recorded = model.recorded(question)
        if recorded is None:
            raise ModelError(
                f"Layer {question.layer} of item {question.item} is not in the record.",
                where=model.info.source,
                hint="A record answers only what was asked then; choose a model that is loaded.",
            )
        return benchmark.judge(question, Answer(recorded))
    if form is Form.CHAT and Ability.CHAT not in model.info.abilities:
        raise ModelError(
            "This model has no chat template, so it takes no turns.",
            where=model.info.source,
            hint="Use the base form.",
        )
    prompt = prompt_of(question, form, model.info)
    scores = await model.score(prompt, question.continuations())
    return benchmark.judge(question, Answer(scores))


async def ladder(
    model: Model, benchmark: Benchmark, item: Any, setting: Setting, form: Form
) -> AsyncIterator[Verdict]:
    """Ask every layer of an item under a setting, zero-shot, and yield the verdicts in order.

    Every layer that has something to ask is asked, also after a failure: a right answer there
    is right for the wrong reason. Of a record only the layers are yielded that were asked then;
    `ModelError` is raised when that is none of them.
    """
    questions = [benchmark.question(item, setting, layer.id) for layer in benchmark.layers]
    asked = [question for question in questions if question is not None]
    known = [question for question in asked if was_asked(model, question)]
    for question in known or asked:
        yield await ask(model, benchmark, question, form)
