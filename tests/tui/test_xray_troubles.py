"""The X-ray where something is in its way: it says so, and the rest of the program goes on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from textual.widgets import Static

from core.models.llama.client import LlamaModel
from tests.gguf_files import not_a_number
from tests.models.processes import worker_pid
from tests.pilots import everything_awaited, notices
from tests.tui.run_panes import running
from tests.tui.support import Opened, opened, widget_text
from tests.tui.xray_panes import look, model_of, pane, ready, text
from tui.blocks.trace_pane import TracePane
from tui.blocks.xray_pane import XrayPane
from tui.browse.ladder_pane import LadderPane
from tui.browse.models_screen import ModelsScreen
from tui.runs.running import RunPhase

pytestmark = pytest.mark.usefixtures("running_model")


async def test_asking_and_reading_wait_for_each_other() -> None:
    async with opened() as program:
        await program.press("x", "space")
        await program.until(lambda: program.browse.asking.busy is None)
        await ready(program)
        rungs = program.browse.state.rungs()  # type: ignore[union-attr]
        assert any(rung.verdict is not None for rung in rungs)


async def test_keys_held_down_and_closing_while_it_reads_leave_the_program_whole() -> None:
    async with opened() as program:
        await program.press(*"xxxx")
        await program.press(
            "x",
            *"hhhhhh",
            "number_sign",
            "percent_sign",
            "number_sign",
            *"jjjjjj",
            *"llllll",
            "escape",
            "x",
        )
        assert not program.browse.has_class("-xray")
        await program.ask()
        rungs = program.browse.state.rungs()  # type: ignore[union-attr]
        assert any(rung.verdict is not None for rung in rungs)
        found = await look(program)
        await program.press("home", *["h"] * 12, *["l"] * 4)
        await ready(program)
        assert pane(program).position.token == found.last - 8


async def test_a_reading_that_is_cancelled_before_it_begins_is_not_made() -> None:
    async with opened() as program:
        xray = await look(program)
        with everything_awaited():
            pane(program).show_head(0, 0)
            pane(program).show_head(1, 0)
            await ready(program)
        assert set(xray.attended) == {1}


async def test_a_worker_that_dies_is_told_and_enter_tries_again() -> None:
    async with opened() as program:
        found = await look(program)
        kill_worker(program)
        await program.press("home", "h")
        await program.until(lambda: bool(pane(program).failed) or found.last - 1 in found.positions)
        if pane(program).failed:
            assert "enter tries again" in text(program)
            await program.press("enter")
            await program.until(lambda: found.last - 1 in found.positions)
        kill_worker(program)
        program.browse.enter_pane("list")
        await program.press("j")
        widget = pane(program)
        await program.until(lambda: widget.xray is not None or widget.error is not None)
        if widget.error is not None:
            await program.pilot.pause()
            assert "enter tries again" in text(program)
            program.browse.enter_pane("xray")
            await program.press("enter")
        await ready(program)
        await program.ask()


async def test_closing_after_the_model_is_gone_is_no_defect() -> None:
    async with opened() as program:
        await look(program)
        await model_of(program).close()
        await program.press("x")
        await program.app.workers.wait_for_complete()
        await program.pilot.pause()
        assert not notices(program.app)


def kill_worker(program: Opened) -> None:
    """End the process that runs the model, as the system does when memory runs out."""
    model = model_of(program)
    assert isinstance(model, LlamaModel)
    os.kill(worker_pid(model), signal.SIGKILL)


async def test_without_a_model_it_says_what_to_press(tmp_path: Path) -> None:
    async with opened(model=str(tmp_path / "nothing.gguf")) as program:
        await program.press("x")
        assert "m chooses" in text(program)
        assert pane(program).readings() == ()
        await program.press(
            "j", "k", "h", "l", "number_sign", "percent_sign", "enter", "escape", "y", "x"
        )


async def test_where_a_run_is_open_its_model_is_said_not_to_be_loaded(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        await program.run_all()
        await program.until(lambda: running(program).phase is RunPhase.DONE)
        run_id = running(program).run_id
    async with opened(path=few_stories, model=f"replay:{run_id}") as program:
        await program.press("x")
        await program.until(lambda: "it is not loaded" in text(program))
        assert "m loads it" in text(program)
        await program.press("m")
        await program.until(lambda: isinstance(program.app.screen, ModelsScreen))
        now = program.app.screen.query_one("#now", Static)
        assert str(now.render()) == "Loaded now: demo (recorded) (demonstration)"


async def test_a_model_whose_blocks_cannot_be_read_says_why_and_the_rest_works(
    tmp_path: Path,
) -> None:
    async with opened(model=str(not_a_number(tmp_path / "m.gguf"))) as program:
        await program.press("x")
        await program.until(lambda: "cannot be read" in text(program))
        assert "(numbers): The model computes no numbers (NaN)." in text(program)
        assert "Everything else works as before." in text(program)
        await program.press("X")
        await program.until(lambda: "No trace: " in trace_text(program))
        assert "no numbers" in trace_text(program)
        await program.ask()
        assert any(rung.verdict is not None for rung in program.browse.query_one(LadderPane).rungs)


def trace_text(program: Opened) -> str:
    widget = program.browse.query_one(TracePane)
    return " ".join(widget_text(widget).split())


async def test_the_second_context_is_announced_before_anything_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as program:
        heard: list[str] = []
        tell = XrayPane._show_status

        def listen(widget: XrayPane, doing: str) -> None:
            heard.append(doing)
            tell(widget, doing)

        monkeypatch.setattr(XrayPane, "_show_status", listen)
        await look(program)
        kinds = [line.split()[0] for line in heard]
        assert kinds.index("Getting") < kinds.index("Reading")
        assert "a second context of" in heard[kinds.index("Getting")]
