"""A run as the program holds it: figures now and then, stopping, and what is left after it."""

from __future__ import annotations

import asyncio
import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.contract import registry
from core.contract.question import Form
from core.contract.summary import Summary
from core.runs.evaluation import Evaluation
from core.runs.records import RunState
from core.runs.store import Store
from core.runs.summaries import summarise
from tests.fifth.support import towers
from tests.runs.models import HashingModel
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
        assert run.summary == summarise(opened, run.run_id, "falling")


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


async def test_a_model_that_fails_leaves_the_figures_so_far(tmp_path: Path, store: Path) -> None:
    run = running(tmp_path, 40)
    await going(run, HashingModel(fails_after=20), store)
    assert run.phase is RunPhase.FAILED
    assert "engine ended" in run.error
    assert run.summary is not None
    assert run.summary.figures[0].n == 20
