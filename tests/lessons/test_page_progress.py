"""Writing a lesson as a page says at which step the model is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from core.contract.question import OptionScore, Prompt
from core.lessons.bound_lesson import bind
from core.lessons.lesson import Lesson
from core.lessons.transcript import transcribe
from tests.cli.support import ok
from tests.lessons.showing import NO_MODEL, opened_lesson
from tests.lessons.support import FirstOption, lesson, write
from tests.terminals import terminal_of
from tests.tui.support import until
from tui.lessons.page import LessonPageScreen
from tui.lessons.screen import LessonScreen
from tui.shell.model_holder import ModelPhase, ModelState

STEPS = """
- say: First.
  item: 0-O0
  predict: {ask: What is it, layer: story_class}
- say: Second.
- say: Third.
  set: {variant: plausible}
  predict: {ask: What is it now, layer: story_class}
"""


@pytest.fixture
def three(tmp_path: Path) -> Lesson:
    return lesson(tmp_path, STEPS)


class Gated(FirstOption):
    """Gives one answer each time it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Semaphore(0)

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        await self.let.acquire()
        return await super().score(prompt, options)


async def test_every_step_is_told_before_the_model_is_asked_for_it(three: Lesson) -> None:
    model = FirstOption()
    heard: list[tuple[int, int, int]] = []

    def on_step(number: int, steps: int) -> None:
        heard.append((number, steps, model.asked))

    await transcribe(bind(three), "en", model, "2026-01-02", on_step=on_step)
    assert heard == [(1, 3, 0), (2, 3, 1), (3, 3, 1)]
    assert model.asked == 2


async def test_the_dialogue_says_at_which_step_the_model_is(three: Lesson, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    async with opened_lesson(three, model=NO_MODEL) as shown:
        app, model = shown.app, Gated()
        app.model_state = ModelState(ModelPhase.READY, model.info.name, model=model)
        await shown.press("f4")
        await until(shown.pilot, lambda: isinstance(app.screen, LessonPageScreen))
        app.screen.query_one(Input).value = str(file)
        await shown.pilot.press("enter")
        said = app.screen.query_one("#said", Static)
        await until(shown.pilot, lambda: "step 1 of 3" in str(said.render()))
        model.let.release()
        await until(shown.pilot, lambda: "step 3 of 3" in str(said.render()))
        assert not file.exists()
        model.let.release()
        await until(shown.pilot, lambda: isinstance(app.screen, LessonScreen))
    assert file.is_file()


def test_the_command_says_it_on_a_terminal_and_nowhere_else(
    tmp_path: Path, demo_model: None
) -> None:
    name, page = write(tmp_path / "one.yaml", STEPS), tmp_path / "page.html"
    with terminal_of("lesson", "export", name, "--to", page) as terminal:
        assert terminal.finish() == 0
        for number in (1, 2, 3):
            assert f"step {number} of 3".encode() in terminal.raw
        assert "step" not in terminal.shown
        assert page.name in terminal.shown.replace("\n", "")
    ran = ok("lesson", "export", name, "--to", page, "--force")
    assert "step" not in ran.err
