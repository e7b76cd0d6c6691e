"""What is pressed while the model or the collection is loading is done when it is there, once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from core.contract import registry
from core.files.shipped import samples
from core.models import resolver
from core.text.errors import ModelError
from tests.pilots import notices, screen_rows
from tests.tui.support import WIDE, Opened, opened, until
from tests.tui.test_bursts import burst
from tui.app.app import CommonsenseApp
from tui.runs.run_screen import RunScreen
from tui.shell.model_holder import ModelPhase

KEPT = "Asked as soon as the model is loaded"


@asynccontextmanager
async def loading(
    monkeypatch: pytest.MonkeyPatch, *, fails: bool = False
) -> AsyncIterator[tuple[Opened, asyncio.Event]]:
    """The program whose model is loading, until a test lets it be there or fail."""
    may, load = asyncio.Event(), resolver.load_model

    async def when_it_may(*given: Any, **named: Any) -> Any:
        await may.wait()
        if fails:
            raise ModelError("No such weights.")
        return await load(*given, **named)

    monkeypatch.setattr(resolver, "load_model", when_it_may)
    app = CommonsenseApp(benchmark="gita", model="demo")
    async with app.run_test(size=WIDE) as pilot:
        program = Opened(app, pilot)
        await until(pilot, lambda: program.browse.item_text.border_title != "Opening…")
        await program.until(lambda: app.model_state.phase is ModelPhase.LOADING)
        yield program, may


def answered(program: Opened) -> list[str]:
    """The items with an answer."""
    state = program.browse.state
    return sorted({verdict.item for verdict in state.verdicts()}) if state is not None else []


async def test_an_item_asked_about_while_the_model_loads_is_asked_once_when_it_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with loading(monkeypatch) as (program, may):
        await burst(program, "space", "space", "space")
        await program.until(lambda: KEPT in " ".join(program.ladder.split()))
        assert program.browse.asking.busy is None
        may.set()
        await program.until(lambda: answered(program) and program.browse.asking.busy is None)
        state = program.browse.state
        assert state is not None
        assert answered(program) == [state.shown_id]
        # A second press would have cancelled what the first one began.
        assert "cancelled" not in program.live
        assert program.live.count("asking") == 1


@pytest.mark.parametrize("key", ["escape", "down"])
async def test_escape_and_another_item_take_it_back(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with loading(monkeypatch) as (program, may):
        await program.press("space")
        await program.until(lambda: KEPT in " ".join(program.ladder.split()))
        await program.press(key)
        await program.until(lambda: KEPT not in " ".join(program.ladder.split()))
        may.set()
        await program.until(lambda: program.app.model_state.ready)
        assert program.browse.asking.busy is None
        assert answered(program) == []


async def test_a_model_that_cannot_be_loaded_is_not_asked_and_nothing_waits_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with loading(monkeypatch, fails=True) as (program, may):
        await program.press("space")
        may.set()
        await program.until(lambda: program.app.model_state.phase is ModelPhase.FAILED)
        assert "No such weights." in program.live
        assert KEPT not in " ".join(program.ladder.split())


async def test_a_run_that_waits_for_the_model_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    async with loading(monkeypatch) as (program, may):
        await program.press("r")
        await program.until(lambda: isinstance(program.app.screen, RunScreen))
        await program.press("space", "escape", "space")
        await program.until(lambda: "A run waits for this model" in " ".join(notices(program.app)))
        may.set()
        run = program.app.collection_runs.all[0]
        await program.until(lambda: run.run_id)
        assert program.browse.asking.busy is None


@asynccontextmanager
async def reading(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Opened, threading.Event]]:
    """The program with its model loaded, and a collection that a test lets it read to the end."""
    may, open_collection = threading.Event(), registry.open_collection

    def when_it_may(*given: Any) -> Any:
        may.wait(60)
        return open_collection(*given)

    async with opened() as program:
        monkeypatch.setattr(registry, "open_collection", when_it_may)
        try:
            accord = registry.load("accord")
            program.browse.browse(accord, accord.samples())
            yield program, may
        finally:
            may.set()


async def test_an_item_asked_about_while_its_collection_is_read_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with reading(monkeypatch) as (program, may):
        await program.press("space", "space")
        assert "as soon as the collection is open" in notices(program.app)[-1]
        may.set()
        await program.until(lambda: program.browse.state is not None)
        await program.until(lambda: answered(program) and program.browse.asking.busy is None)
        assert program.browse.benchmark.name == "accord"
        assert "cancelled" not in program.live


async def test_nothing_of_the_former_collection_is_listed_while_another_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with reading(monkeypatch) as (program, may):
        for _ in range(2):
            assert program.list.split() == ["Opening…"]
            assert "Irene" not in "\n".join(screen_rows(program.app))
            await program.press("down", "enter", "slash", "z", "escape")
        assert len(program.app.screen_stack) == 1
        may.set()
        await program.until(lambda: program.browse.state is not None)
        await program.until(lambda: "kettle" in program.list)
        assert program.browse.items.cursor == 0


async def test_a_collection_that_cannot_be_read_leaves_an_empty_list(tmp_path: Path) -> None:
    async with opened() as program:
        program.browse.browse(registry.load("accord"), tmp_path / "nothing.yaml")
        await program.until(lambda: not program.browse.waiting.opening)
        assert program.list.strip() == ""
        assert "nothing.yaml" in "\n".join(screen_rows(program.app))


async def test_a_run_wanted_while_the_collection_is_read_is_shown_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with reading(monkeypatch) as (program, may):
        await program.press("r", "r")
        may.set()
        await program.until(lambda: isinstance(program.app.screen, RunScreen))
        screens = [one for one in program.app.screen_stack if isinstance(one, RunScreen)]
        assert len(screens) == 1
        assert screens[0].running.benchmark.name == "accord"


@pytest.mark.parametrize("key", ["escape", "C"])
async def test_escape_and_another_collection_take_a_run_back(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(monkeypatch) as (program, may):
        await program.press("r")
        if key == "C":
            gita = registry.load("gita")
            program.browse.browse(gita, samples() / "gita")
        else:
            await program.press(key)
        may.set()
        await program.until(lambda: program.browse.state is not None)
        assert not isinstance(program.app.screen, RunScreen)
