"""Work on several pieces at once whose results are wanted in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")

_KEPT = 8
"""Results that wait for a slow piece before them, for each piece that is worked on at once."""


async def in_order(
    work: Callable[[_Piece], Awaitable[_Result]],
    pieces: Iterable[_Piece],
    at_once: Callable[[], int] = lambda: 1,
) -> AsyncGenerator[_Result, None]:
    """Yield what `work` makes of each piece, in their order.

    Pieces are begun in their order, and as many are worked on as `at_once` says at that moment.
    What fails is raised after the results of the pieces before it. Closing the generator cancels
    what is being worked on.
    """

    async def one(piece: _Piece) -> _Result:
        return await work(piece)

    coming = iter(pieces)
    tasks: deque[asyncio.Task[_Result]] = deque()
    try:
        while True:
            running = [task for task in tasks if not task.done()]
            while len(running) < at_once() and len(tasks) < _KEPT * at_once():
                try:
                    piece = next(coming)
                except StopIteration:
                    break
                running.append(asyncio.create_task(one(piece)))
                tasks.append(running[-1])
            if not tasks:
                return
            if tasks[0].done():
                yield tasks.popleft().result()
            else:
                await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def in_thread(
    results: AsyncGenerator[_Result, None], loop: asyncio.AbstractEventLoop
) -> Iterator[_Result]:
    """The same results in another thread than that of the event loop `loop`."""
    try:
        with suppress(StopAsyncIteration):
            while True:
                yield asyncio.run_coroutine_threadsafe(_next(results), loop).result()
    finally:
        asyncio.run_coroutine_threadsafe(_close(results), loop).result()


async def _next(results: AsyncGenerator[_Result, None]) -> _Result:
    return await anext(results)


async def _close(results: AsyncGenerator[_Result, None]) -> None:
    await results.aclose()
