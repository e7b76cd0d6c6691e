"""Following a lesson from a second terminal: what is told, by whom, and what is no such file."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.widgets import Markdown, Static

from core.lessons import progress_file
from core.lessons.progress_file import (
    Progress,
    ProgressFile,
    alive,
    clock_time,
    folder,
    newest,
    read,
)
from core.text.errors import DataError
from tests.cli.support import run
from tests.lessons.showing import opened_lesson
from tests.lessons.support import lesson
from tests.pilots import screen_rows
from tests.terminals import terminal_of
from tests.tui.support import until
from tui.app.one_screen_app import OneScreenApp
from tui.lessons.follow_screen import FollowScreen


@pytest.fixture(autouse=True)
def _nothing_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that nobody touches for seconds is that of a lesson still, on a slow machine too."""
    monkeypatch.setattr(progress_file, "STALE", 3600.0)


NOW = Progress(
    lesson="one",
    title="One",
    step=1,
    steps=2,
    say="Look.",
    notes="Ask *them* first.",
    following="And now.",
    ask="Which",
    options=("yes", "no"),
    hands=(3, 1),
    revealed=False,
    began=1000.0,
    step_began=1060.0,
)


def test_what_is_told_is_read(tmp_path: Path) -> None:
    file = ProgressFile(tmp_path)
    file.write(NOW)
    assert read(file.path) == NOW
    assert alive(file.path)
    file.remove()
    assert list(tmp_path.iterdir()) == []
    file.remove()


def test_where_nothing_can_be_stored_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = ProgressFile(tmp_path / "file")
    with pytest.raises(DataError, match="follow"):
        file.write(NOW)
    file.touch()
    file.remove()


async def test_a_lesson_runs_where_nobody_can_follow_it(tmp_path: Path) -> None:
    folder().parent.mkdir(parents=True)
    folder().write_text("in the way")
    async with opened_lesson(lesson(tmp_path, STEPS)) as shown:
        await shown.press("1", "space")
        assert shown.said == "Second."
    assert folder().read_text() == "in the way"


def test_the_newest_that_is_alive_is_followed(tmp_path: Path) -> None:
    first, second, third = ProgressFile(tmp_path), ProgressFile(tmp_path), ProgressFile(tmp_path)
    first.write(NOW)
    second.write(replace(NOW, lesson="two", began=2000.0))
    third.write(replace(NOW, lesson="three", began=3000.0))
    assert newest(directory=tmp_path) == third.path
    long_ago = time.time() - progress_file.STALE - 1
    os.utime(third.path, (long_ago, long_ago))
    assert newest(directory=tmp_path) == second.path
    assert newest("one", tmp_path) == first.path
    assert newest("four", tmp_path) is None
    third.touch()
    assert newest(directory=tmp_path) == third.path
    assert newest(directory=tmp_path / "nowhere") is None


def test_only_what_was_killed_long_ago_is_swept(tmp_path: Path) -> None:
    old, young = ProgressFile(tmp_path), ProgressFile(tmp_path)
    old.write(NOW)
    young.write(NOW)
    os.utime(old.path, (1.0, 1.0))
    progress_file.remove_old(tmp_path)
    assert list(tmp_path.iterdir()) == [young.path]


def with_other(**values: Any) -> bytes:
    return json.dumps(asdict(NOW) | values).encode()


FOREIGN = {
    "nothing": b"",
    "half": with_other()[:100],
    "no JSON": b"\xff\xfe\x00",
    "something else": b'[{"lesson": 1}]',
    "a number for a text": with_other(title=3),
    "a part missing": json.dumps({k: v for k, v in asdict(NOW).items() if k != "hands"}).encode(),
    "a step that there is not": with_other(step=3),
    "hands of nobody": with_other(hands=[1]),
    "fewer hands than none": with_other(hands=[3, -14]),
    "more options than keys": with_other(options=["a"] * 6000, hands=[0] * 6000),
    "no number": with_other().replace(b"1000.0", b"NaN"),
    "endless": with_other().replace(b"1000.0", b"1e999"),
    "nested": b"[" * 100_000,
    "huge": with_other(say="x" * 500_000),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_what_is_no_such_file_is_as_good_as_none(tmp_path: Path, case: str) -> None:
    path = tmp_path / "1-1.json"
    path.write_bytes(FOREIGN[case])
    assert read(path) is None
    assert newest(directory=tmp_path) is None
    ProgressFile(tmp_path).write(NOW)
    found = newest(directory=tmp_path)
    assert found is not None
    assert found != path


@pytest.mark.parametrize("kind", ["folder", "fifo", "loop"])
def test_what_is_no_file_is_no_obstacle(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "1-1.json"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    assert read(path) is None
    assert newest(directory=tmp_path) is None


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 250), piece=st.binary(max_size=8), cut=st.integers(0, 20))
def test_a_mangled_file_is_read_or_not(tmp_path: Path, at: int, piece: bytes, cut: int) -> None:
    raw = with_other()
    path = tmp_path / "1-1.json"
    path.write_bytes(raw[:at] + piece + raw[at + cut :])
    progress = read(path)
    assert progress is None or len(progress.hands) == len(progress.options)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.9, "0:00"), (67.2, "1:07"), (3723.0, "1:02:03"), (-5.0, "0:00"), (1e308, "99:00:00")],
)
def test_times_are_said_as_on_a_clock(seconds: float, said: str) -> None:
    assert clock_time(seconds) == said


STEPS = """
- say: First.
  item: 0-O0
  notes: Wait for *three* hands.
  predict: {ask: What is it, layer: story_class}
- say: Second.
"""


async def test_a_running_lesson_tells_where_it_is_and_leaves_nothing(tmp_path: Path) -> None:
    async with opened_lesson(lesson(tmp_path, STEPS)) as shown:

        def now() -> Progress | None:
            path = newest()
            return read(path) if path is not None else None

        await until(shown.pilot, lambda: now() is not None)
        first = now()
        assert first is not None
        assert (first.lesson, first.step, first.steps) == ("one", 1, 2)
        assert (first.say, first.notes, first.following) == (
            "First.",
            "Wait for *three* hands.",
            "Second.",
        )
        await shown.press("1", "1", "2")
        await until(shown.pilot, lambda: (found := now()) is not None and found.hands == (2, 1))
        await shown.press("space")
        await until(shown.pilot, lambda: (found := now()) is not None and found.step == 2)
        second = now()
        assert second is not None
        assert (second.notes, second.following, second.hands) == ("", "", ())
        assert second.began == first.began < second.step_began
    assert list(folder().iterdir()) == []


def texts(screen: FollowScreen) -> str:
    plain = [str(one.content) for one in screen.query(Static) if one.display]
    return "\n".join([*plain, *(one.source for one in screen.query(Markdown))])


async def test_the_speaker_sees_notes_hands_time_and_what_comes_next() -> None:
    app = OneScreenApp(FollowScreen())
    async with app.run_test(size=(60, 20)) as pilot:
        screen = app.screen
        assert isinstance(screen, FollowScreen)
        await until(pilot, lambda: "No lesson is running" in texts(screen))
        file = ProgressFile()
        began = time.time() - 90
        file.write(replace(NOW, began=began, step_began=began + 60))
        await until(pilot, lambda: "And now." in texts(screen))
        shown = texts(screen)
        for part in ("One (one)  step 1 of 2", "1 yes: 3", "2 no: 1", "Ask *them*", "4 counted"):
            assert part in shown
        minutes = re.findall(r"(\d+):(\d\d)", str(screen.query_one("#time", Static).content))
        whole, here = (60 * int(minute) + int(second) for minute, second in minutes)
        assert 90 <= whole <= time.time() - began
        assert whole - here in {59, 60, 61}
        other = ProgressFile()
        other.write(replace(NOW, lesson="two", title="Two", began=time.time()))
        file.write(replace(NOW, step=2, following="", began=began, step_began=began + 90))
        await until(pilot, lambda: "This is the last step" in texts(screen))
        assert "One (one)  step 2 of 2" in texts(screen)
        file.remove()
        await until(pilot, lambda: "Two (two)" in texts(screen))
        other.remove()
        await until(pilot, lambda: "No lesson is running" in texts(screen))


async def test_what_is_told_is_shown_as_it_is_written() -> None:
    app = OneScreenApp(FollowScreen())
    async with app.run_test(size=(100, 40)) as pilot:
        screen = app.screen
        assert isinstance(screen, FollowScreen)
        hostile = "[red]x[/red] [a](https://example.org) \x1b[31m [@click=app.quit]y[/]"
        ProgressFile().write(
            replace(NOW, title=hostile, notes=hostile, ask=hostile, options=(hostile,), hands=(1,))
        )
        await until(pilot, lambda: "␛[31m" in texts(screen))
        await pilot.pause()
        rows = screen_rows(app)
        assert sum("[red]x[/red] [a](https://example.org) ␛[31m" in row for row in rows) >= 4
        for y in range(40):
            for x in range(100):
                style = screen.get_style_at(x, y)
                assert not style.link
                assert not set(style.meta) & {"@click", "href"}


def test_a_second_terminal_follows_the_first() -> None:
    with (
        terminal_of(
            "lesson", "run", "1", "--present", "--model", "none.gguf", size=(100, 30)
        ) as first,
        terminal_of("lesson", "follow", "three-layers") as second,
        terminal_of("lesson", "follow", "2") as third,
    ):
        first.until("1 of 6")
        second.until("step 1 of 6")
        first.press(" ")
        first.until("Davide ha appeso")
        first.press(" ")
        first.until("2 of 6")
        second.until("step 2 of 6")
        first.press("1")
        second.until("1 false: 1")
        third.until("is running")
        (path,) = folder().iterdir()
        first.press("\x1b")
        first.until("Leave this lesson?")
        first.press("\r")
        assert first.finish() == 0
        assert not path.exists()
        second.until("No lesson")
        second.press("q")
        assert second.finish() == 0


def test_a_name_that_no_lesson_has() -> None:
    assert run("lesson", "follow", "9-nothing").code == 2
    assert "terminal" in run("lesson", "follow").err
