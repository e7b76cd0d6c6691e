"""The run over the collection in a test, and what its pane shows."""

from __future__ import annotations

from tests.tui.support import Opened, widget_text
from tui.runs.pane import FunnelPane
from tui.runs.running import Running
from tui.runs.screen import FunnelScreen


def running(program: Opened) -> Running:
    screen = program.app.screen
    assert isinstance(screen, FunnelScreen)
    return screen.running


def shown(program: Opened) -> str:
    return widget_text(program.app.screen.query_one(FunnelPane))
