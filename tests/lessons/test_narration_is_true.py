"""What the bundled lessons tell a room is so on its screen."""

from __future__ import annotations

from pathlib import Path

from core.lessons.library import named
from tests.lessons.showing import NO_MODEL, opened_lesson
from tests.lessons.support import lesson
from tests.mostly_slow import mostly_slow
from tui.blocks.trace_controller import Stage
from tui.blocks.trace_pane import TracePane


@mostly_slow("size", [(140, 40), (80, 24)])
async def test_enter_copies_a_cell_of_the_trace_that_a_step_reveals(
    size: tuple[int, int], demo_model: None
) -> None:
    async with opened_lesson(named("6"), model="demo", size=size) as shown:
        screen = shown.screen
        while screen.player.step.show != "trace":
            # In a small pane it shows what stands below first.
            await shown.press("space")
        at = screen.player.index
        await shown.press("r")
        await shown.until(lambda: screen.pane == "trace")
        assert "`enter`" in shown.after
        pane = screen.query_one(TracePane)
        await shown.until(lambda: pane.tracing and pane.tracing.stage is Stage.DONE)
        assert pane.has_focus
        await shown.press("enter")
        await shown.until(lambda: pane.tracing and pane.tracing.applied is not None)
        assert screen.player.index == at


async def test_letters_are_predicted_with_what_they_stand_for(tmp_path: Path) -> None:
    steps = "- say: Look.\n  item: kettle\n  predict: {ask: Where, layer: bare}\n"
    async with opened_lesson(lesson(tmp_path, steps, "accord"), model=NO_MODEL) as shown:
        assert "1 A attic" in shown.hands
        assert "2 B kitchen" in shown.hands


async def test_both_worlds_are_on_the_ladder_where_they_are_compared(demo_model: None) -> None:
    async with opened_lesson(named("2"), model="demo") as shown:
        await shown.press("space", "space", "space", "r")
        assert {"answer", "twin"} <= shown.asked
