"""A run as the program holds it: figures now and then, stopping, and what is left after it."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.contract import registry
from core.contract.question import Form
from core.contract.summary import Summary
from core.models.openai.client import OpenAIModel
from core.runs.evaluation import Evaluation
from core.runs.questions import recorded_source
from core.runs.records import Run, RunState
from core.runs.repeats import repeated_figures, with_repeats
from core.runs.store import Store
from core.runs.summaries import summarise
from tests.fifth.support import towers
from tests.runs.answering_server import answering_server
from tests.runs.models import INFO, HashingModel
from tui.runs.choices import Choices, ItemSelection
from tui.runs.run_pane import order_now
from tui.runs.running import Running, RunPhase


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def running(tmp_path: Path, count: int) -> Running:
    data = tmp_path / "towers.json"
    data.write_text(json.dumps(towers(count)))
    benchmark = registry.load("shapes")
    return Running(benchmark, data, benchmark.open(data))


def going(run: Running, model: HashingModel, store: Path) -> asyncio.Task[None]:
    return asyncio.create_task(run.start(model, store, Form.BASE, lambda: None))


async def until(done: Any) -> None:
    async with asyncio.timeout(60):
        while not done():
            await asyncio.sleep(0.005)


async def test_figures_stay_when_the_run_has_ended(tmp_path: Path, store: Path) -> None:
    run = running(tmp_path, 40)
    await going(run, HashingModel(), store)
    assert run.phase is RunPhase.DONE
    store.rename(tmp_path / "elsewhere")
    run.next_profile()
    run.sum_up()
    with Store(tmp_path / "elsewhere") as opened:
        assert run.summary == summarise(opened, opened.run(run.run_id), "falling")


async def test_summaries_take_a_sixth_of_the_time_at_most(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[float] = []
    real = Evaluation.summary

    def slowly(self: Evaluation, profile: str = "") -> Summary:
        time.sleep(0.15)
        spent.append(time.monotonic())
        return real(self, profile)

    monkeypatch.setattr(Evaluation, "summary", slowly)
    run = running(tmp_path, 160)
    await going(run, HashingModel(seconds=0.01), store)
    # The last one is made because the run has ended.
    gaps = [later - earlier for earlier, later in pairwise(spent[:-1])]
    assert len(gaps) >= 2
    assert min(gaps) >= 0.15 + 5 * 0.15


async def test_cancel_returns_when_the_run_has_ended(tmp_path: Path, store: Path) -> None:
    run = running(tmp_path, 40)
    model = HashingModel(seconds=0.02)
    task = going(run, model, store)
    await until(lambda: len(model.asked) > 3)
    await run.cancel()
    assert run.phase is RunPhase.STOPPED
    with Store(store) as opened:
        assert opened.run(run.run_id).state is RunState.CANCELLED
    await task
    assert not run.pause_or_resume()
    await run.cancel()
    await going(run, HashingModel(), store)
    assert run.phase is RunPhase.DONE


async def test_cancel_ends_a_run_that_has_not_begun(tmp_path: Path, store: Path) -> None:
    run = running(tmp_path, 40)
    task = going(run, HashingModel(seconds=60), store)
    await asyncio.sleep(0)
    await run.cancel()
    await asyncio.wait({task}, timeout=60)
    assert run.phase is RunPhase.STOPPED
    assert not run.busy


async def test_a_task_that_is_cancelled_closes_the_store_in_order(
    tmp_path: Path, store: Path
) -> None:
    """As the program does when a person leaves while the run waits."""
    run = running(tmp_path, 40)
    model = HashingModel(seconds=0.01)
    task = going(run, model, store)
    await until(lambda: len(model.asked) > 3)
    run.pause_or_resume()
    await until(lambda: run.layers["stands"].state is RunState.PAUSED)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert run.phase is RunPhase.STOPPED
    with Store(store) as opened:
        kept = opened.run(run.run_id)
        assert kept.state is RunState.PAUSED
        with opened.hold(run.run_id):
            pass
    assert [file.name for file in tmp_path.iterdir() if "lock" in file.name] == []


async def test_a_failing_callback_closes_the_run_before_the_store(
    tmp_path: Path, store: Path
) -> None:
    run = running(tmp_path, 40)

    def fail() -> None:
        if run.layers and run.layers["stands"].done == 3:
            raise LookupError("the screen has gone")

    with pytest.raises(LookupError):
        await run.start(HashingModel(), store, Form.BASE, fail)
    with Store(store) as opened:
        assert opened.run(run.run_id).state is RunState.PAUSED
        assert opened.run(run.run_id).verdicts == 3


@pytest.mark.parametrize("restart", [False, True])
async def test_figures_of_the_run_before_are_not_shown_as_those_of_another(
    tmp_path: Path, store: Path, *, restart: bool
) -> None:
    run, model = running(tmp_path, 10), HashingModel()
    await going(run, model, store)
    assert run.summary is not None
    seen: list[Summary | None] = []
    await run.start(
        model if restart else HashingModel(replace(INFO, fingerprint="b" * 64)),
        store,
        Form.BASE,
        lambda: seen.append(run.summary),
        restart=restart,
    )
    assert seen[0] is None
    assert all(each is not None for each in seen[1:])


async def test_a_model_that_fails_leaves_the_figures_so_far(tmp_path: Path, store: Path) -> None:
    run = running(tmp_path, 40)
    await going(run, HashingModel(fails_after=20), store)
    assert run.phase is RunPhase.FAILED
    assert "engine ended" in run.error
    assert run.summary is not None
    assert run.summary.figures[0].n == 20


@pytest.mark.parametrize("restart", [False, True])
async def test_a_run_that_goes_on_records_no_answer_of_another_model(
    tmp_path: Path, store: Path, *, restart: bool
) -> None:
    begun = running(tmp_path, 40)
    await going(begun, HashingModel(fails_after=20), store)
    [stopped] = recorded(store)
    source = recorded_source(stopped.plan, begun.benchmark, begun.collection)
    run = Running(begun.benchmark, begun.path, begun.collection, (stopped, source))
    other = HashingModel(replace(INFO, fingerprint="b" * 64))
    await run.start(other, store, Form.BASE, lambda: None, restart=restart)
    assert run.phase is RunPhase.FAILED
    assert "is not loaded" in run.error
    assert other.asked == []
    [kept] = recorded(store)
    assert kept.verdicts == stopped.verdicts
    await going(run, HashingModel(), store)
    assert run.phase is RunPhase.DONE


def lettered() -> Running:
    """A run over the bundled trees, whose options have letters."""
    accord = registry.load("accord")
    run = Running(accord, accord.samples(), accord.open(accord.samples()))
    run.options.choices = Choices(ItemSelection.SAMPLE, 10, orders=3)
    return run


async def test_each_order_of_the_options_is_a_run_and_the_figures_are_spread_over_all(
    store: Path,
) -> None:
    run = lettered()
    await going(run, HashingModel(), store)
    assert run.phase is RunPhase.DONE
    with Store(store) as opened:
        runs = opened.runs()
        assert [each.plan.order for each in runs] == [0, 1, 2]
        assert {each.state for each in runs} == {RunState.DONE}
        assert {each.items for each in runs} == {10}
        first = runs[0]
        for profile in run.benchmark.profiles:
            assert run.profile == profile
            of_one = summarise(opened, opened.run(first.id), profile)
            spread = repeated_figures(opened, first, profile)
            assert [len(each.repeats.runs) for each in spread] == [3]
            assert run.summary == with_repeats(of_one, spread)
            run.next_profile()
            run.sum_up()
    # Marks and ladders show the benchmark's own order.
    assert run.run_id == first.id
    assert {verdict.order for verdict in run.answers.verdicts} <= {
        tuple(range(len(verdict.options))) for verdict in run.answers.verdicts
    }


async def test_a_recorded_run_has_its_own_figures_after_a_run_in_several_orders(
    tmp_path: Path, store: Path
) -> None:
    run, elsewhere = lettered(), tmp_path / "elsewhere.sqlite"
    other = lettered()
    other.options.choices = Choices(ItemSelection.SAMPLE, 30)
    await going(other, HashingModel(), elsewhere)
    await going(run, HashingModel(), store)
    run.load(elsewhere, other.run_id)
    assert run.summary is not None
    assert other.summary is not None
    assert run.summary.figures == other.summary.figures


def recorded(store: Path) -> list[Run]:
    with Store(store) as opened:
        return opened.runs()


async def test_a_run_in_several_orders_goes_on_in_the_order_in_which_it_was_cancelled(
    store: Path,
) -> None:
    whole = HashingModel()
    await going(lettered(), whole, store.with_name("whole.sqlite"))
    run, model = lettered(), HashingModel(seconds=0.01)
    task = going(run, model, store)
    await until(lambda: run.run_id)
    first = run.run_id
    await until(lambda: run.run_id != first and sum(p.done for p in run.layers.values()))
    assert order_now(run) == "Order 2 of 3 of the options."
    await run.cancel()
    await task
    assert [each.state for each in recorded(store)] == [RunState.DONE, RunState.CANCELLED]
    assert run.phase is RunPhase.STOPPED
    again = HashingModel()
    await going(run, again, store)
    assert [each.state for each in recorded(store)] == [RunState.DONE] * 3
    # The last one before the run was cancelled may have been under way.
    assert len(model.asked) + len(again.asked) - len(whole.asked) in {0, 1}
    assert set(map(str, model.asked + again.asked)) == set(map(str, whole.asked))


async def test_so_many_questions_as_chosen_are_asked_of_a_server_at_once(
    tmp_path: Path, store: Path
) -> None:
    run = running(tmp_path, 40)
    async with answering_server() as server:
        server.seconds = lambda number: 0.01
        model = await OpenAIModel.connect(server.url)
        run.options.choices = Choices(at_once=5)
        await run.start(model, store, Form.CHAT, lambda: None, of_servers=8)
        assert run.phase is RunPhase.DONE
        assert (server.most_at_once, run.at_once) == (5, 5)
        run.options.choices = Choices()
        await run.start(model, store, Form.CHAT, lambda: None, restart=True, of_servers=8)
        assert server.most_at_once == 8
        await model.close()
