"""Asks a model one question, or every layer of one item."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from core.answers.scoring import score_text
from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.question import Answer, Form, Prompt, Question, Scoring, Verdict
from core.contract.setting import Setting
from core.models.block_requests import Inspectable
from core.models.protocol import Ability, Answering, Model, ModelInfo, Replaying
from core.text.errors import ModelError
from core.text.language import _

if TYPE_CHECKING:
    from core.runs.blocks import BlockAnswers

OnText = Callable[[str], None]
"""Hears each piece of a generated answer as it comes."""
_NEEDS = {Scoring.LOGLIKELIHOOD: Ability.SCORE, Scoring.GENERATED: Ability.GENERATE}


def natural_form(info: ModelInfo) -> Form:
    """Turns for a model that has a chat template, one text for any other."""
    return Form.CHAT if Ability.CHAT in info.abilities else Form.BASE


def natural_scoring(info: ModelInfo, form: Form) -> Scoring | None:
    """How answers are read where nobody says: as each question prefers it, if the model can.

    A model that takes no turns writes on rather than answers, so its likelihoods are measured; a
    server gives none, so its text is read.
    """
    if Ability.SCORE not in info.abilities:
        return Scoring.GENERATED
    if form is Form.BASE and not info.recorded:
        return Scoring.LOGLIKELIHOOD
    return None


def prompt_of(question: Question, form: Form, info: ModelInfo) -> Prompt:
    """The prompt exactly as the model gets it."""
    return question.base() if form is Form.BASE else question.chat(system=info.system_turn)


def can_answer(model: Model, question: Question) -> bool:
    """Whether the model can answer.

    One that replays a record knows only what was asked then. A person is asked no open question:
    the options, which are on their screen, are what the answer is compared with.
    """
    if isinstance(model, Replaying):
        return model.recorded(question) is not None
    return not (question.open and isinstance(model, Answering))


async def ask(
    model: Model,
    benchmark: Benchmark,
    question: Question,
    form: Form,
    *,
    scoring: Scoring | None = None,
    on_text: OnText | None = None,
) -> Verdict:
    """Ask one question and judge the answer.

    Args:
        model: who answers. One that replays a record answers from it.
        benchmark: who judges answers by log-likelihood and to open questions; other generated ones
            are read by `core.answers`, for every benchmark alike.
        question: what is asked.
        form: one text or turns.
        scoring: how the answer is read; as the question prefers it if that is not said. To an open
            question the model always writes.
        on_text: hears a generated answer as it comes.

    Raises `ModelError` when the model cannot answer, or not in this way. To cancel the request,
    cancel the task that awaits this.
    """
    if isinstance(model, Replaying):
        answer = _recorded(model.recorded(question), question, scoring, model.info)
    elif isinstance(model, Answering):
        answer = await model.answer(question)
    else:
        used = used_scoring(question, scoring)
        _check_able(model.info, form, used)
        prompt = prompt_of(question, form, model.info)
        if used is Scoring.GENERATED:
            answer = await _generated(model, prompt, question, on_text)
        else:
            answer = Answer(await model.score(prompt, question.continuations()))
    if answer.scoring is Scoring.GENERATED and not question.open:
        return score_text(question, answer)
    return benchmark.score(question, answer)


def used_scoring(question: Question, scoring: Scoring | None) -> Scoring:
    """How an answer is read: as is said, else as the question prefers, which no open one leaves."""
    return Scoring.GENERATED if question.open else scoring or question.scoring


async def ask_at_blocks(
    model: Model,
    benchmark: Benchmark,
    question: Question,
    form: Form,
    *,
    scoring: Scoring | None = None,
) -> tuple[Verdict, BlockAnswers | None]:
    """Ask one question as `ask` does, and tell what each block of the model would have answered.

    That is not known of answers that the model writes. The question is evaluated once: the last
    block's scores are the model's own. Raises `ModelError`, also where blocks cannot be read.
    """
    # What a screen asks needs none of this.
    from core.runs.blocks import block_answers

    if used_scoring(question, scoring) is not Scoring.LOGLIKELIHOOD:
        return await ask(model, benchmark, question, form, scoring=scoring), None
    if not isinstance(model, Inspectable):
        raise ModelError(_("The blocks of this model cannot be read."), where=model.info.source)
    _check_able(model.info, form, Scoring.LOGLIKELIHOOD)
    prompt = prompt_of(question, form, model.info)
    reading = await model.blocks.read(prompt, question.continuations())
    verdict = benchmark.score(question, Answer(reading.scores[-1]))
    return verdict, block_answers(benchmark, question, reading)


async def ladder(
    model: Model,
    benchmark: Benchmark,
    item: Item,
    setting: Setting,
    form: Form,
    *,
    scoring: Scoring | None = None,
) -> AsyncIterator[Verdict]:
    """Ask every layer of an item under a setting, zero-shot, and yield the verdicts in order.

    Every layer that has something to ask is asked, also after a failure: a right answer there
    is right for the wrong reason. Of a record only the layers are yielded that were asked then;
    `ModelError` is raised when that is none of them.
    """
    questions = [benchmark.question(item, setting, layer.id) for layer in benchmark.layers]
    asked = [question for question in questions if question is not None]
    known = [question for question in asked if can_answer(model, question)]
    for question in known or asked:
        yield await ask(model, benchmark, question, form, scoring=scoring)


def _recorded(
    recorded: Answer | None, question: Question, scoring: Scoring | None, info: ModelInfo
) -> Answer:
    if recorded is None:
        raise ModelError(
            _(
                "Layer {layer} of item {item} is not in the record.",
                layer=question.layer,
                item=question.item,
            ),
            where=info.source,
            hint=_("A record answers only what was asked then; choose a model that is loaded."),
        )
    if scoring is not None and not question.open and recorded.scoring is not scoring:
        raise ModelError(
            _(
                "This was answered by {scoring}, not by {wanted}.",
                scoring=recorded.scoring,
                wanted=scoring,
            ),
            where=info.source,
            hint=_("Answers read in different ways are never compared: ask as it was asked then."),
        )
    return recorded


def _check_able(info: ModelInfo, form: Form, scoring: Scoring) -> None:
    if form is Form.CHAT and Ability.CHAT not in info.abilities:
        raise ModelError(
            _("This model has no chat template, so it takes no turns."),
            where=info.source,
            hint=_("Use the base form."),
        )
    if _NEEDS[scoring] not in info.abilities:
        other = next(one for one in _NEEDS if one is not scoring)
        raise ModelError(
            _("This model gives no {scoring} answers.", scoring=scoring),
            where=info.source,
            hint=_("Choose another model, or ask for {other} answers.", other=other),
        )


async def _generated(
    model: Model, prompt: Prompt, question: Question, on_text: OnText | None
) -> Answer:
    """What the model writes, greedily, up to the question's limit."""
    answer = Answer(scoring=Scoring.GENERATED)
    pieces: list[str] = []
    writing = model.generate(prompt, max_tokens=question.answer_limit, stop=question.stop)
    async with aclosing(writing) as tokens:
        async for token in tokens:
            pieces.append(token.text)
            if on_text is not None:
                on_text(token.text)
            answer = replace(answer, tokens=answer.tokens + 1, complete=not token.cut)
    return replace(answer, text="".join(pieces))
