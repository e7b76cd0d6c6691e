"""Lessons from a screen that browses: choosing one, following one, recording one."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.screen import Screen

from core.contract.benchmark import Benchmark
from core.text.errors import CommonsenseError, DataError, SettingError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _, in_english, ngettext, spoken
from tui.browse.state import BrowseState

if TYPE_CHECKING:
    from core.lessons.lesson import Lesson
    from core.lessons.recorder import Recorder

_FOLLOW = N_("Follow a running lesson: notes, hands and time for its speaker")
_RECORD = N_("Record a lesson: what you ask from now on becomes its steps")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class OffersLessons(Screen[None]):
    """A screen from which a lesson is begun, followed or recorded; leaving it leads back."""

    benchmark: Benchmark
    path: Path
    state: BrowseState | None

    def __init__(self) -> None:
        super().__init__()
        self._recording: tuple[BrowseState, Recorder] | None = None

    @work(group="dialogue", exit_on_error=False)
    async def action_lessons(self) -> None:
        """Choose a lesson and walk through it; or follow or record one."""
        # Nothing of this is needed before somebody asks for it.
        from core.lessons.bound_lesson import bind
        from core.lessons.lesson_reader import read_lesson
        from core.lessons.library import bundled
        from tui.lessons.follow_screen import FollowScreen
        from tui.lessons.screen import LessonScreen
        from tui.shell.prompts import PickOne

        try:
            lessons = await asyncio.to_thread(lambda: [read_lesson(path) for path in bundled()])
            lessons += await asyncio.to_thread(self._own)
            language = spoken()
            lines = [f"{one.title.spoken(language)} ({one.minutes} min)" for one in lessons]
            picked = await self.app.push_screen_wait(
                PickOne(
                    _("Lessons"),
                    _("Walks for a class or for yourself."),
                    [*lines, _(_FOLLOW), self._record_line()],
                )
            )
            if picked is None:
                return
            if picked == len(lessons):
                self.app.push_screen(FollowScreen())
                return
            if picked > len(lessons):
                await self._record()
                return
            bound_lesson = await asyncio.to_thread(bind, lessons[picked])
        except CommonsenseError as error:
            self.notify(escape_control_characters(str(error)), severity="error", markup=False)
            return
        self.app.push_screen(LessonScreen(bound_lesson, language))

    def _own(self) -> list[Lesson]:
        """The person's own lessons; what is wrong with one is told, and it is left out."""
        from core.lessons.lesson_reader import read_lesson
        from core.lessons.library import own

        found, problems = [], []
        for path in own():
            try:
                found.append(read_lesson(path))
            except DataError as error:
                problems.append(escape_control_characters(str(error)))
        if problems:
            said = "\n".join(problems)
            self.app.call_from_thread(self.notify, said, severity="warning", markup=False)
        return found

    # -- recording -------------------------------------------------------------------------------

    def _record_line(self) -> str:
        if self._recording is None:
            return _(_RECORD)
        steps = len(self._recording[1].seen)
        return ngettext(
            "Stop recording, and write the lesson ({steps} step)",
            "Stop recording, and write the lesson ({steps} steps)",
            steps,
            steps=steps,
        )

    async def _record(self) -> None:
        """Begin to record, or stop and write what was recorded."""
        if self._recording is not None:
            await self._write()
            return
        state = self.state
        if state is None:
            return
        from core.lessons.recorder import Recorder

        bundled = self.path == self.benchmark.samples()
        recorder = Recorder(self.benchmark.name, None if bundled else self.path)
        state.hear = lambda key, question: recorder.hear(*key, question)
        self._recording = state, recorder
        self.notify(
            _(
                "Recording this collection. Ask what the lesson is to show; stop it where you "
                "began it."
            )
        )

    async def _write(self) -> None:
        from core.exchange.exporters import files
        from core.lessons.bound_lesson import bind
        from core.lessons.lesson_reader import read_lesson
        from core.lessons.library import ENDING, own_folder
        from tui.shell.prompts import AskText

        assert self._recording is not None
        state, recorder = self._recording
        if not recorder.seen:
            state.hear = self._recording = None
            nothing = _("Nothing was asked, so there is no lesson to write.")
            self.notify(nothing, severity="warning")
            return

        def written(name: str) -> Path:
            """Write the lesson, never over another one."""
            if not _NAME.fullmatch(name):
                raise SettingError(_("A name is of small letters, digits and hyphens."))
            with in_english():
                text = recorder.lesson(name)
            return files.write(own_folder() / f"{name}{ENDING}", text.encode())

        path = await self.app.push_screen_wait(
            AskText(_("Name"), _("Of the lesson; it is written among your own."), "", written)
        )
        if path is None:
            return
        state.hear = self._recording = None
        await asyncio.to_thread(lambda: bind(read_lesson(path), recorder.data))
        done = _(
            "Written; its texts are yours to fill in: {path}",
            path=escape_control_characters(str(path)),
        )
        self.notify(done, markup=False)
