"""Choosing a lesson, from a screen that browses."""

from __future__ import annotations

import asyncio

from textual import work
from textual.screen import Screen

from core.errors import CommonsenseError
from core.visible import visible

_LANGUAGES = {"en": "English", "it": "Italiano"}


class OffersLessons(Screen[None]):
    """A screen from which a bundled lesson is begun; leaving it leads back."""

    @work(group="dialogue", exit_on_error=False)
    async def action_lessons(self) -> None:
        """Choose a lesson and its language, and walk through it."""
        # Nothing of this is needed before somebody asks for it.
        from core.lessons.bundled import bundled
        from core.lessons.reading import read_lesson
        from core.lessons.staging import stage
        from tui.screens.lesson import LessonScreen
        from tui.screens.prompt import PickOne

        try:
            lessons = await asyncio.to_thread(lambda: [read_lesson(path) for path in bundled()])
            lines = [f"{one.title.spoken('en')} ({one.minutes} min)" for one in lessons]
            picked = await self.app.push_screen_wait(
                PickOne("Lessons", "Walks for a class or for yourself.", lines)
            )
            if picked is None:
                return
            spoken = lessons[picked].title.languages
            chosen = await self.app.push_screen_wait(
                PickOne("Language", "In which it is told.", [_LANGUAGES[one] for one in spoken])
            )
            if chosen is None:
                return
            staged = await asyncio.to_thread(stage, lessons[picked])
        except CommonsenseError as error:
            self.notify(visible(str(error)), severity="error", markup=False)
            return
        self.app.push_screen(LessonScreen(staged, spoken[chosen]))
