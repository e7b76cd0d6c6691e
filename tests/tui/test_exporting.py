"""An export takes along what the open pane shows of the model's blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from textual.widgets import Input, OptionList

from tests.tui.support import Opened, opened
from tui.exporting import Readable
from tui.screens.export import ExportScreen
from tui.widgets.xray_pane import XrayPane


async def exported(program: Opened, place: int, path: Path) -> None:
    """Export with the format at a place of the dialogue."""
    await program.press("e")
    await program.until(lambda: isinstance(program.app.screen, ExportScreen))
    await program.until(lambda: bool(program.app.screen.query(OptionList)))
    program.app.screen.query_one(OptionList).highlighted = place
    await program.pilot.pause()
    program.app.screen.query_one(Input).value = str(path)
    await program.press("enter")
    await program.until(lambda: not isinstance(program.app.screen, ExportScreen))


def readings(path: Path) -> Any:
    return json.loads(path.read_text())["readings"]


JSON, SVG = 4, 1


async def test_an_open_pane_goes_along_and_a_closed_one_does_not(
    tmp_path: Path,
) -> None:
    async with opened() as program:
        await exported(program, JSON, tmp_path / "closed.json")
        await program.press("x")
        pane = program.browse.query_one(XrayPane)
        assert isinstance(pane, Readable)
        await program.until(lambda: bool(pane.readings()))
        shown = pane.readings()
        await exported(program, JSON, tmp_path / "open.json")
        await exported(program, SVG, tmp_path / "open.svg")
        told = [str(notice.message) for notice in program.app._notifications]
        await program.press("x")
        await exported(program, JSON, tmp_path / "again.json")
    assert readings(tmp_path / "closed.json") == readings(tmp_path / "again.json") == []
    found = readings(tmp_path / "open.json")
    assert [one["title"] for one in found] == [heat.title for heat in shown]
    assert found[0]["rows"][0]["values"] == list(shown[0].rows[0].values)
    assert any("svg has no place for it" in words for words in told)
