"""Tells whoever follows a running lesson where it is."""

from __future__ import annotations

import asyncio
import time

from core.lessons.lesson import Words
from core.lessons.progress_file import Beacon, Progress, sweep
from tui.lessons.player import LessonPlayer


class Telling:
    """What one showing of a lesson writes for its speaker's second screen."""

    def __init__(self, walk: LessonPlayer) -> None:
        self._walk = walk
        self._beacon = Beacon()
        self._began = self._step_began = time.time()
        self._at = walk.at
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
        walk = self._walk
        if walk.at != self._at:
            self._at, self._step_began = walk.at, time.time()
        step, steps = walk.step, walk.lesson.steps
        options = walk.options
        return Progress(
            lesson=walk.lesson.name,
            title=self._said(walk.lesson.title),
            step=walk.at + 1,
            steps=len(steps),
            say=self._said(step.say),
            notes=self._said(step.notes),
            following=self._said(steps[walk.at + 1].say) if walk.at + 1 < len(steps) else "",
            ask=self._said(step.prediction.ask if step.prediction else None),
            options=options,
            hands=tuple(walk.count.of(place) for place in range(len(options))),
            revealed=walk.shown is not None,
            began=self._began,
            step_began=self._step_began,
        )

    def _said(self, words: Words | None) -> str:
        return words.spoken(self._walk.language) if words else ""
