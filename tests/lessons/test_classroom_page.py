"""The page for teachers counts the lessons in the box and names keys that there are."""

from __future__ import annotations

import re
from pathlib import Path

from core.lessons.library import bundled

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "howto" / "classroom.md").read_text(encoding="utf-8")
NUMBERS = {8: "Eight", 9: "Nine", 10: "Ten", 11: "Eleven", 12: "Twelve"}


def test_the_page_tells_how_many_lessons_are_in_the_box() -> None:
    assert f"{NUMBERS[len(bundled())]} are in the box" in PAGE


def test_the_function_keys_on_the_page_are_keys_of_the_program() -> None:
    keys = set(re.findall(r"^\| `(f\d+)`", (DOCS / "keys.md").read_text("utf-8"), re.MULTILINE))
    named = {key.lower() for key in re.findall(r"`([Ff]\d+)`", PAGE)}
    assert named
    assert named <= keys


def test_themes_are_changed_with_the_key_of_the_reference() -> None:
    (key,) = re.findall(r"^\| `(\w+)` \| theme \|", (DOCS / "keys.md").read_text("utf-8"), re.M)
    assert f"`{key}` goes through the themes" in PAGE
