"""The texts of lessons are cut where they are too much for a screen, and stay whole Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.widgets import Markdown

from core.lessons.lesson_reader import read_lesson
from core.lessons.library import bundled
from core.lessons.narration import MOST_BLOCKS, narration, plain_markdown
from tests.lessons.showing import opened_lesson
from tests.lessons.support import lesson

MANY = {
    "a list": "- a\n" * 5000,
    "lists in lists": "- - - - - a\n" * 1000,
    "quotes": "> > > a\n\nb\n\n" * 1000,
    "headings": "# a\n" * 5000,
    "lines": "---\n" * 5000,
}


def begun(text: str) -> int:
    """How many blocks the parsed text has; each that begins also ends."""
    open_now: list[str] = []
    count = 0
    for token in plain_markdown().parse(text):
        if token.nesting == -1:
            assert open_now.pop() == token.type.removesuffix("_close")
            continue
        count += token.type != "inline"
        if token.nesting == 1:
            open_now.append(token.type.removesuffix("_open"))
    assert open_now == []
    return count


@pytest.mark.parametrize("kind", MANY)
def test_a_text_of_very_many_blocks_ends_in_an_ellipsis(kind: str) -> None:
    assert begun(MANY[kind]) == MOST_BLOCKS + 1
    assert narration(MANY[kind]).html.endswith("<p>…</p>")


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["- a\n", "  - b\n", "> c\n", "\n", "# d\n", "1. e\n"]), max_size=9)
)
def test_a_text_of_very_many_blocks_stays_whole_wherever_it_is_cut(parts: list[str]) -> None:
    assert begun("".join(parts) * 100) <= MOST_BLOCKS + 1


@pytest.mark.parametrize("path", bundled(), ids=lambda path: path.stem)
def test_no_text_of_a_bundled_lesson_is_cut(path: Path) -> None:
    for step in read_lesson(path).steps:
        for words in filter(None, (step.say, step.after, step.notes)):
            assert all(begun(text) <= MOST_BLOCKS for _language, text in words.texts)


async def test_a_lesson_of_very_many_lines_is_shown_with_few_widgets(tmp_path: Path) -> None:
    lines = "    - a\n" * 5000
    async with opened_lesson(lesson(tmp_path, f"- say: |\n{lines}  item: 0-O0\n")) as shown:
        said = shown.screen.query_one("#say", Markdown)
        assert MOST_BLOCKS < len(list(said.walk_children())) < 5 * MOST_BLOCKS
