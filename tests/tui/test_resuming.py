"""A run that stopped early goes on from the screen of runs; otherwise what is missing is said."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from functools import partial
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import Form, Scoring
from core.files import paths
from core.models.openai.client import OpenAIModel
from core.models.openai.key import KEY_VARIABLE
from core.models.protocol import Model
from core.models.resolver import load_model
from core.runs.evaluation import Evaluation
from core.runs.option_order import option_order
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Run, RunState
from core.runs.replay import replay
from core.runs.store import Store
from tests.pilots import everything_awaited, notices, screen_rows
from tests.runs.answering_server import answering_server
from tests.runs.models import HashingModel
from tests.tui.support import Opened, many_stories, opened
from tests.tui.test_bursts import burst
from tests.tui.test_runs_screen import NO_MODEL, always, open_runs, record, recorded_story_run
from tui.runs.runs_screen import RunsScreen

pytestmark = pytest.mark.usefixtures("demo_model")


async def stopped(
    model: Model,
    data: Path | None = None,
    *,
    benchmark: str = "gita",
    after: int = 5,
    limit: int | None = 9,
    shots: int = 1,
    order: int = 0,
    form: Form = Form.BASE,
    scoring: Scoring = Scoring.LOGLIKELIHOOD,
    prior: bool = False,
) -> Run:
    """Ask a few questions in a manner that no screen asks by itself, and stop."""
    asked = registry.load(benchmark)
    path = data or asked.samples()
    source = QuestionSource(asked, asked.open(path), {}, limit, order)
    plan = plan_for(model, source, path, form=form, shots=shots, seed=3, scoring=scoring)
    with Store(paths.runs()) as store:
        evaluation = Evaluation(store, plan, model, source, prior=prior)
        async with aclosing(evaluation.steps()) as steps:
            async for progress in steps:
                if progress.done == after:
                    evaluation.cancel()
        return store.run(evaluation.run.id)


async def stopped_demo(**how: object) -> Run:
    demo = await load_model("demo", replay=partial(replay, paths.runs()))
    try:
        return await stopped(demo, **how)  # type: ignore[arg-type]
    finally:
        await demo.close()


def state_of(run_id: str) -> RunState:
    with Store(paths.runs(), create=False) as store:
        return store.run(run_id).state


async def wait_for(program: Opened, run: Run) -> None:
    await program.until(lambda: state_of(run.id) is RunState.DONE)


async def whole(run: Run) -> dict[tuple[str, str], object]:
    with Store(paths.runs(), create=False) as store:
        return {(v.layer, v.item): v.picked_options for v in store.verdicts(run.id)}


@pytest.mark.parametrize("benchmark", ["gita", "accord"])
async def test_a_stopped_run_goes_on_as_it_was_begun_whatever_is_open(benchmark: str) -> None:
    run = await stopped_demo()
    assert run.state is RunState.CANCELLED
    before = await whole(run)
    async with opened(model=NO_MODEL, benchmark=benchmark) as program:
        screen = await open_runs(program)
        await program.press("r")
        await wait_for(program, run)
        assert program.app.screen is screen
        assert program.app.model_state.name == "demo", "its model was loaded"
        with Store(paths.runs(), create=False) as store:
            [after] = store.runs()
        assert (after.id, after.plan) == (run.id, run.plan)
        assert after.items == run.plan.limit
        answers = await whole(run)
        assert answers.items() >= before.items()
        assert not notices(program.app)
        await program.until(lambda: screen.runs.runs[0].run.state is RunState.DONE)
    with Store(paths.runs()) as store:
        store.delete(run.id)
    again = await stopped_demo(after=-1)
    assert again.state is RunState.DONE
    assert await whole(again) == answers, "as if it had never been stopped"


async def test_a_repeat_goes_on_in_its_own_order_of_the_options() -> None:
    run = await stopped_demo(benchmark="accord", after=2, shots=0, limit=3, order=2)
    assert run.state is RunState.CANCELLED
    async with opened(model=NO_MODEL) as program:
        await open_runs(program)
        await program.press("r")
        await wait_for(program, run)
    with Store(paths.runs(), create=False) as store:
        orders = {(v.item, v.layer): v.order for v in store.verdicts(run.id)}
    assert len(orders) > 5
    assert orders == {(item, layer): option_order(item, layer, 5, 2) for item, layer in orders}


async def test_a_run_that_was_begun_with_priors_goes_on_with_them() -> None:
    run = await stopped_demo(after=2, limit=4, shots=0, prior=True)
    assert run.prior
    async with opened(model=NO_MODEL) as program:
        await open_runs(program)
        await program.press("r")
        await wait_for(program, run)
    with Store(paths.runs(), create=False) as store:
        verdicts = store.verdicts(run.id)
    assert len(verdicts) > 4
    assert all(len(verdict.priors) == len(verdict.options) for verdict in verdicts)


async def test_a_run_of_a_servers_model_goes_on_from_its_address_and_no_key_is_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk-secret")
    async with answering_server() as server:
        model = await OpenAIModel.connect(server.url)
        how = {"form": Form.CHAT, "scoring": Scoring.GENERATED, "shots": 0, "after": 3}
        run = await stopped(model, limit=5, **how)  # type: ignore[arg-type]
        await model.close()
        assert run.plan.server == f"{server.url}/v1#towers"
        asked = len(server.asked)
        async with opened(model=NO_MODEL) as program:
            await open_runs(program)
            await program.press("r")
            await wait_for(program, run)
            assert program.app.model_state.name == run.plan.server
        assert len(server.asked) > asked
    for file in paths.runs().parent.iterdir():
        assert not file.is_file() or b"sk-secret" not in file.read_bytes()


async def test_a_server_that_is_gone_is_named() -> None:
    async with answering_server() as server:
        model = await OpenAIModel.connect(server.url)
        how = {"form": Form.CHAT, "scoring": Scoring.GENERATED, "shots": 0, "after": 3}
        run = await stopped(model, limit=5, **how)  # type: ignore[arg-type]
        await model.close()
    async with opened(model=NO_MODEL) as program:
        await open_runs(program)
        await program.press("r")
        await program.until(lambda: bool(notices(program.app)))
        assert run.plan.server.partition("#")[0] in notices(program.app)[-1]


async def test_a_run_that_goes_on_is_live_in_the_list_and_marks_the_items(tmp_path: Path) -> None:
    data = many_stories(tmp_path / "stories.json", 60)
    run = await stopped_demo(data=data, limit=None)
    async with opened(path=data, size=(140, 40)) as program:
        screen = await open_runs(program)
        with everything_awaited():
            await burst(program, "r", "r")
        await program.until(lambda: program.app.collection_runs.asking)
        await program.until(lambda: screen.runs.runs[0].run.state is RunState.RUNNING)
        await program.press("r")
        assert "going on already" in " ".join(" ".join(screen_rows(program.app)).split())
        [running] = [each for each in program.app.collection_runs.all if each.run_id == run.id]
        running.pause_or_resume()
        await program.press("r")
        assert running.busy, "a paused one goes on"
        await running.cancel()
        state = program.browse.state
        assert state is not None
        assert state.run is running.answers


async def test_a_run_of_a_model_that_is_loaded_is_asked_of_that_model() -> None:
    model = HashingModel()
    run = await stopped(model)
    asked = len(model.asked)
    async with opened(model=NO_MODEL) as program:
        await open_runs(program)
        await program.press("r")
        await program.until(lambda: bool(notices(program.app)))
        assert "org/Hashing 1B, is not loaded" in notices(program.app)[-1]
        state = program.app.model_state
        program.app.set_model_state(
            type(state)(phase=type(state.phase).READY, name="hashing", model=model)
        )
        await program.press("r")
        await wait_for(program, run)
        assert len(model.asked) > asked


async def test_what_is_missing_is_said(tmp_path: Path) -> None:
    data = many_stories(tmp_path / "stories.json", 3)
    model = HashingModel()
    await stopped(model, data)
    async with opened(model=NO_MODEL) as program:
        screen = await open_runs(program)
        state = program.app.model_state
        program.app.set_model_state(
            type(state)(phase=type(state.phase).READY, name="hashing", model=model)
        )
        many_stories(data, 4)
        await program.press("r")
        await program.until(lambda: bool(notices(program.app)))
        assert "not those that run" in notices(program.app)[-1]
        data.unlink()
        await program.press("r")
        await program.until(lambda: "are not here" in notices(program.app)[-1])
        assert program.app.screen is screen
        assert not program.app.collection_runs.asking


async def test_finished_and_imported_runs_do_not_go_on() -> None:
    record("Done", 1, 2)
    async with opened(model=NO_MODEL, size=(40, 12)) as program:
        await open_runs(program)
        await program.press("r")
        await program.until(lambda: bool(notices(program.app)))
        assert "It is finished" in notices(program.app)[-1]


async def test_a_list_without_runs_takes_the_key() -> None:
    async with opened(model=NO_MODEL, size=(40, 12)) as program:
        await open_runs(program)
        await burst(program, "r", "r", "r")
        assert isinstance(program.app.screen, RunsScreen)


async def test_the_palette_goes_on_with_a_run() -> None:
    run = await stopped_demo()
    recorded_story_run("Later", always(True))
    async with opened(model=NO_MODEL) as program:
        screen = await open_runs(program)
        await program.press("j")
        assert screen.runs.cursor == run.id
        await program.press("ctrl+p")
        await program.pilot.pause(0.3)
        await program.press(*"Go on with")
        await asyncio.sleep(0.5)
        await program.press("enter")
        await wait_for(program, run)
