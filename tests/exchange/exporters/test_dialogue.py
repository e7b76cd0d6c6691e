"""The dialogue that exports, driven by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from core.exchange.exporters.document import Document
from core.exchange.exporters.files import file_name
from tests.exchange.exporters.documents import causal, table
from tests.tui.screen_host import ScreenHost
from tests.tui.support import until
from tui.browse.export_dialogue import ExportScreen


def host(document: Document, folder: Path) -> ScreenHost:
    return ScreenHost(
        lambda: ExportScreen(
            document, document, lambda suffix: folder / file_name("com2", "g 1", suffix)
        )
    )


async def said(pilot: Pilot[None], app: ScreenHost, words: str) -> None:
    await until(pilot, lambda: words in str(app.screen.query_one("#said", Static).render()))


async def test_enter_writes_the_page_where_it_says(tmp_path: Path) -> None:
    app = host(causal(), tmp_path)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.screen.query_one(Input).value == str(tmp_path / "com2-g-1.html")
        await pilot.press("enter")
        await until(pilot, lambda: app.result == tmp_path / "com2-g-1.html")
    assert "vis-network" in (tmp_path / "com2-g-1.html").read_text(encoding="utf-8")


async def test_the_name_follows_the_format_until_one_is_typed(tmp_path: Path) -> None:
    app = host(causal(), tmp_path)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("j", "j")
        line = app.screen.query_one(Input)
        assert line.value.endswith("com2-g-1.md")
        await pilot.press("tab", "2", "shift+tab", "k")
        assert line.value.endswith("com2-g-1.md2")
        await pilot.press("tab", "enter")
        await until(pilot, lambda: app.result == tmp_path / "com2-g-1.md2")
    assert (tmp_path / "com2-g-1.md2").read_text(encoding="utf-8").startswith("<?xml")


async def test_only_the_same_again_overwrites(tmp_path: Path) -> None:
    file = tmp_path / "com2-g-1.html"
    file.write_text("mine")
    app = host(causal(), tmp_path)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await said(pilot, app, "enter again")
        assert file.read_text() == "mine"
        await pilot.press("enter")
        await until(pilot, lambda: app.result == file)
    assert file.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(("keys", "words"), [(("j", "enter"), "no graph"), (("enter",), "folder")])
async def test_a_failed_export_is_shown_in_the_dialogue(
    tmp_path: Path, keys: tuple[str, ...], words: str
) -> None:
    (tmp_path / "com2-g-1.html").mkdir()
    app = host(table(), tmp_path)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        await said(pilot, app, words)
        assert isinstance(app.screen, ExportScreen)
        await pilot.press("escape")
        await until(pilot, lambda: app.result is None)
    assert [path.name for path in tmp_path.iterdir()] == ["com2-g-1.html"]
