"""The run over the collection in a test, and what its pane shows."""

from __future__ import annotations

from tests.tui.support import Opened, widget_text
from tui.runs.run_pane import RunPane
from tui.runs.run_screen import RunScreen
from tui.runs.running import Running, RunPhase


def running(program: Opened) -> Running:
    screen = program.app.screen
    assert isinstance(screen, RunScreen)
    return screen.running


def shown(program: Opened) -> str:
    return widget_text(program.app.screen.query_one(RunPane))


async def run_all_with_an_example(program: Opened) -> None:
    """Ask about all items with one worked example, and go back to them."""
    await program.press("r")
    await program.until(lambda: isinstance(program.app.screen, RunScreen))
    await program.press("j", "right")
    await program.press("space")
    await program.until(lambda: running(program).phase is RunPhase.DONE)
    await program.press("escape")
