"""The dialogue that writes a lesson as an HTML page with the model's answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, wait
from pathlib import Path
from typing import Any

from textual.worker import get_current_worker

from core.contract.question import Form
from core.exchange.exporters.files import file_name
from core.exchange.exporters.lesson_page import lesson_page
from core.lessons.transcript import OnStep, Transcript, transcribe_now
from core.models.protocol import Model
from core.text.errors import ModelError
from core.text.language import N_, _
from tui.lessons.player import LessonPlayer
from tui.shell.write_dialogue import FileKind, WritingScreen, export_folder

_PATIENCE = 0.1
"""Seconds between two checks whether the person has left."""


_WITH_NOTES = N_("speaker")
_PAGES = (
    FileKind(N_("room"), ".html", N_("a page that works offline, answers to be opened")),
    FileKind(_WITH_NOTES, ".html", N_("the same with the speaker's notes")),
)


class LessonPageScreen(WritingScreen):
    """Writes a lesson as a page."""

    HEADING = N_("The lesson as a page")
    HELP = N_("""
    ## The lesson as a page

    Choose what it is for with **j** and **k**, go to the file and back with **tab**, and write it
    with **enter**. A file that is there already is asked about first. The model is asked whatever
    the lesson reveals, which takes a while; **esc** leaves, and nothing is written.
    """)

    def __init__(
        self,
        transcribe: Callable[[OnStep], Coroutine[Any, Any, Transcript]],
        start: Callable[[str], Path],
    ) -> None:
        """Offer the pages.

        Args:
            transcribe: asks the model what the lesson reveals, and reports each step.
            start: the suggested file, by the suffix of a format.
        """
        super().__init__(_PAGES, start)
        self._transcribe = transcribe
        self._loop = asyncio.get_running_loop()

    def content(self, name: str) -> bytes:
        """The page with the answers that the model gives now.

        Raises `ModelError` where it cannot answer and when the person leaves, `ExportError` for a
        graph that is too large.
        """
        worker = get_current_worker()
        asked = asyncio.run_coroutine_threadsafe(self._transcribe(self._reached), self._loop)
        while not asked.done():
            wait((asked,), _PATIENCE)
            if worker.is_cancelled:
                asked.cancel()
        try:
            transcript = asked.result()
        except CancelledError:
            raise ModelError(_("Nobody waits for the answers any more.")) from None
        return lesson_page(transcript, notes=name == _WITH_NOTES).encode()

    def _reached(self, number: int, steps: int) -> None:
        if self.display:
            self._say(_("Asking the model: step {number} of {steps}…", number=number, steps=steps))


def page_of(player: LessonPlayer, model: Model, form: Form | None) -> LessonPageScreen:
    """The dialogue that writes the lesson that is shown."""
    bound_lesson, language = player.bound_lesson, player.language
    name = bound_lesson.lesson.name
    return LessonPageScreen(
        lambda reached: transcribe_now(bound_lesson, language, model, reached, form=form),
        lambda suffix: export_folder() / file_name(name, language, suffix),
    )
