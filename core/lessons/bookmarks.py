"""Remembers at which step a lesson was left, in one small file of the program's state."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from core.files import paths
from core.files.state_file import read_state, write_state
from core.lessons.lesson import Lesson

_LIMIT = 100_000
_MOST = 100
"""Most lessons that are remembered."""


def bookmarks_file() -> Path:
    """The file of the bookmarks; it need not exist."""
    return paths.state() / "lesson-steps.json"


def bookmark(lesson: Lesson) -> int:
    """The step at which a lesson was left, counted from 1; 1 where it was not, or has changed."""
    step = _read().get(_name(lesson), 1)
    return step if 1 <= step <= len(lesson.steps) else 1


def set_bookmark(lesson: Lesson, step: int) -> None:
    """Remember a step, counted from 1; the first and the last one are forgotten instead.

    Where the file cannot be written, the lesson begins at the beginning the next time.
    """
    steps = _read()
    steps.pop(_name(lesson), None)
    if 1 < step < len(lesson.steps):
        steps[_name(lesson)] = step
    kept = dict(list(steps.items())[-_MOST:])
    with suppress(OSError):
        write_state(bookmarks_file(), kept)


def _name(lesson: Lesson) -> str:
    return str(lesson.path.absolute())


def _read() -> dict[str, int]:
    return read_state(bookmarks_file(), _LIMIT, dict[str, int]) or {}
