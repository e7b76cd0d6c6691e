"""What the tests of a lesson's page have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.lessons.bound_lesson import bind
from core.lessons.lesson import Lesson
from core.lessons.transcript import Transcript, transcribe
from tests.exchange.exporters.chromium import Page
from tests.lessons.support import FirstOption

TEXT = "document.querySelector('main').innerText"
OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; })"

Shows = Callable[[Path], Page]
"""Opens a file."""


async def transcript(one: Lesson) -> Transcript:
    """A lesson told by a model that always takes the first option."""
    return await transcribe(bind(one), "en", FirstOption(), "2026-01-02")
