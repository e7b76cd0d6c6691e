"""Pieces that are worked on at once give their results in order."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

import pytest

from core.benchmarks.generation.ordered_work import in_order, in_thread


class Work:
    """Takes another time for each piece, and counts how many are worked on."""

    def __init__(self, fails: int = -1) -> None:
        self.begun: list[int] = []
        self.at_once = self.most = 0
        self._fails = fails

    async def __call__(self, piece: int) -> int:
        self.begun.append(piece)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(random.Random(piece).random() / 200)
            if piece == self._fails:
                raise ArithmeticError(piece)
            return piece * piece
        finally:
            self.at_once -= 1


@pytest.mark.parametrize("at_once", [1, 2, 7, 100])
async def test_results_come_in_order_and_no_more_is_done_at_once(at_once: int) -> None:
    work = Work()
    results = [result async for result in in_order(work, range(40), lambda: at_once)]
    assert results == [piece * piece for piece in range(40)]
    assert work.begun == list(range(40))
    assert work.most == min(at_once, 40)


async def test_a_failure_is_raised_after_the_results_before_it() -> None:
    work = Work(fails=5)
    results = in_order(work, range(1000), lambda: 4)
    assert [await anext(results) for _ in range(5)] == [0, 1, 4, 9, 16]
    with pytest.raises(ArithmeticError):
        await anext(results)
    assert work.at_once == 0
    assert len(work.begun) < 100


async def test_what_is_worked_on_ends_with_the_generator() -> None:
    ended: list[int] = []

    async def only_the_first_is_quick(piece: int) -> int:
        try:
            await asyncio.sleep(3600 if piece else 0.01)
        finally:
            ended.append(piece)
        return piece

    results = in_order(only_the_first_is_quick, range(1000), lambda: 4)
    assert await anext(results) == 0
    assert ended == [0]
    await results.aclose()
    assert sorted(ended) == [0, 1, 2, 3]


async def test_pieces_are_taken_only_as_far_as_there_is_room() -> None:
    async def first_never_ends(piece: int) -> int:
        await asyncio.sleep(0 if piece else 3600)
        return piece

    taken: list[int] = []

    def pieces() -> Iterator[int]:
        for piece in range(10**6):
            taken.append(piece)
            yield piece

    results = in_order(first_never_ends, pieces(), lambda: 3)
    waiting = asyncio.ensure_future(anext(results))
    await asyncio.sleep(0.05)
    assert len(taken) < 40
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


async def test_another_thread_gets_the_same() -> None:
    work, loop = Work(), asyncio.get_running_loop()
    results = in_thread(in_order(work, range(20), lambda: 4), loop)
    assert await asyncio.to_thread(list, results) == [piece * piece for piece in range(20)]
    failing = in_thread(in_order(Work(fails=3), range(20), lambda: 4), loop)
    with pytest.raises(ArithmeticError):
        await asyncio.to_thread(list, failing)
