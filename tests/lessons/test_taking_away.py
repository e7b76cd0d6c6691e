"""A running lesson written as a page: by a key, once the model was asked, and not by accident."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from textual.widgets import Input, OptionList, Static

from core.contract.question import OptionScore, Prompt
from core.models.protocol import Model
from tests.lessons.showing import NO_MODEL, opened_lesson
from tests.lessons.support import FirstOption, lesson
from tests.tui.support import until
from tui.app.lesson_app import LessonApp
from tui.lessons.page import LessonPageScreen
from tui.lessons.screen import LessonScreen
from tui.shell.model_holder import ModelPhase, ModelState

STEPS = """
- say: First.
  item: 0-O0
  predict: {ask: What is it, layer: story_class}
  after: Said.
  notes: Wait for them.
"""


def answered_by(app: LessonApp, model: Model) -> None:
    """Let a model of a test answer."""
    app.model_state = ModelState(ModelPhase.READY, model.info.name, model=model)


async def test_a_lesson_is_written_and_never_over_a_file_unasked(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("mine")
    async with opened_lesson(lesson(tmp_path, STEPS), model=NO_MODEL) as shown:
        app = shown.app
        answered_by(app, FirstOption())
        await shown.press("f4")
        await until(shown.pilot, lambda: isinstance(app.screen, LessonPageScreen))
        await shown.pilot.pause()
        line = app.screen.query_one(Input)
        assert line.value.endswith("one-en.html")
        line.value = str(file)
        await shown.pilot.press("enter")
        said = app.screen.query_one("#said", Static)
        await until(shown.pilot, lambda: "enter again" in str(said.render()))
        assert file.read_text() == "mine"
        await shown.pilot.press("enter")
        await until(shown.pilot, lambda: isinstance(app.screen, LessonScreen))
        text = file.read_text(encoding="utf-8")
        assert "First." in text
        assert "story" in text
        assert "Wait for them." not in text
        await shown.press("f4")
        await until(shown.pilot, lambda: isinstance(app.screen, LessonPageScreen))
        await shown.pilot.pause()
        app.screen.query_one(Input).value = str(tmp_path / "speaker.html")
        app.screen.query_one(OptionList).highlighted = 1
        await shown.pilot.press("enter")
        await until(shown.pilot, lambda: isinstance(app.screen, LessonScreen))
    assert "Wait for them." in (tmp_path / "speaker.html").read_text(encoding="utf-8")


async def test_without_a_model_nothing_is_offered(tmp_path: Path) -> None:
    async with opened_lesson(lesson(tmp_path, STEPS), model=NO_MODEL) as shown:
        await shown.press("f4")
        await shown.pilot.pause()
        assert isinstance(shown.app.screen, LessonScreen)


class Slow(FirstOption):
    """Does not answer before it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.let, self.stopped = asyncio.Event(), asyncio.Event(), False

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        self.begun.set()
        try:
            await self.let.wait()
        except asyncio.CancelledError:
            self.stopped = True
            raise
        return await super().score(prompt, options)


async def test_who_leaves_meanwhile_stops_the_model_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    async with opened_lesson(lesson(tmp_path, STEPS), model=NO_MODEL) as shown:
        app, slow = shown.app, Slow()
        answered_by(app, slow)
        await shown.press("f4")
        await until(shown.pilot, lambda: isinstance(app.screen, LessonPageScreen))
        await shown.pilot.pause()
        app.screen.query_one(Input).value = str(file)
        await shown.pilot.press("enter")
        await until(shown.pilot, slow.begun.is_set)
        await shown.pilot.press("escape")
        await until(shown.pilot, lambda: slow.stopped)
    assert not file.exists()
