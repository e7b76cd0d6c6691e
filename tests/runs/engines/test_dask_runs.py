"""Runs whose questions are answered by workers are the runs of one process."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import distributed
import pytest

from core.contract import registry
from core.contract.question import Form
from core.models.protocol import Model
from core.models.resolver import load_model
from core.runs.engines.cluster import connected
from core.runs.engines.cluster_model import ClusterModel
from core.runs.engines.dask_engine import DaskEngine
from core.runs.engines.worker_models import ModelReference, info_of, versions, with_model
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import RunState
from core.runs.store import Store
from core.runs.under_way import usual_concurrency
from core.text.errors import WorkersError
from tests.cli.support import ok, run, spawn
from tests.mostly_slow import mostly_slow
from tests.runs.engines import clusters
from tests.runs.engines.clusters import Workers
from tests.runs.engines.test_local_workers import models_of
from tests.runs.models import HashingModel
from tests.runs.test_shards import recorded
from tui.cli.engines import places_of

pytestmark = pytest.mark.usefixtures("demo_model")


@mostly_slow(
    "words",
    [
        ("gita", "--shots", "2", "--limit", "7"),
        ("abspyramid", "--limit", "1", "--scoring", "generated"),
        ("com2", "--limit", "1", "--blocks", "--prior"),
        ("accord", "--limit", "1", "--permute", "2"),
    ],
    ids=lambda words: words[0],
)
def test_the_store_is_that_of_one_process(
    words: tuple[str, ...], dask_workers: Workers, tmp_path: Path
) -> None:
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    command = ("evaluate", *words, "--model", "demo", "--json")
    shown = ok(*command, "--store", here).json
    spread = (*command, "--engine", "dask", "--address", dask_workers.address)
    assert {**ok(*spread, "--store", there).json, "created": ""} == {**shown, "created": ""}
    assert recorded(there) == recorded(here) != []
    said = ok(*spread, "--store", there).err
    assert "finished earlier" in said
    assert recorded(there) == recorded(here)


def test_a_model_file_is_opened_by_each_worker(dask_workers: Workers, tmp_path: Path) -> None:
    from core.models.resolver import demo_file

    file = tmp_path / "own.gguf"
    file.write_bytes(demo_file().read_bytes())
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    command = ("evaluate", "com2", "--limit", "1", "--model", file)
    ok(*command, "--store", here)
    ok(*command, "--store", there, "--engine", "dask", "--address", dask_workers.address)
    assert recorded(there) == recorded(here)


Step = Callable[[int], Awaitable[None]]


async def evaluated(model: Model, store: Path, on_step: Step | None = None) -> Evaluation:
    """Ask a model the first items of Com², with a call after each verdict."""
    benchmark = registry.load("com2")
    path = benchmark.samples()
    source = QuestionSource(benchmark, benchmark.open(path), limit=4)
    plan = plan_for(model, source, path, form=Form.BASE)
    with Store(store) as opened:
        at_once = usual_concurrency(model, 1)
        evaluation = Evaluation(opened, plan, model, source, concurrency=at_once)
        count = 0
        async with aclosing(evaluation.steps()) as steps:
            async for progress in steps:
                if progress.verdict is not None:
                    count += 1
                    if on_step is not None:
                        await on_step(count)
    return evaluation


async def undivided(store: Path) -> list[dict[str, object]]:
    model = await load_model("demo")
    await evaluated(model, store)
    await model.close()
    return recorded(store)


@pytest.mark.slow
async def test_a_killed_worker_loses_and_doubles_nothing(tmp_path: Path) -> None:
    killed: list[int] = []
    with clusters.running(tmp_path) as running:
        async with distributed.Client(running.address, asynchronous=True) as watching:
            await watching.wait_for_workers(2)
            pids = await watching.run(os.getpid)

            async def kill(count: int) -> None:
                busy = await watching.processing()
                for pid in [pids[address] for address in pids if busy.get(address)]:
                    if count >= 4 and not killed:
                        os.kill(pid, signal.SIGKILL)
                        killed.append(pid)

            async with connected(DaskEngine(running.address)) as cluster:
                model = await ClusterModel.load(cluster, "demo")
                assert places_of(model) == model.places == 4
                evaluation = await evaluated(model, tmp_path / "there.sqlite", kill)
            left = await watching.run(os.getpid)
    assert len(killed) == 1
    assert set(left.values()) == set(pids.values()) - set(killed)
    assert evaluation.run.state is RunState.DONE
    assert recorded(tmp_path / "there.sqlite") == await undivided(tmp_path / "here.sqlite")


@pytest.mark.slow
async def test_a_run_without_workers_waits_for_the_next_and_uses_all_that_come(
    tmp_path: Path,
) -> None:
    with clusters.running(tmp_path, workers=1) as running:
        [first] = running.workers
        async with connected(DaskEngine(running.address)) as cluster:
            await cluster.first_worker()
            model = await ClusterModel.load(cluster, "demo")

            async def replace_workers(count: int) -> None:
                if count == 4:
                    first.kill()
                    for _ in range(2):
                        running.start_worker()

            await evaluated(model, tmp_path / "there.sqlite", replace_workers)
            while cluster.workers != 2:
                await asyncio.sleep(0.1)
            assert usual_concurrency(model, 1) == 4
    assert recorded(tmp_path / "there.sqlite") == await undivided(tmp_path / "here.sqlite")


@pytest.mark.slow
def test_a_run_whose_scheduler_ends_keeps_its_answers_and_goes_on_anywhere(tmp_path: Path) -> None:
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    command = ("evaluate", "com2", "--limit", "6", "--model", "demo")
    with clusters.running(tmp_path, workers=1) as running:
        spread = ("--engine", "dask", "--address", running.address, "--store", there)
        with spawn(*command, *spread) as asking:
            while answered(there) < 4:
                assert asking.poll() is None
                time.sleep(0.01)
            running.scheduler.kill()
            _, said = asking.communicate()
    assert asking.returncode == 1
    assert "What was answered is kept in run com2-demo-1; the same command goes on." in said
    assert "The workers cannot answer: The connection to the scheduler is lost." in said
    assert "Traceback" not in said
    assert 4 <= answered(there) < 32
    ok(*command, "--store", there)
    ok(*command, "--store", here)
    assert recorded(there) == recorded(here)


def test_a_model_of_this_process_is_asked_one_question_at_a_time() -> None:
    assert places_of(HashingModel()) == places_of(None) == 1


def answered(store: Path) -> int:
    """How many verdicts a store has."""
    if not store.exists():
        return 0
    with Store(store, create=False) as opened:
        return sum(each.verdicts for each in opened.runs())


async def test_a_cancelled_run_keeps_its_answers_and_leaves_the_workers_without_a_model(
    dask_workers: Workers, tmp_path: Path
) -> None:
    store = tmp_path / "there.sqlite"
    engine = DaskEngine(dask_workers.address)
    async with connected(engine) as cluster:
        model = await ClusterModel.load(cluster, "demo")

        async def cancel(count: int) -> None:
            if count == 4:
                task.cancel()

        task = asyncio.create_task(evaluated(model, store, cancel))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(await model.score("The cup", [" is"])) == 1
        await model.close()
        async with asyncio.timeout(60):
            while any(models_of(worker.pid) for worker in dask_workers.workers):
                await asyncio.sleep(0.05)
    expected = await undivided(tmp_path / "here.sqlite")
    assert 4 <= len(recorded(store)) - 1 < len(expected) - 1
    assert await undivided(store) == expected


async def test_a_worker_with_other_weights_versions_or_room_is_refused(
    dask_workers: Workers,
) -> None:
    async with connected(DaskEngine(dask_workers.address)) as cluster:
        model = await ClusterModel.load(cluster, "demo")
        weights = model.info.fingerprint
        other_weights = ModelReference("demo", "sha256:0", versions())
        with pytest.raises(WorkersError, match=r"demo on .*: The file of the model has other we"):
            await cluster.run(with_model, other_weights, None, info_of)
        other_version = ModelReference("demo", weights, ("commonsense-tui 0",))
        with pytest.raises(WorkersError, match="Another version is installed here"):
            await cluster.run(with_model, other_version, None, info_of)
        roomy = replace(model.info, context=10**6)
        reference = ModelReference("demo", weights, versions())
        with pytest.raises(WorkersError, match=r"2,048 tokens here and 1,000,000 on another"):
            await cluster.run(with_model, reference, roomy, info_of)


@pytest.mark.parametrize(
    ("without", "said"),
    [
        ("workers", "This program cannot be imported there: .*No module named"),
        ("scheduler", "This program is not installed where the scheduler runs"),
    ],
)
async def test_where_the_program_is_missing_a_person_is_told(
    without: str, said: str, tmp_path: Path
) -> None:
    with clusters.running(tmp_path, workers=1, without=without) as running:
        async with connected(DaskEngine(running.address)) as cluster:

            async def ask() -> None:
                await cluster.first_worker()
                await cluster.run(versions)

            with pytest.raises(WorkersError, match=said):
                await ask()


async def test_a_request_that_its_workers_die_over_ends_and_others_are_answered() -> None:
    async with connected(DaskEngine(workers=2)) as cluster:
        with pytest.raises(WorkersError, match=r"4 workers ended over the same request"):
            await cluster.run(os._exit, 1)
        assert await cluster.run(versions) == versions()


@pytest.mark.parametrize("model", ["http://127.0.0.1:9/v1", "replay:some-run", "person:me"])
def test_only_model_files_are_spread(model: str, dask_workers: Workers, tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    words = ("evaluate", "com2", "--store", store, "--engine", "dask", "--model", model)
    refused = run(*words, "--address", dask_workers.address)
    assert refused.code == 2
    assert "Workers load a model from its file" in refused.err
    assert not store.exists()


async def test_where_no_scheduler_listens_a_person_is_told() -> None:
    with pytest.raises(WorkersError, match=r"^tcp://127\.0\.0\.1:1: No scheduler answers: "):
        async with connected(DaskEngine("tcp://127.0.0.1:1"), patience=0.3):
            pass
