"""The menu of lessons: choosing one, following one, recording one."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from core.exchange.exporters import files
from core.lessons.bound_lesson import bind
from core.lessons.lesson_reader import read_lesson
from core.lessons.library import ENDING, own_folder, read_all
from core.lessons.recorder import Recorder
from core.text.errors import CommonsenseError, SettingError
from core.text.escaping import escape_control_characters, shortened
from core.text.language import N_, _, in_english, ngettext, spoken
from tui.browse.feature import ItemHost
from tui.lessons.follow_screen import FollowScreen
from tui.lessons.screen import LessonScreen
from tui.shell.prompts import AskText, PickOne

_FOLLOW = N_("Follow a running lesson: notes, hands and time for its speaker")
_RECORD = N_("Record a lesson: what you ask from now on becomes its steps")
_WARNING = 1000
"""Most characters of the warning about lessons that cannot be read."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class LessonsMenu:
    """Opens lessons, and records questions as the steps of a new one."""

    def __init__(self, host: ItemHost) -> None:
        self._host = host
        self._recorder: Recorder | None = None
        """None where nothing is recorded."""

    async def open(self) -> None:
        """Choose a lesson and open it; or follow or record one.

        Lessons that cannot be read are left out, with a warning.
        """
        host = self._host
        try:
            language = spoken()
            lessons, failed = await asyncio.to_thread(read_all, language)
            if failed:
                told = "\n".join(map(str, failed))
                shown = escape_control_characters(told, lines=True, limit=_WARNING)
                host.notify(shown, severity="warning", markup=False)
            lines = [
                f"{shortened(each.title.spoken(language))} ({each.minutes} min)" for each in lessons
            ]
            picked = await host.app.push_screen_wait(
                PickOne(
                    _("Lessons"),
                    _("Lessons for a class, or for yourself."),
                    [*lines, _(_FOLLOW), self._record_line()],
                )
            )
            if picked is None:
                return
            if picked == len(lessons):
                host.app.push_screen(FollowScreen())
                return
            if picked > len(lessons):
                await self._record()
                return
            lesson = await asyncio.to_thread(bind, lessons[picked])
        except CommonsenseError as error:
            host.notify(escape_control_characters(str(error)), severity="error", markup=False)
            return
        host.app.push_screen(LessonScreen(lesson, language, features=host.plugged_in))

    # -- recording -------------------------------------------------------------------------------

    def _record_line(self) -> str:
        if self._recorder is None:
            return _(_RECORD)
        steps = len(self._recorder.seen)
        return ngettext(
            "Stop recording, and write the lesson ({steps} step)",
            "Stop recording, and write the lesson ({steps} steps)",
            steps,
            steps=steps,
        )

    async def _record(self) -> None:
        """Begin to record, or stop and write what was recorded."""
        host = self._host
        if self._recorder is not None:
            await self._write(self._recorder)
            return
        state = host.state
        if state is None:
            return
        is_bundled = host.path == host.benchmark.samples()
        recorder = Recorder(host.benchmark.name, None if is_bundled else host.path)
        state.on_answer = lambda key, question: recorder.record(*key, question)
        self._recorder = recorder
        host.notify(
            _(
                "Recording. Ask the questions that the lesson should show, then stop in this "
                "same menu."
            )
        )

    def _stop_recording(self) -> None:
        self._recorder = None
        if self._host.state is not None:
            self._host.state.on_answer = None

    async def _write(self, recorder: Recorder) -> None:
        host = self._host
        if not recorder.seen:
            self._stop_recording()
            nothing = _("Nothing was asked, so there is no lesson to write.")
            host.notify(nothing, severity="warning")
            return

        def write(name: str) -> Path:
            """Write the lesson, never over another one."""
            if not _NAME.fullmatch(name):
                raise SettingError(_("A name has only small letters, digits and hyphens."))
            with in_english():
                text = recorder.lesson(name)
            return files.write(own_folder() / f"{name}{ENDING}", text.encode())

        path = await host.app.push_screen_wait(
            AskText(
                _("Name"),
                _("The name of the lesson; it is saved among your own lessons."),
                "",
                write,
            )
        )
        if path is None:
            return
        self._stop_recording()
        await asyncio.to_thread(lambda: bind(read_lesson(path), recorder.data))
        done = _(
            "Written; its texts are yours to fill in: {path}",
            path=escape_control_characters(str(path)),
        )
        host.notify(done, markup=False)
