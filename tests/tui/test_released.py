"""What was closed is released: its files, its screen, and work that never began."""

from __future__ import annotations

import gc
import warnings
import weakref
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from core.contract import registry
from tests.tui.support import Opened, idle, many_stories, opened
from tui.blocks.trace_pane import TracePane
from tui.browse.screen import BrowseScreen
from tui.lessons.screen import LessonScreen
from tui.runs.run_screen import RunScreen
from tui.runs.running import RunPhase
from tui.shell.prompts import PickOne

pytestmark = pytest.mark.usefixtures("demo_model")
DESCRIPTORS = Path("/proc/self/fd")


def open_files(folder: Path) -> list[str]:
    """The files of a folder that this process has open."""
    gc.collect()
    targets = (each.readlink() for each in DESCRIPTORS.iterdir() if each.is_symlink())
    return sorted(target.name for target in targets if target.parent == folder)


async def browse(program: Opened, path: Path) -> None:
    """Open a collection, and wait until nothing is done for it any more."""
    program.browse.browse(registry.load("gita"), path)
    await program.until(lambda: program.browse.state is not None)
    await idle(program.pilot)


@pytest.mark.slow
@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="the system does not list open files")
async def test_only_the_collection_that_is_open_has_its_file_open(tmp_path: Path) -> None:
    files = [many_stories(tmp_path / f"{number}.json", 1) for number in range(5)]
    async with opened() as program:
        for path in files:
            await browse(program, path)
            await program.run_all()
            await program.until(lambda: program.app.collection_runs.all[0].phase is RunPhase.DONE)
            await program.press("escape")
        await program.pilot.pause()
        assert open_files(tmp_path) == [files[-1].name]


async def test_the_screen_of_a_run_is_released_when_it_is_closed() -> None:
    async with opened() as program:
        await program.press("r")
        await program.until(lambda: isinstance(program.app.screen, RunScreen))
        closed = weakref.ref(program.app.screen)
        await program.press("escape")
        await program.until(lambda: program.app.screen is program.browse)
        gc.collect()
        assert closed() is None


async def test_a_lesson_is_released_when_it_is_closed() -> None:
    async with opened() as program:

        async def until_shown(kind: type[Screen[Any]]) -> None:
            await program.until(lambda: isinstance(program.app.screen, kind))
            await program.pilot.pause()

        await program.press("f8")
        await until_shown(PickOne)
        await program.press("enter")
        await until_shown(LessonScreen)
        closed = weakref.ref(program.app.screen)
        await program.press("escape")
        await until_shown(PickOne)
        await program.press("enter")
        await until_shown(BrowseScreen)
        # What it last began, such as an animation, may hold it for another moment.
        await program.until(lambda: gc.collect() >= 0 and closed() is None)


async def test_a_screen_does_nothing_more_once_it_is_closed() -> None:
    async with opened() as program:
        await program.press("f8")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        await program.pilot.pause()
        await program.press("enter")
        await program.until(lambda: isinstance(program.app.screen, LessonScreen))
        await program.pilot.pause()
        lesson = program.app.screen
        painted: list[str] = []
        lesson.call_after_refresh(painted.append, "open")
        await program.pilot.pause()
        lesson.call_after_refresh(painted.append, "closed")
        await program.app.pop_screen()
        await program.pilot.pause()
        assert painted == ["open"]


async def test_a_filter_that_was_closed_keeps_nothing_of_the_collection(tmp_path: Path) -> None:
    async with opened() as program:
        await program.press("slash", "escape")
        assert program.browse.state is not None
        before = weakref.ref(program.browse.state)
        await browse(program, many_stories(tmp_path / "stories.json", 1))
        gc.collect()
        assert before() is None


async def test_what_a_screen_drew_is_released_when_it_is_closed() -> None:
    async with opened() as program:
        await program.press("question_mark")
        await program.until(lambda: program.app.screen is not program.browse)
        await program.pilot.pause()
        drawn = [weakref.ref(each._styles_cache) for each in program.app.screen.query("*")]
        await program.press("escape")
        await program.until(lambda: program.app.screen is program.browse)
        await program.pilot.pause()
        gc.collect()
        assert drawn
        assert not [each for each in drawn if each() is not None]


async def test_closed_screens_are_freed_before_much_has_piled_up() -> None:
    # Python's own, which a program keeps but for the last.
    gc.set_threshold(700, 10, 10)
    async with opened() as program:
        cycle = Cycle()
        cycle.itself = cycle
        unused = weakref.ref(cycle)
        gc.collect()
        del cycle
        made = [[number] for number in range(400_000)]
        assert unused() is not None
        await program.press("question_mark", "escape")
        await program.until(lambda: program.app.screen is program.browse)
        await program.pilot.pause()
        assert made
        assert unused() is None


class Cycle:
    """What only looking through everything can free."""

    itself: Cycle


async def test_work_that_is_cancelled_before_its_turn_is_never_begun() -> None:
    async with opened() as program:
        await program.press("X")
        await program.until(lambda: bool(program.browse.query(TracePane)))
        pane = program.browse.query_one(TracePane)
        await program.until(lambda: pane.subject is not None)
        subject = pane.subject
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for shown in (None, subject) * 3:
                pane.show_subject(shown)
            await program.pilot.pause()
            gc.collect()
        assert not [each for each in seen if "never awaited" in str(each.message)]
