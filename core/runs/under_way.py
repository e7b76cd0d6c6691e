"""Questions that are asked at once, and how fast their answers come."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from core.models.protocol import Distributed, Model, Remote, Traffic

_Result = TypeVar("_Result")
_ANSWERS = 200
"""The speed is that of so many last answers."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How the questions fare that are asked at once."""

    under_way: int
    """Questions that are being asked."""
    per_second: float
    """Answers a second; 0 while it is not known."""
    waiting: int
    """Those under way that failed and wait for another try."""
    failures: int
    """Tries that failed and were followed by another, since the run went on."""
    tokens: int
    """Tokens, or pieces of text, that were written since the run went on."""
    cost: float | None = None
    """What the model's requests cost so far; None where that is not known."""


class UnderWay(Generic[_Result]):
    """Tasks that run at once, whose results are taken in the order in which they come.

    Each task has a list of results: those of one request.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[list[_Result]]] = set()
        self._ended: asyncio.Queue[asyncio.Task[list[_Result]]] = asyncio.Queue()
        self._times: deque[float] = deque(maxlen=_ANSWERS)
        self.restart_clock()

    def __len__(self) -> int:
        """How many were started whose results are not taken."""
        return len(self._tasks)

    @property
    def per_second(self) -> float:
        """Results a second; 0 while it is not known."""
        seconds = self._times[-1] - self._times[0]
        return (len(self._times) - 1) / seconds if seconds > 0 else 0.0

    def restart_clock(self) -> None:
        """Measure the speed from now on."""
        self._times.clear()
        self._times.append(time.perf_counter())

    def pace(self, traffic: Traffic, tokens: int, beginning: int = 0) -> Pace:
        """How they fare, all of them questions to one model; `beginning` are just being started."""
        return Pace(
            len(self) + beginning,
            self.per_second,
            traffic.waiting,
            traffic.failures,
            tokens,
            traffic.cost,
        )

    def start(self, work: Coroutine[Any, Any, list[_Result]]) -> None:
        """Start a task."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended.put_nowait)

    async def next(self, seconds: float | None = None) -> list[_Result] | None:
        """The results of the next task, or None where there is none for so long.

        Raises what its task raised.
        """
        try:
            task = self._ended.get_nowait()
        except asyncio.QueueEmpty:
            try:
                async with asyncio.timeout(seconds):
                    task = await self._ended.get()
            except TimeoutError:
                return None
        return self._taken(task)

    def ready(self) -> list[_Result]:
        """The results that are there, up to the first of a task that raised."""
        results: list[_Result] = []
        while not self._ended.empty():
            task = self._ended.get_nowait()
            if task.cancelled() or task.exception() is not None:
                # Raised when it is its turn.
                self._ended.put_nowait(task)
                break
            results += self._taken(task)
        return results

    def _taken(self, task: asyncio.Task[list[_Result]]) -> list[_Result]:
        self._tasks.discard(task)
        result = task.result()
        self._times.extend([time.perf_counter()] * len(result))
        return result

    def cancel(self) -> None:
        """Cancel every task."""
        for task in self._tasks:
            task.cancel()

    async def stop(self) -> list[_Result]:
        """Cancel every task, and return the results that were there and not taken."""
        self.cancel()
        ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        return [
            result
            for results in ended
            if not isinstance(results, BaseException)
            for result in results
        ]


def usual_concurrency(model: Model, of_servers: int) -> int:
    """How many questions are asked at once: one, `of_servers` of a server, all that workers take.

    The number of workers may change while a run goes on.
    """
    if isinstance(model, Distributed):
        return model.places
    return of_servers if isinstance(model, Remote) else 1
