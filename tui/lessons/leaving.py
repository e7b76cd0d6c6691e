"""Asks before a lesson is left, and remembers the step at which it was."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.app import App
from textual.screen import Screen

from core.lessons.bookmarks import set_bookmark
from core.text.language import _
from tui.lessons.player import LessonPlayer
from tui.shell.prompts import PickOne


async def leave(screen: Screen[None], player: LessonPlayer) -> None:
    """Leave a lesson after a question: for the screen before, or out of the program."""
    if await _ask_to_leave(screen.app, player):
        if screen.app.screen_stack[0] is screen:
            screen.app.exit()
        else:
            screen.dismiss(None)


async def _ask_to_leave(app: App[Any], player: LessonPlayer) -> bool:
    """Whether the lesson is left; its last step is left without a question."""
    step, steps = player.index + 1, len(player.lesson.steps)
    if step < steps:
        kept = _(
            "The next time it goes on at this step, {step} of {steps}. ", step=step, steps=steps
        )
        lost = _("Hands that were counted are not kept.")
        lines = [_("leave"), _("stay")]
        question = PickOne(_("Leave this lesson?"), kept + lost, lines)
        if await app.push_screen_wait(question) != 0:
            return False
    await asyncio.to_thread(set_bookmark, player.lesson, step)
    return True
