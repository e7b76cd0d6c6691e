"""Shows a lesson for a test, as its audience sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.pilot import Pilot
from textual.widgets import Markdown

from core.layout.rows import plain
from core.lessons.bound_lesson import bind
from core.lessons.lesson import Lesson
from tests.tui.support import until
from tui.app.lesson_app import LessonApp
from tui.lessons.narration_pane import Hands
from tui.lessons.screen import LessonScreen
from tui.shell.model_holder import ModelPhase

NO_MODEL = "there-is-no-such-model.gguf"


class Shown:
    """A running lesson, as the audience sees it."""

    def __init__(self, app: LessonApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> LessonScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, LessonScreen)
        return screen

    @property
    def said(self) -> str:
        return self.screen.query_one("#say", Markdown).source

    @property
    def after(self) -> str:
        pane = self.screen.query_one("#after", Markdown)
        return pane.source if pane.display else ""

    @property
    def hands(self) -> str:
        return plain(self.screen.query_one(Hands).draw(48))

    @property
    def asked(self) -> set[str]:
        """The layers that have an answer on the ladder."""
        state = self.screen.state
        assert state is not None
        return {rung.layer.id for rung in state.rungs() if rung.verdict is not None}

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def until(self, done: Callable[[], object]) -> None:
        await until(self.pilot, done)

    async def settle(self) -> None:
        groups = {"reveal", "narration"}
        busy = lambda: any(w.group in groups and not w.is_finished for w in self.app.workers)  # noqa: E731
        await until(self.pilot, lambda: not busy())


@asynccontextmanager
async def opened_lesson(
    one: Lesson,
    *,
    model: str = NO_MODEL,
    language: str = "en",
    size: tuple[int, int] = (140, 40),
    presenting: bool = False,
    step: int | None = None,
    settled: bool = True,
) -> AsyncIterator[Shown]:
    """Show a lesson, with its model loaded or failed; unless `settled` is false."""
    app = LessonApp(bind(one), language, model=model, presenting=presenting, step=step)
    async with app.run_test(size=size) as pilot:
        ended = {ModelPhase.READY, ModelPhase.FAILED}
        await until(pilot, lambda: not settled or app.model_state.phase in ended)
        there = Shown(app, pilot)
        await until(pilot, lambda: there.screen.state is not None and bool(there.said))
        await there.settle()
        yield there
