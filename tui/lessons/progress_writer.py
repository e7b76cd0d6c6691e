"""Writes the progress of a lesson for its speaker's second screen."""

from __future__ import annotations

import asyncio
import time

from core.lessons.lesson import Words
from core.lessons.progress_file import Progress, ProgressFile, remove_old
from core.lessons.votes_file import Votes, read_votes, remove_votes
from tui.lessons.player import LessonPlayer


class ProgressWriter:
    """Writes the progress file of one showing of a lesson."""

    def __init__(self, player: LessonPlayer) -> None:
        self._player = player
        self._file = ProgressFile()
        self._began = self._step_began = time.time()
        self._index = player.index
        self._writing = asyncio.Lock()
        self._ended = False

    async def write(self) -> None:
        """Write the present progress; raises `DataError` where it cannot be stored."""
        async with self._writing:
            # The progress is taken when its turn to be written comes.
            if not self._ended:
                await asyncio.to_thread(self._file.write, self._progress())

    async def begin(self) -> None:
        """Remove old files of killed lessons, then write for the first time."""
        await asyncio.to_thread(remove_old)
        await self.write()

    def votes(self) -> Votes | None:
        """The votes of a room that follows the lesson."""
        return read_votes(self._file.path)

    def touch(self) -> None:
        """Show that the lesson still runs."""
        self._file.touch()

    async def end(self) -> None:
        """Remove the file."""
        self._ended = True
        async with self._writing:
            await asyncio.to_thread(self._file.remove)
            await asyncio.to_thread(remove_votes, self._file.path)

    def _progress(self) -> Progress:
        player = self._player
        if player.index != self._index:
            self._index, self._step_began = player.index, time.time()
        step, following = player.step, player.lesson.steps[player.index + 1 :]
        return Progress(
            lesson=player.lesson.name,
            title=self._text(player.lesson.title),
            step=player.index + 1,
            steps=len(player.lesson.steps),
            say=self._text(step.say),
            notes=self._text(step.notes),
            following=self._text(following[0].say) if following else "",
            ask=self._text(step.prediction.ask if step.prediction else None),
            options=player.options,
            hands=player.hands,
            revealed=player.result is not None,
            began=self._began,
            step_began=self._step_began,
        )

    def _text(self, words: Words | None) -> str:
        return words.spoken(self._player.language) if words else ""
