"""A run is started while the model is still loading, and asked again when it is done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from core.files import paths
from core.models import resolver
from core.runs.records import RunState
from core.runs.store import Store
from core.text.errors import ModelError
from tests.pilots import notices
from tests.tui.run_panes import running, shown
from tests.tui.support import WIDE, Opened, opened, until
from tui.app.app import CommonsenseApp
from tui.runs.run_pane import RunPane
from tui.runs.running import RunPhase
from tui.shell.model_holder import ModelPhase


class Loading:
    """Lets a model be loaded, or not be there, when a test says so."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.fails = False


@asynccontextmanager
async def loading(
    stories: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Opened, Loading]]:
    """The run over some stories, seen before the model is there."""
    held, load = Loading(), resolver.load_model

    async def when_it_may(*given: Any, **named: Any) -> Any:
        await held.may.wait()
        if held.fails:
            raise ModelError("No such weights.")
        return await load(*given, **named)

    monkeypatch.setattr(resolver, "load_model", when_it_may)
    app = CommonsenseApp(benchmark="gita", path=stories, model="demo")
    async with app.run_test(size=WIDE) as pilot:
        program = Opened(app, pilot)
        await until(pilot, lambda: program.browse.item_text.border_title != "Opening…")
        await program.press("r")
        await program.until(showing(program, "space asks the model"))
        assert app.model_state.phase is ModelPhase.LOADING
        yield program, held


def showing(program: Opened, words: str) -> Callable[[], bool]:
    return lambda: bool(program.app.screen.query(RunPane)) and words in shown(program)


async def test_a_run_wanted_while_the_model_loads_starts_when_it_is_there(
    few_stories: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with loading(few_stories, monkeypatch) as (program, held):
        await program.press("space")
        await program.until(showing(program, "The model is loading: the run starts"))
        assert running(program).phase is RunPhase.IDLE
        held.may.set()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        await program.until(showing(program, "Done: run"))


async def test_it_starts_also_where_one_has_gone_back_to_the_items(
    few_stories: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with loading(few_stories, monkeypatch) as (program, held):
        run = running(program)
        await program.press("space", "escape")
        held.may.set()
        await program.until(lambda: run.phase is RunPhase.DONE)


async def test_what_is_taken_back_does_not_start(
    few_stories: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with loading(few_stories, monkeypatch) as (program, held):
        await program.press("space", "space")
        await program.until(showing(program, "space asks the model"))
        held.may.set()
        await program.until(lambda: program.app.model_state.ready)
        assert running(program).phase is RunPhase.IDLE


async def test_a_model_that_fails_leaves_nothing_waiting(
    few_stories: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with loading(few_stories, monkeypatch) as (program, held):
        await program.press("space")
        held.fails = True
        held.may.set()
        await program.until(lambda: program.app.model_state.phase is ModelPhase.FAILED)
        await program.until(showing(program, "space asks the model"))
        assert not running(program).wanted
        assert any("no model to ask" in told for told in notices(program.app))


async def test_a_run_that_is_done_can_be_asked_again_into_another(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        first = running(program).run_id
        await program.press("A")
        await program.until(lambda: running(program).run_id not in {"", first})
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        second = running(program).run_id
        await program.until(showing(program, f"Done: run {second}"))
        with Store(paths.runs()) as store:
            runs = store.runs()
            assert [run.id for run in runs] == [first, second]
            assert all(run.state is RunState.DONE for run in runs)
            once, again = (store.verdicts(run.id) for run in runs)
            assert [(v.layer, v.item, v.answer) for v in once] == [
                (v.layer, v.item, v.answer) for v in again
            ]
        # From now on the newer one is the one that was finished earlier.
        await program.press("space")
        await program.until(showing(program, f"Finished earlier: run {second}"))
        await program.until(showing(program, "A asks all again"))


async def test_a_run_that_is_not_done_is_not_asked_again() -> None:
    async with opened() as program:
        await program.press("r")
        await program.until(showing(program, "space asks the model"))
        await program.press("A")
        assert running(program).phase is RunPhase.IDLE
        assert any("space starts" in told for told in notices(program.app))
