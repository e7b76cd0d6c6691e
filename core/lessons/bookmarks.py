"""Remembers at which step a lesson was left, in one small file of the program's state."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import msgspec

from core.files import paths
from core.files.atomic import atomic_write
from core.files.regular_file import read_regular
from core.lessons.lesson import Lesson
from core.text.errors import DataError

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
        atomic_write(bookmarks_file(), json.dumps(kept), private=True)


def _name(lesson: Lesson) -> str:
    return str(lesson.path.absolute())


def _read() -> dict[str, int]:
    try:
        content = read_regular(bookmarks_file(), _LIMIT, DataError)
        return msgspec.json.decode(content, type=dict[str, int])
    except (OSError, DataError, ValueError, RecursionError):
        return {}
