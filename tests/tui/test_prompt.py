"""The line that is asked for: checked in a thread, so that a slow disk stops nothing."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from core.text.errors import NotFoundError
from tests.tui.screen_host import ScreenHost
from tests.tui.support import until
from tui.shell.prompts import AskText, existing_path


async def test_a_check_that_waits_keeps_the_screen_alive() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def check(text: str) -> str:
        begun.set()
        assert may_end.wait(120)
        return text.upper()

    app = ScreenHost(lambda: AskText("Path", "", "", check))
    async with app.run_test() as pilot:
        await pilot.press("a", "enter")
        await until(pilot, begun.is_set)
        # The check stands still; typing does not.
        await pilot.press("b")
        assert app.screen.query_one("Input").value == "ab"  # type: ignore[attr-defined]
        may_end.set()
        await until(pilot, lambda: not app.open)
    assert app.result == "A"


async def test_one_leaves_while_a_check_waits() -> None:
    may_end, ended = threading.Event(), threading.Event()

    def check(text: str) -> str:
        assert may_end.wait(120)
        ended.set()
        return text

    app = ScreenHost(lambda: AskText("Path", "", "x", check))
    async with app.run_test() as pilot:
        await pilot.press("enter", "escape")
        await pilot.pause()
        assert app.result is None
        may_end.set()
        await until(pilot, ended.is_set)
        assert app.result is None


async def test_what_is_refused_stays_with_its_reason(tmp_path: Path) -> None:
    app = ScreenHost(lambda: AskText("Path", "", str(tmp_path / "none"), existing_path))
    async with app.run_test() as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: app.shown(".error"))
        assert "no such file" in app.shown(".error")
        app.screen.query_one("Input").value = str(tmp_path)  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(pilot, lambda: not app.open)
    assert app.result == tmp_path


@pytest.mark.parametrize("text", ["", " ", "\0", "~nobody-here/x", "x" * 5000])
def test_what_is_no_path_is_an_error_in_words(text: str) -> None:
    with pytest.raises(NotFoundError):
        existing_path(text)
