"""The program, opened on a lesson."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual.screen import Screen

from core.files.config import Config
from core.lessons.bound_lesson import BoundLesson
from core.text.errors import ConfigError
from tui.app.app import FEATURES, CommonsenseApp
from tui.lessons.presenter import THEME
from tui.lessons.screen import LessonScreen
from tui.shell.themes import DEFAULT


class LessonApp(CommonsenseApp):
    """Shows a lesson, and ends when it is left."""

    # Textual does not load the CSS_PATH of a default screen; mypy takes the type of CSS_PATH from
    # the class above.
    CSS_PATH = ["../browse/browse.tcss", "../lessons/lesson.tcss"]  # type: ignore[assignment]  # noqa: RUF012

    def __init__(
        self,
        bound_lesson: BoundLesson,
        language: str,
        *,
        config: Config | None = None,
        model: str | None = None,
        presenting: bool = False,
        step: int | None = None,
        problems: Sequence[ConfigError] = (),
    ) -> None:
        """Show a lesson.

        Args:
            bound_lesson: the lesson on its collection.
            language: code of the language of the texts.
            config: the person's configuration.
            model: the model to ask; the configured one when left out.
            presenting: whether to begin in the presentation for a room.
            step: where to begin, counted from 1; where the lesson was left when left out.
            problems: what is wrong with the configuration.
        """
        config = config or Config()
        self._theme_after = config.theme or DEFAULT
        if presenting:
            config = replace(config, theme=THEME)
        super().__init__(
            benchmark=bound_lesson.benchmark.name,
            path=bound_lesson.path,
            collection=bound_lesson.collection,
            config=config,
            model=model,
            problems=problems,
        )
        self._bound_lesson = bound_lesson
        self._language = language
        self._presenting = presenting
        self._step = step

    def get_default_screen(self) -> Screen[None]:
        """The lesson."""
        return LessonScreen(
            self._bound_lesson,
            self._language,
            features=FEATURES,
            presenting=self._presenting,
            theme=self._theme_after,
            step=self._step,
        )
