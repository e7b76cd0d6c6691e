"""The ladder's events, for whoever answers: a model, a record of one, a person."""

from __future__ import annotations

import asyncio

import pytest

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, Form, Question, Scoring
from core.contract.rungs import Phase, Rung, build_rungs
from core.contract.setting import Setting
from core.models.person import PersonModel
from core.models.protocol import Model
from core.models.replay import ReplayModel
from core.runs.ladder import (
    Answered,
    LadderEvent,
    LayerFailed,
    LayerSkipped,
    QuestionAsked,
    TextWritten,
    ladder,
)
from tests.runs.models import HashingModel
from tests.runs.test_generating import Writing


def gita_rungs(item: str = "0-O0") -> tuple[Benchmark, tuple[Rung, ...]]:
    gita = registry.load("gita")
    collection = gita.open(gita.samples())
    return gita, build_rungs(gita, collection.item(collection.find(item)), Setting())


async def events_of(
    model: Model, benchmark: Benchmark, rungs: tuple[Rung, ...], **how: object
) -> list[LadderEvent]:
    return [event async for event in ladder(model, benchmark, rungs, **how)]  # type: ignore[arg-type]


async def test_each_layer_is_asked_and_then_answered_in_order() -> None:
    gita, rungs = gita_rungs()
    events = await events_of(HashingModel(), gita, rungs)
    asked = [rung for rung in rungs if rung.question is not None]
    assert len(asked) > 1
    kinds = [QuestionAsked, Answered] * len(asked)
    assert [type(event) for event in events if not isinstance(event, LayerSkipped)] == kinds
    answers = [event for event in events if isinstance(event, Answered)]
    assert [event.rung.layer for event in answers] == [rung.layer for rung in asked]
    for event, rung in zip(answers, asked, strict=True):
        assert event.rung.question is rung.question
        assert event.rung.verdict is event.verdict
        assert event.rung.phase is Phase.ANSWERED
        assert event.seconds >= 0


async def test_a_layer_without_a_question_is_skipped_without_an_error() -> None:
    gita, rungs = gita_rungs("0")
    silent = [rung.layer for rung in rungs if rung.question is None]
    skipped = [
        e for e in await events_of(HashingModel(), gita, rungs) if isinstance(e, LayerSkipped)
    ]
    assert silent
    assert [event.rung.layer for event in skipped] == silent
    assert all(event.error is None for event in skipped)


async def test_generated_text_comes_in_pieces_before_its_verdict() -> None:
    gita, rungs = gita_rungs()
    model = Writing(lambda _: "It is icy. Answer: A")
    events = await events_of(model, gita, rungs[:1], scoring=Scoring.GENERATED)
    first, *pieces, last = events
    assert isinstance(first, QuestionAsked)
    assert isinstance(last, Answered)
    assert all(isinstance(piece, TextWritten) for piece in pieces)
    assert "".join(e.text for e in pieces if isinstance(e, TextWritten)) == last.verdict.text


async def test_the_first_failure_to_answer_ends_the_ladder() -> None:
    gita, rungs = gita_rungs()
    *_, before, asked, failed = await events_of(HashingModel(fails_after=1), gita, rungs)
    assert isinstance(before, Answered)
    assert isinstance(asked, QuestionAsked)
    assert isinstance(failed, LayerFailed)
    assert failed.rung.phase is Phase.FAILED
    assert failed.rung.error == str(failed.error)


async def test_of_a_record_only_what_it_holds_is_asked() -> None:
    gita, rungs = gita_rungs()
    known = rungs[1].question
    assert known is not None
    events = await events_of(HashingModel(), gita, rungs[1:2])
    (scores,) = [event.verdict.scores for event in events if isinstance(event, Answered)]
    record = {(known.digest(), known.layer, known.options): Answer(scores)}
    events = await events_of(ReplayModel("r", record), gita, rungs)
    asked = [event for event in events if isinstance(event, QuestionAsked)]
    skipped = [event for event in events if isinstance(event, LayerSkipped)]
    assert [event.rung.layer for event in asked] == [rungs[1].layer]
    assert "not in the record" in str(skipped[0].error)


async def test_a_person_is_asked_the_question_itself() -> None:
    gita, rungs = gita_rungs()
    shown: list[Question] = []

    async def pick(question: Question) -> tuple[int, ...]:
        shown.append(question)
        return (0,)

    events = await events_of(PersonModel("Ada", pick), gita, rungs)
    answers = [event for event in events if isinstance(event, Answered)]
    assert [event.rung.question for event in answers] == shown
    assert all(event.verdict.answer == 0 for event in answers)


async def test_cancelling_the_task_that_iterates_cancels_the_request() -> None:
    gita, rungs = gita_rungs()
    events: asyncio.Queue[LadderEvent] = asyncio.Queue()

    async def follow() -> None:
        async for event in ladder(HashingModel(seconds=60), gita, rungs, form=Form.BASE):
            events.put_nowait(event)

    task = asyncio.create_task(follow())
    assert isinstance(await events.get(), QuestionAsked)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert events.empty()
