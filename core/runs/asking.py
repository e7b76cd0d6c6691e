"""Asks a model one question, and scores its answer."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, cast

from core.answers.answer_objects import answer_schema
from core.answers.scoring import score_answer
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, Form, Prompt, Question, Scoring, Verdict
from core.models.inspectable import blocks_of
from core.models.protocol import (
    REPEATED,
    Ability,
    Answering,
    Batching,
    InterruptedAnswerError,
    Model,
    ModelInfo,
    NoSystemTurnError,
    Provable,
    Remote,
    Replaying,
    Sampling,
    Token,
    Writer,
    Writing,
    turns_are_not_scored,
)
from core.runs.refusals import (
    check_able,
    check_batch,
    check_form,
    check_same_scoring,
    check_sampling,
    no_json,
    not_recorded,
)

if TYPE_CHECKING:
    from core.runs.records import RecordedBlocks

logger = logging.getLogger(__name__)

_USUAL = Sampling()
_INTERRUPTIONS = 2
"""How often a question is asked again whose answer broke off."""


def natural_form(info: ModelInfo) -> Form:
    """Chat for a model that has a chat template, base for any other."""
    return Form.CHAT if Ability.CHAT in info.abilities else Form.BASE


def natural_scoring(info: ModelInfo, form: Form) -> Scoring | None:
    """How answers are read by default; None for how each question prefers it.

    A model without a chat template continues a text rather than answers it, so its likelihoods are
    measured. A server is asked for likelihoods only where a person wants them (`prepared`), so its
    text is read.
    """
    if Ability.SCORE not in info.abilities or info.likelihoods:
        return Scoring.GENERATED
    if form is Form.BASE and not info.recorded:
        return Scoring.LOGLIKELIHOOD
    return None


async def prepared(
    model: Model, form: Form | None, scoring: Scoring | None
) -> tuple[Form, Scoring | None]:
    """The form and the reading of answers to use, for those that a person named or left open.

    Where a server is to score options, that it does is proved first; it takes plain text only.
    Raises `ModelError`.
    """
    if scoring is Scoring.LOGLIKELIHOOD and isinstance(model, Provable):
        if form is Form.CHAT:
            raise turns_are_not_scored(model.info)
        await model.prove_likelihoods()
        return Form.BASE, scoring
    used = form or natural_form(model.info)
    check_form(model.info, used)
    if scoring is not None and not isinstance(model, (Replaying, Answering)):
        check_able(model.info, used, scoring)
        if scoring is Scoring.SCHEMA and not isinstance(model, Writer):
            raise no_json(model)
    return used, scoring or natural_scoring(model.info, used)


def prompt_of(question: Question, form: Form, info: ModelInfo) -> Prompt:
    """The prompt exactly as the model gets it."""
    return question.base() if form is Form.BASE else question.chat(system=info.system_turn)


async def given_answer(
    model: Model,
    question: Question,
    form: Form,
    *,
    scoring: Scoring | None = None,
    sampling: Sampling = _USUAL,
    seed: int = 0,
) -> Answer:
    """Ask one question as `answer_steps` does, and return the answer without scoring it.

    A server whose connection breaks in the middle of its answer is asked again, as nobody has seen
    the half of it.
    """
    for left in reversed(range(_INTERRUPTIONS + 1)):
        try:
            async with aclosing(
                _answer_pieces(model, question, form, scoring, sampling, seed)
            ) as steps:
                async for step in steps:
                    if not isinstance(step, str):
                        return step
        except InterruptedAnswerError as error:
            if not left:
                raise
            logger.warning(REPEATED, error)
            if isinstance(model, Remote):
                # A try that failed before its answer began was counted by the model itself.
                model.traffic.failures += 1
    raise AssertionError


async def answer_steps(
    model: Model,
    benchmark: Benchmark,
    question: Question,
    form: Form,
    *,
    scoring: Scoring | None = None,
) -> AsyncGenerator[str | Verdict, None]:
    """Ask one question: yields what the model writes, piece by piece, and last the verdict.

    Args:
        model: who answers. One that replays a record answers from it.
        benchmark: scores answers by log-likelihood and to open questions; `core.answers` reads
            other generated answers, for every benchmark alike.
        question: what is asked.
        form: one text or turns.
        scoring: how the answer is read; as the question prefers it by default. The answer to an
            open question is always generated.

    Raises `ModelError` when the model cannot answer, or not in this way. To cancel the request,
    cancel the task that awaits this.
    """
    async with aclosing(_answer_pieces(model, question, form, scoring, _USUAL, 0)) as steps:
        async for step in steps:
            if isinstance(step, str):
                yield step
            else:
                yield score_answer(question, step, benchmark.score)


async def _answer_pieces(
    model: Model,
    question: Question,
    form: Form,
    scoring: Scoring | None,
    sampling: Sampling,
    seed: int,
) -> AsyncGenerator[str | Answer, None]:
    """What the model writes, piece by piece, and last the whole answer; see `answer_steps`."""
    kind = _kind(type(model))
    if kind is Replaying:
        recorded = cast(Replaying, model).recorded(question)
        if recorded is None:
            raise not_recorded(question, model.info)
        check_same_scoring(recorded, question, scoring, model.info)
        answer = recorded
    elif kind is Answering:
        answer = await cast(Answering, model).answer(question)
    else:
        used = used_scoring(question, scoring)
        check_able(model.info, form, used)
        if used.written:
            answer = Answer(scoring=used)
            while True:
                prompt = prompt_of(question, form, model.info)
                writing = _writing(model, prompt, question, used, sampling, seed)
                try:
                    async with aclosing(writing) as tokens:
                        async for token in tokens:
                            answer = _continued(answer, token)
                            yield token.text
                    break
                except NoSystemTurnError:
                    # Its info says so now, so the next prompt has none.
                    continue
        else:
            prompt = prompt_of(question, form, model.info)
            answer = Answer(await model.score(prompt, question.continuations()))
    yield answer


def _writing(
    model: Model,
    prompt: Prompt,
    question: Question,
    scoring: Scoring,
    sampling: Sampling,
    seed: int,
) -> AsyncGenerator[Token, None]:
    """What the model writes. Raises `ModelError` where it cannot write in this way."""
    limit = sampling.max_tokens or question.answer_limit
    if scoring is Scoring.GENERATED and not sampling.temperature:
        return model.generate(prompt, max_tokens=limit, stop=question.stop)
    check_sampling(model, sampling)
    if not isinstance(model, Writer):
        raise no_json(model)
    of_schema = scoring is Scoring.SCHEMA
    return model.write(
        prompt,
        max_tokens=limit,
        # What ends a text may stand in a JSON object.
        stop=() if of_schema else question.stop,
        temperature=sampling.temperature,
        seed=seed,
        schema=answer_schema(question) if of_schema else None,
    )


@lru_cache
def _kind(kind: type[object]) -> type[object] | None:
    """What stands in the place of a model; None for a model. Looking at a class takes long."""
    return next((each for each in (Replaying, Answering) if issubclass(kind, each)), None)


def _continued(answer: Answer, token: Token) -> Answer:
    """A generated answer with another token."""
    return replace(
        answer,
        text=answer.text + token.text,
        # A server may say that it cut the text without another token. Its own count goes before
        # that of the pieces, as a piece may be a whole text.
        tokens=token.answer_tokens or answer.tokens + (bool(token.text) or not token.cut),
        complete=not token.cut,
    )


async def ask_together(
    model: Model,
    benchmark: Benchmark,
    questions: Sequence[Question],
    form: Form,
    *,
    batch: int,
    scoring: Scoring | None = None,
    sampling: Sampling = _USUAL,
) -> list[Verdict]:
    """Ask several questions, `batch` of them in one forward pass, and return their verdicts.

    Raises `ModelError` as `answer_steps` does, and where the model asks one question at a time.
    """
    check_batch(model)
    assert isinstance(model, Batching)
    ways = [used_scoring(question, scoring) for question in questions]
    for way in set(ways):
        check_able(model.info, form, way)
    check_sampling(model, sampling)
    if Scoring.SCHEMA in ways:
        raise no_json(model)
    prompts = [prompt_of(question, form, model.info) for question in questions]
    scored, written = (
        [index for index, way in enumerate(ways) if (way is Scoring.GENERATED) is generated]
        for generated in (False, True)
    )
    answers: dict[int, Answer] = {}
    scores = await model.score_together(
        [(prompts[index], questions[index].continuations()) for index in scored], batch=batch
    )
    answers |= {index: Answer(each) for index, each in zip(scored, scores, strict=True)}
    texts = await model.generate_together(
        [
            Writing(
                prompts[index],
                sampling.max_tokens or questions[index].answer_limit,
                questions[index].stop,
            )
            for index in written
        ],
        batch=batch,
    )
    for index, tokens in zip(written, texts, strict=True):
        answers[index] = reduce(_continued, tokens, Answer(scoring=Scoring.GENERATED))
    return [
        score_answer(question, answers[index], benchmark.score)
        for index, question in enumerate(questions)
    ]


def used_scoring(question: Question, scoring: Scoring | None) -> Scoring:
    """How an answer is read: generated for an open question, else as named or as it prefers."""
    return Scoring.GENERATED if question.open else scoring or question.scoring


async def ask_at_blocks(
    model: Model, benchmark: Benchmark, question: Question, form: Form
) -> tuple[Verdict, RecordedBlocks]:
    """Ask one question by log-likelihood; also return what each block of the model said.

    The prompt is evaluated once: the last block's scores are the model's own. Raises `ModelError`,
    also where blocks cannot be read.
    """
    # Screens ask without this, so its imports are not theirs.
    from core.runs.blocks import recorded_blocks

    blocks = blocks_of(model)
    check_able(model.info, form, Scoring.LOGLIKELIHOOD)
    prompt = prompt_of(question, form, model.info)
    reading = await blocks.read(prompt, question.continuations())
    verdict = benchmark.score(question, Answer(reading.scores[-1]))
    return verdict, recorded_blocks(benchmark, question, reading)
