"""A person answers at the keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.benchmarks.com2.benchmark import Com2
from core.contract.rungs import Phase
from core.contract.setting import Setting
from tests.tui.support import until
from tui.annotation.screen import AnnotatingScreen
from tui.app.app import CommonsenseApp
from tui.browse.screen import BrowseScreen
from tui.runs.person_sessions import OneQuestion


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


async def test_questions_come_one_at_a_time_and_leaving_cancels() -> None:
    app = CommonsenseApp(benchmark="com2", model="person:Anna")
    async with app.run_test(size=(120, 40)) as pilot:
        browse = app.screen
        assert isinstance(browse, BrowseScreen)
        await until(pilot, lambda: app.model_state.ready and browse.state and browse.state.is_open)
        assert browse.state is not None
        questions = sum(rung.question is not None for rung in browse.state.rungs())
        await pilot.press("space")
        for number in range(questions):
            await until(pilot, lambda: isinstance(app.screen, AnnotatingScreen))
            screen = app.screen
            assert isinstance(screen, AnnotatingScreen)
            # Nothing on this screen may tell the answer.
            assert "derived" not in str(screen.query("Static"))
            await pilot.press("enter")
            assert app.screen is screen, "nothing is chosen yet"
            await pilot.press(*(["j", "j", "enter"] if number else ["1"]))
            await until(pilot, lambda screen=screen: app.screen is not screen)
        await until(pilot, lambda: browse.asking.busy is None)
        rungs = browse.state.rungs()
        assert all(rung.phase is Phase.ANSWERED for rung in rungs)
        assert [rung.verdict.answer for rung in rungs if rung.verdict] == [0] + [1] * (
            questions - 1
        )
        await pilot.press("space")
        await until(pilot, lambda: isinstance(app.screen, AnnotatingScreen))
        await pilot.press("escape")
        await until(pilot, lambda: browse.asking.busy is None)
        assert isinstance(app.screen, BrowseScreen)


async def test_several_options_are_marked_and_none_is_no_answer() -> None:
    com2 = Com2()
    collection = com2.open(com2.samples())
    item = collection.item(collection.find("birch-pollen"))
    setting = next(s for name, s in com2.contrasts(item, Setting()) if name == "decision")
    question = com2.question(item, setting, "answer")
    assert question is not None
    app = CommonsenseApp(benchmark="com2", model="person:Anna")
    asked = OneQuestion("Anna", question)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = AnnotatingScreen(asked, "Answering")
        asked.answered = screen.dismiss
        await app.push_screen(screen)
        await pilot.press("enter")
        assert asked.picks is None
        await pilot.press("j", "space", "j", "j", "space", "enter")
        await pilot.pause()
        assert app.screen is not screen
    assert asked.picks == (0, 2)
