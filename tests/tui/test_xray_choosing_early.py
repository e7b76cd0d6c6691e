"""What the X-ray is to show may be chosen while it still reads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from tests.mostly_slow import mostly_slow
from tests.tui.support import Opened, opened
from tests.tui.xray_panes import pane, ready
from tui.blocks.block_pane import Subject
from tui.blocks.xray import Reader, Xray
from tui.blocks.xray_cursor import Face


@asynccontextmanager
async def reading(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Opened, asyncio.Event]]:
    """The pane open, and what lets the reading of the blocks go on."""
    let = asyncio.Event()
    read = Reader.read

    async def waits(self: Reader, subject: Subject, tell: Callable[[str], None]) -> Xray:
        await let.wait()
        return await read(self, subject, tell)

    monkeypatch.setattr(Reader, "read", waits)
    async with opened() as program:
        await program.press("x")
        await program.until(lambda: pane(program).subject is not None)
        yield program, let


@mostly_slow(
    ("keys", "face", "head"),
    [
        (("number_sign", "number_sign"), Face.HEADS, 1),
        (("percent_sign", "percent_sign"), Face.HEAD_MAP, 0),
        (("number_sign",), Face.HEADS, 0),
        (("percent_sign",), Face.PARTS, 0),
        (("percent_sign",) * 5, Face.OPTIONS, 0),
        (("number_sign", "escape"), Face.OPTIONS, 0),
    ],
    quick=2,
)
async def test_it_is_shown_once_the_blocks_were_read(
    keys: tuple[str, ...], face: Face, head: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(monkeypatch) as (program, let):
        await program.press(*keys)
        assert pane(program).xray is None
        let.set()
        xray = await ready(program)
        place = pane(program).position
        assert place.face is face
        if face is Face.HEADS:
            assert place.head == head
            assert place.block in xray.attended
        assert (xray.attribution is not None) is (face is Face.PARTS)


async def test_a_head_that_there_is_not_is_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    async with reading(monkeypatch) as (program, let):
        await program.press(*["number_sign"] * 40)
        let.set()
        xray = await ready(program)
        assert pane(program).position.head == xray.access.heads - 1


@pytest.mark.parametrize("goes_on", [False, True])
async def test_a_head_awaited_on_one_item_is_not_drawn_on_the_next(
    goes_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(monkeypatch) as (program, let):
        pane(program).show_head(0, 1)
        assert pane(program).xray is None
        before = pane(program).subject
        if goes_on:
            program.browse.enter_pane("list")
            await program.press("j")
            await program.until(lambda: pane(program).subject not in (before, None))
        let.set()
        xray = await ready(program)
        face = pane(program).position.face
        expected = (Face.OPTIONS, set()) if goes_on else (Face.HEADS, {0})
        assert (face, set(xray.attended)) == expected
