"""Questions asked at once: the same verdicts, the same gates, the same ways to stop and go on."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.contract import registry
from core.contract.question import Form, OptionScore, Prompt, Scoring
from core.models.openai.client import OpenAIModel
from core.models.openai.requests import Limits
from core.models.protocol import Model
from core.runs import given_answers
from core.runs.evaluation import Evaluation, Progress
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import RunState
from core.runs.store import Store
from core.runs.under_way import usual_concurrency
from core.text.errors import ModelError
from tests.fifth.support import INSTALLED
from tests.runs.answering_server import AnsweringServer, answering_server
from tests.runs.models import INFO, HashingModel
from tui.runs.run_pane import at_once
from tui.runs.running import Running, RunPhase

TOWERS = 40
WORKER = [sys.executable, "-m", "tests.runs.worker"]
PLACE: dict[str, Any] = {
    "cwd": Path(__file__).parents[2],
    "env": os.environ | {"PYTHONPATH": str(INSTALLED)},
    "text": True,
}
QUICK = Limits(tries=4, first_wait=0.01, timeout=60.0, deadline=60.0)


class Unhurried(HashingModel):
    """Takes the longer the earlier it is asked, so that answers come in another order."""

    at_once = 0
    most_at_once = 0

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        number = len(self.asked)
        try:
            found = await super().score(prompt, options)
            await asyncio.sleep(0.004 * (7 - number % 8))
            return found
        finally:
            self.at_once -= 1


def begin(
    store: Store, data: Path, model: Model, concurrency: int, *, shots: int = 0
) -> Evaluation:
    shapes = registry.load("shapes")
    source = QuestionSource(shapes, shapes.open(data))
    server = isinstance(model, OpenAIModel)
    form = Form.CHAT if server else Form.BASE
    scoring = Scoring.GENERATED if server else None
    plan = plan_for(model, source, data, form=form, scoring=scoring, shots=shots)
    return Evaluation(store, plan, model, source, concurrency=concurrency)


async def finish(evaluation: Evaluation) -> list[Progress]:
    return [progress async for progress in evaluation.steps()]


async def until(done: Any) -> None:
    async with asyncio.timeout(60):
        while not done():
            await asyncio.sleep(0.005)


def rows(path: Path, run: str) -> list[tuple[Any, ...]]:
    """A run's verdicts in run order, but for the time they took."""
    with sqlite3.connect(path) as db:
        return db.execute(
            """SELECT seq, item, layer, setting, options, scores, answer, gold, "right",
            status, scoring, text, tags, prompt_hash FROM verdicts WHERE run = ? ORDER BY seq""",
            (run,),
        ).fetchall()


@pytest.mark.parametrize("shots", [0, 2])
async def test_the_store_is_that_of_questions_asked_singly(
    store: Store, data: Path, shots: int
) -> None:
    alone = begin(store, data, HashingModel(replace(INFO, fingerprint="alone")), 1, shots=shots)
    await finish(alone)
    model = Unhurried()
    together = begin(store, data, model, 16, shots=shots)
    await finish(together)
    assert model.most_at_once == 16
    assert rows(store.path, together.run.id) == rows(store.path, alone.run.id) != []
    assert [v.item for v in store.verdicts(together.run.id)] == [
        v.item for v in store.verdicts(alone.run.id)
    ]
    assert together.summary().figures == alone.summary().figures


async def test_a_layer_is_finished_before_the_next_begins(store: Store, data: Path) -> None:
    steps = await finish(begin(store, data, Unhurried(), 16))
    layers = [step.layer.id for step in steps]
    assert layers == sorted(layers, key=["stands", "culprit", "top"].index)
    for layer in ("stands", "culprit", "top"):
        mine = [step for step in steps if step.layer.id == layer]
        assert [step.done for step in mine] == list(range(mine[0].total + 1))


async def test_pause_finishes_what_is_under_way_and_begins_no_more(
    store: Store, data: Path
) -> None:
    model = Unhurried(on_score=lambda count: evaluation.pause() if count == 12 else None)
    evaluation = begin(store, data, model, 4)
    task = asyncio.create_task(finish(evaluation))
    await until(
        lambda: len(model.asked) > 11 and store.run(evaluation.run.id).state is RunState.PAUSED
    )
    asked = len(model.asked)
    await asyncio.sleep(0.1)
    assert len(model.asked) == asked <= 16
    assert len(store.verdicts(evaluation.run.id)) == asked
    evaluation.resume()
    await task
    assert evaluation.run.state is RunState.DONE
    assert len(model.asked) == len(store.verdicts(evaluation.run.id))


@pytest.mark.parametrize("way", ["cancel", "task", "close"])
async def test_stopping_loses_only_what_is_under_way(store: Store, data: Path, way: str) -> None:
    model = Unhurried()
    evaluation = begin(store, data, model, 8)
    if way == "close":
        async with aclosing(evaluation.steps()) as steps:
            async for progress in steps:
                if progress.done == 20:
                    break
    else:
        task = asyncio.create_task(finish(evaluation))
        await until(lambda: len(model.asked) > 20)
        if way == "cancel":
            evaluation.cancel()
            await task
        else:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    assert model.at_once == 0
    stopped = store.run(evaluation.run.id)
    assert stopped.state is (RunState.CANCELLED if way == "cancel" else RunState.PAUSED)
    assert len(model.asked) - 8 <= stopped.verdicts < len(model.asked) + 1
    again = HashingModel()
    resumed = begin(store, data, again, 8)
    await finish(resumed)
    assert resumed.run.id == stopped.id
    assert len(again.asked) == resumed.run.verdicts - stopped.verdicts
    alone = begin(store, data, HashingModel(replace(INFO, fingerprint="alone")), 1)
    await finish(alone)
    assert rows(store.path, stopped.id) == rows(store.path, alone.run.id)


async def test_more_or_fewer_questions_are_asked_at_once_on_the_way(
    store: Store, data: Path
) -> None:
    model = Unhurried()
    evaluation = begin(store, data, model, 2)
    async with aclosing(evaluation.steps()) as steps:
        async for progress in steps:
            if progress.done == 8 and progress.layer.id == "stands":
                assert model.most_at_once == 2
                evaluation.concurrency = 6
            if progress.done == 24 and progress.layer.id == "stands":
                assert model.most_at_once == 6
                model.most_at_once = 0
                evaluation.concurrency = 1
            if progress.done == 36 and progress.layer.id == "stands":
                model.most_at_once = 0
    assert model.most_at_once == 1


def test_a_killed_run_loses_and_doubles_nothing(tmp_path: Path, data: Path) -> None:
    whole = tmp_path / "whole.sqlite"
    subprocess.run([*WORKER, whole, data, "0"], check=True, capture_output=True, **PLACE)
    with Store(whole, create=False) as opened:
        expected = rows(whole, opened.runs()[0].id)
    path = tmp_path / "killed.sqlite"
    # Soon after the 17th verdict, it waits for ever: a busy machine may be late with the kill.
    arguments = [*WORKER, path, data, "0.002", "0", "21", "8"]
    worker = subprocess.Popen(arguments, stdout=subprocess.PIPE, **PLACE)
    assert worker.stdout is not None
    for _ in range(17):
        assert worker.stdout.readline()
    worker.kill()
    worker.communicate()
    with Store(path, create=False) as opened:
        [run] = opened.runs()
    kept = rows(path, run.id)
    assert len(kept) >= 17
    assert set(kept) < set(expected)
    arguments = [*WORKER, path, data, "0", "0", "1000", "8"]
    ended = subprocess.run(arguments, check=True, capture_output=True, **PLACE)
    assert ended.stdout.splitlines()[-1] == f"asked {len(expected) - len(kept)}"
    assert rows(path, run.id) == expected


async def at_server(
    store: Store, data: Path, server: AnsweringServer, concurrency: int
) -> tuple[Evaluation, list[Progress]]:
    model = await OpenAIModel.connect(server.url, limits=QUICK)
    evaluation = begin(store, data, model, concurrency)
    try:
        return evaluation, await finish(evaluation)
    finally:
        await model.close()


async def test_a_server_that_fails_now_and_then_is_asked_again(data: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "calm.sqlite") as calm, Store(tmp_path / "wild.sqlite") as wild:
        async with answering_server() as server:
            alone, _steps = await at_server(calm, data, server, 1)
            expected, asked = rows(calm.path, alone.run.id), len(server.asked)
            assert asked == len(expected)
            ways = ("429", "503", "close", "cut")
            server.fails = lambda number: ways[number // 7 % 4] if number % 7 == 0 else ""
            server.seconds = lambda number: 0.002 * (number % 5)
            together, steps = await at_server(wild, data, server, 16)
    assert rows(wild.path, together.run.id) == expected
    assert 4 < server.most_at_once <= 16
    paces = [step.pace for step in steps if step.pace is not None]
    assert len(paces) == len(steps)
    assert paces[-1].failures > 5
    assert (paces[-1].under_way, paces[-1].waiting) == (0, 0)
    assert paces[-1].tokens == len(expected)
    assert all(0 <= pace.under_way <= 16 for pace in paces)


async def test_a_refusal_ends_the_run_at_once_and_keeps_what_was_answered(
    store: Store, data: Path
) -> None:
    async with answering_server() as server:
        server.fails = lambda number: "400" if number == 20 else ""
        with pytest.raises(ModelError, match=r"refused \(400\)"):
            await at_server(store, data, server, 4)
        asked, [run] = len(server.asked), store.runs()
        assert asked <= 24
        assert run.state is RunState.PAUSED
        assert asked - 5 <= run.verdicts < asked
        server.fails = lambda number: ""
        resumed, _steps = await at_server(store, data, server, 4)
    assert resumed.run.id == run.id
    assert resumed.run.state is RunState.DONE
    assert len(server.asked) - asked == resumed.run.verdicts - run.verdicts


async def test_a_run_that_waits_for_a_server_says_so_every_second(store: Store, data: Path) -> None:
    async with answering_server() as server:
        server.fails = lambda number: "503" if number <= 4 else ""
        model = await OpenAIModel.connect(server.url, limits=replace(QUICK, first_wait=1.2))
        evaluation = begin(store, data, model, 4)
        async with aclosing(evaluation.steps()) as steps:
            first, tick = await anext(steps), await anext(steps)
        await model.close()
    assert first.pace is not None
    assert tick.pace is not None
    assert first.pace.under_way == 4
    assert (tick.verdict, tick.pace.under_way, tick.pace.waiting) == (None, 4, 4)


async def test_a_screen_tells_how_a_server_fares_and_asks_more_at_once(
    data: Path, tmp_path: Path
) -> None:
    shapes = registry.load("shapes")
    run = Running(shapes, data, shapes.open(data))
    told: list[str] = []
    async with answering_server() as server:
        server.seconds = lambda number: 0.005
        model = await OpenAIModel.connect(server.url, limits=QUICK)

        def changed() -> None:
            told.append(at_once(run))
            if len(told) == 20:
                assert server.most_at_once <= 3
                assert run.change_at_once(2)

        assert not run.change_at_once(2)
        await run.start(model, tmp_path / "runs.sqlite", Form.CHAT, changed, of_servers=3)
        await model.close()
    assert run.phase is RunPhase.DONE
    assert 3 < server.most_at_once <= 6
    assert not run.change_at_once(2)
    assert any(" of at most 3, " in each for each in told)
    assert any("6 of at most 6, " in each for each in told)
    assert told[-1] == ""


async def test_eight_questions_are_asked_of_a_server_and_one_of_a_file() -> None:
    async with answering_server() as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        await model.close()
    assert usual_concurrency(model, 8) == 8
    assert usual_concurrency(HashingModel(), 8) == 1


async def test_the_next_question_is_asked_before_an_answer_is_scored(
    store: Store, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, asked = HashingModel(), []
    real = given_answers.score_answer

    def score(*given: Any) -> Any:
        asked.append(len(model.asked))
        return real(*given)

    monkeypatch.setattr(given_answers, "score_answer", score)
    steps = await finish(begin(store, data, model, 1))
    first = [step for step in steps if step.layer.id == "stands" and step.verdict is not None]
    assert asked[: len(first)] == [min(n + 2, len(first)) for n in range(len(first))]


async def test_a_request_leaves_no_generator_behind_that_has_to_be_closed_later(
    data: Path, store: Store
) -> None:
    left = []
    hooks = sys.get_asyncgen_hooks()
    async with answering_server() as server:
        model = await OpenAIModel.connect(server.url)
        sys.set_asyncgen_hooks(finalizer=left.append)
        try:
            await finish(begin(store, data, model, 4))
        finally:
            sys.set_asyncgen_hooks(*hooks)
            await model.close()
    assert len(server.asked) > TOWERS
    assert left == []
