"""The run over the collection in a test, and what its pane shows."""

from __future__ import annotations

from tests.tui.support import Opened, widget_text
from tui.runs.run_pane import RunPane
from tui.runs.run_screen import RunScreen
from tui.runs.running import Running


def running(program: Opened) -> Running:
    screen = program.app.screen
    assert isinstance(screen, RunScreen)
    return screen.running


def shown(program: Opened) -> str:
    return widget_text(program.app.screen.query_one(RunPane))
