"""What a long run brings is not looked through for garbage, which would stop the screen."""

from __future__ import annotations

import gc
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Event

import pytest
from textual._context import visible_screen_stack
from textual.geometry import Region
from textual.messages import Prompt
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from core.answers.option_names import option_names
from tests.pilots import screen_rows
from tests.tui.support import opened
from tui.shell import garbage


def full_collections(objects: int) -> int:
    """How often everything is looked through while so many objects are made and kept."""
    counted = 0

    def count(phase: str, info: dict[str, int]) -> None:
        nonlocal counted
        counted += phase == "stop" and info["generation"] == 2

    gc.callbacks.append(count)
    try:
        kept = [[number] for number in range(objects)]
    finally:
        gc.callbacks.remove(count)
    assert len(kept) == objects
    return counted


@pytest.mark.slow
async def test_a_million_objects_bring_no_look_through_all_of_them() -> None:
    million = 1_000_000
    gc.set_threshold(700, 10, 10)
    gc.collect()
    before = full_collections(million)
    async with opened():
        assert gc.isenabled()
        assert full_collections(million) <= 1 < before


async def test_a_ladder_that_is_cancelled_before_it_begins_is_let_go_of() -> None:
    async with opened() as program:
        asking = program.browse.asking
        asking.toggle()
        assert asking.busy is not None
        [worker] = (weakref.ref(each) for each in program.app.workers if each.group == "ask")
        asking.toggle()
        assert asking.busy is None
        await program.pilot.pause()
        gc.collect()
        assert worker() is None
        await program.ask()
        assert program.browse.ladder.rungs


async def test_the_lines_of_a_closed_screen_are_not_kept() -> None:
    async with opened() as program:
        await program.press("question_mark")
        for width in range(500):
            Strip.blank(width)
        await program.press("escape")
        await program.until(lambda: Strip.blank.cache_info().currsize < 400)


async def test_the_lines_of_the_former_collection_are_not_kept() -> None:
    async with opened() as program:
        await program.press("question_mark", "escape")
        for x in range(500):
            Region(x, 0, 10, 10).intersection(Region(5, 5, x, 10))
        drawn = [each._styles_cache for each in program.browse.walk_children(Widget)]
        assert sum(len(each._cache) for each in drawn) > 100
        shown = screen_rows(program.app)
        garbage.free_unreachable(program.app.screen_stack)
        assert not any(each._cache for each in drawn)
        await program.press("question_mark", "escape")
        await program.until(lambda: Region.intersection.cache_info().currsize < 500)
        assert screen_rows(program.app) == shown


class Leaving(ModalScreen[None]):
    """Has a scroll bar made on the screen below, and closes."""

    async def on_key(self) -> None:
        assert self.app.screen_stack[0].horizontal_scrollbar is not None
        self.dismiss()


class Mounting(ModalScreen[None]):
    """Mounts a pane on the screen below, and closes."""

    async def on_key(self) -> None:
        await self.app.screen_stack[0].mount(Static("a pane that stays"))
        self.dismiss()


class Sending(ModalScreen[None]):
    """Sends a message to a widget of the screen below, and closes."""

    async def on_key(self) -> None:
        self.app.screen_stack[0].vertical_scrollbar.post_message(Prompt())
        self.dismiss()


class Drawn(Leaving):
    """Is what the app drew last, and closes."""

    def on_mount(self) -> None:
        self.app.call_later(visible_screen_stack.set, [self])


@pytest.mark.parametrize("kind", [Mounting, Sending, Drawn, Leaving])
async def test_a_closed_screen_is_not_kept_by_what_it_did_to_others(
    kind: type[ModalScreen[None]],
) -> None:
    async with opened() as program:
        kept = weakref.ref(screen := kind())
        await program.app.push_screen(screen)
        await program.pilot.pause()
        del screen
        await program.press("a")
        assert not isinstance(program.app.screen, kind)
        await program.press("down", "up")
        gc.collect()
        assert kept() is None


@lru_cache(maxsize=8)
def doubled(number: int) -> int:
    return 2 * number


def test_all_caches_are_emptied_when_another_collection_opens() -> None:
    caches = [doubled, option_names, Region.intersection]
    doubled(1)
    option_names(("yes", "no"), lettered=False)
    Region(0, 0, 9, 9).intersection(Region(1, 1, 5, 5))
    assert all(each.cache_info().currsize for each in caches)
    garbage.free_unreachable([])
    assert [each.cache_info().currsize for each in caches] == [0] * len(caches)


def test_other_threads_work_on_while_the_caches_are_emptied() -> None:
    over = Event()

    def work() -> int:
        made = 0
        while not over.is_set():
            made += len(tuple(number for number in range(50)))
        return made

    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    with ThreadPoolExecutor() as threads:
        try:
            working = threads.submit(work)
            for _time in range(5):
                garbage.free_unreachable([])
        finally:
            over.set()
            sys.setswitchinterval(often)
    assert working.result() > 0
