"""The X-ray in a test: what it shows, and waiting until it was read."""

from __future__ import annotations

from core.models.protocol import Model
from tests.tui.support import Opened, widget_text
from tui.blocks.xray import Xray
from tui.blocks.xray_pane import XrayPane


def pane(program: Opened) -> XrayPane:
    return program.browse.query_one(XrayPane)


def drawn(program: Opened) -> list[str]:
    return widget_text(pane(program)).split("\n")


def text(program: Opened) -> str:
    return " ".join(" ".join(drawn(program)).split())


def xray(program: Opened) -> Xray:
    found = pane(program).xray
    assert found is not None
    return found


async def ready(program: Opened) -> Xray:
    """Wait until what the pane shows was read."""
    widget = pane(program)
    await program.until(lambda: widget.xray is not None and not widget.waiting)
    return xray(program)


async def look(program: Opened) -> Xray:
    """Press the key that opens the pane, and wait."""
    await program.press("x")
    return await ready(program)


def model_of(program: Opened) -> Model:
    model = program.app.model_state.model
    assert model is not None
    return model
