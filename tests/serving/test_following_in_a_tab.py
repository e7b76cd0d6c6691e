"""A lesson in one tab, its speaker's notes in another: each a program of its own."""

from __future__ import annotations

import pytest

from core.lessons.lesson_reader import read_lesson
from core.lessons.library import bundled
from tests.exchange.exporters import chromium
from tests.serving.conftest import Served
from tests.serving.test_in_a_browser import Tab

FIRST = read_lesson(bundled()[0])


def first_words(step: int) -> str:
    """The beginning of the notes of a step, which fits in a line."""
    notes = FIRST.steps[step].notes
    assert notes is not None
    return notes.spoken("en")[:20]


def chosen(tab: Tab, place: int) -> None:
    """Choose a line of the list of lessons."""
    tab.page.press("F8")
    tab.until("Lessons for a class")
    tab.press("j" * place)
    tab.page.press("Enter")


@pytest.mark.slow
def test_the_second_tab_follows_the_first(own: Served, browser: chromium.Browser) -> None:
    room = Tab(browser, own.address)
    speaker = Tab(browser, own.url)
    for tab in (room, speaker):
        tab.until("space asks the model")
    chosen(speaker, len(bundled()))
    speaker.until("No lesson is running")
    chosen(room, 0)
    room.until("Read the story")
    assert first_words(0) not in room.text()
    speaker.until(first_words(0))
    speaker.until("1 of 6")
    room.press(" ")
    room.until("Count hands")
    speaker.until(first_words(1))
    room.press("11")
    speaker.until("(2 counted, not revealed yet)")
    room.press("r")
    speaker.until("(2 counted, revealed)")
    room.page.send("Page.navigate", url="about:blank")
    speaker.until("No lesson is running")
