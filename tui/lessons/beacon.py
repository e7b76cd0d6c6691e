"""Tells whoever follows a running lesson where it is."""

from __future__ import annotations

import asyncio
import time

from core.lessons.lesson import Words
from core.lessons.progress_file import Beacon, Progress, sweep
from tui.lessons.player import LessonPlayer


class Telling:
    """What one showing of a lesson writes for its speaker's second screen."""

    def __init__(self, player: LessonPlayer) -> None:
        self._player = player
        self._beacon = Beacon()
        self._began = self._step_began = time.time()
        self._at = player.at
        self._writing = asyncio.Lock()
        self._ended = False

    async def tell(self) -> None:
        """Write where the lesson is now; raises `DataError` where that cannot be stored."""
        async with self._writing:
            # What is written is what is so when its turn comes, not when it was asked for.
            if not self._ended:
                await asyncio.to_thread(self._beacon.tell, self._progress())

    async def begin(self) -> None:
        """Write it for the first time, once what killed lessons left is gone."""
        await asyncio.to_thread(sweep)
        await self.tell()

    def beat(self) -> None:
        """Say that the lesson still runs."""
        self._beacon.beat()

    async def end(self) -> None:
        """Leave nothing behind."""
        self._ended = True
        async with self._writing:
            await asyncio.to_thread(self._beacon.end)

    def _progress(self) -> Progress:
        player = self._player
        if player.at != self._at:
            self._at, self._step_began = player.at, time.time()
        step, steps = player.step, player.lesson.steps
        options = player.options
        return Progress(
            lesson=player.lesson.name,
            title=self._said(player.lesson.title),
            step=player.at + 1,
            steps=len(steps),
            say=self._said(step.say),
            notes=self._said(step.notes),
            following=self._said(steps[player.at + 1].say) if player.at + 1 < len(steps) else "",
            ask=self._said(step.prediction.ask if step.prediction else None),
            options=options,
            hands=tuple(player.count.of(place) for place in range(len(options))),
            revealed=player.shown is not None,
            began=self._began,
            step_began=self._step_began,
        )

    def _said(self, words: Words | None) -> str:
        return words.spoken(self._player.language) if words else ""
