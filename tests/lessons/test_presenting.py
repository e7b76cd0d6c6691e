"""A lesson before a room: one pane at a time, short lines, keys told, what is clicked marked."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownBlock

from core.lessons.lesson import Lesson
from core.lessons.library import named
from tests.lessons.showing import Shown, opened_lesson
from tests.lessons.support import lesson
from tests.pilots import screen_rows
from tests.tui.support import until
from tui.lessons import presenter
from tui.lessons.narration_pane import NarrationPane
from tui.lessons.presenter import THEME, Pressed, command_of

STEPS = """
- say: First.
  item: 0-O0
  point: {statement: break}
- say: Second.
  predict: {ask: What is it, layer: story_class}
- say: Third.
  point: {rung: story_class}
"""


@pytest.fixture
def three(tmp_path: Path) -> Lesson:
    """A lesson whose first and last step point at something."""
    return lesson(tmp_path, STEPS)


def front(shown: Shown) -> set[str]:
    """The panes that are in sight."""
    return {
        pane
        for pane in (*shown.screen.navigator.panes, "list-box")
        if shown.screen.query_one(f"#{pane}").region
    }


async def test_the_text_comes_first_then_what_it_is_about(three: Lesson) -> None:
    async with opened_lesson(three, presenting=True) as shown:
        assert shown.app.theme == THEME
        assert front(shown) == {"lesson"}
        await shown.press("space")
        assert front(shown) == {"view"}
        found = shown.screen.item_text.statement()
        assert found is not None
        assert found[1].role == "break"
        await shown.press("space")
        assert (shown.said, front(shown)) == ("Second.", {"lesson"})
        await shown.press("tab", "1")
        assert front(shown) == {"lesson"}
        # The second step is about nothing that was not in front already.
        await shown.press("space")
        assert (shown.said, front(shown)) == ("Third.", {"lesson"})
        await shown.press("space")
        assert front(shown) == {"ladder"}
        await shown.press("backspace")
        assert (shown.said, front(shown)) == ("Second.", {"lesson"})


async def test_a_key_begins_and_ends_it(three: Lesson) -> None:
    async with opened_lesson(three) as shown:
        before = shown.app.theme
        assert len(front(shown)) > 2
        await shown.press("P")
        assert (shown.app.theme, front(shown)) == (THEME, {"lesson"})
        await shown.press("P")
        assert shown.app.theme == before != THEME
        assert shown.screen.has_class("-wide")
        assert len(front(shown)) > 2


async def test_the_key_that_was_pressed_is_told(
    three: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presenter, "_SECONDS", 3600.0)
    async with opened_lesson(three, presenting=True) as shown:
        pressed = shown.screen.query_one(Pressed)
        assert not pressed.shown
        await shown.press("space")
        assert pressed.shown == "space  next"
        assert screen_rows(shown.app)[pressed.region.y].strip() == "space  next"
        await shown.press("enter")
        assert pressed.shown == "enter  next"


async def test_it_is_told_for_a_moment_also_where_presenting_ends(three: Lesson) -> None:
    async with opened_lesson(three, presenting=True) as shown:
        pressed = shown.screen.query_one(Pressed)
        await shown.press("space")
        await until(shown.pilot, lambda: not pressed.shown)
        await shown.press("enter", "P", "space")
        await until(shown.pilot, lambda: not pressed.shown and not pressed.display)


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_the_key_that_is_told_hides_nothing(
    three: Lesson, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presenter, "_SECONDS", 3600.0)
    async with opened_lesson(three, presenting=True, size=size) as shown:
        before = screen_rows(shown.app)
        pressed = shown.screen.query_one(Pressed)
        await shown.press("f12", "backspace")
        after = screen_rows(shown.app)
        line = pressed.region.y
        assert after[:line] + after[line + 1 :] == before[:line] + before[line + 1 :]
        assert "back" in after[line]


def test_a_key_is_told_by_what_it_does_in_this_step() -> None:
    from tui.shell.commands import commands

    def named(key: str, pane: str, *offers: str) -> str:
        command = command_of(key, commands, pane, frozenset(offers))
        return command.name if command is not None else ""

    assert named("1", "lesson", "prediction") == "lesson.count_hand"
    assert named("1", "lesson") == "browse.nth_variant"
    assert not named("f12", "lesson")
    assert named("enter", "view", "text") == "lesson.next_step"
    assert named("enter", "trace", "text") == "browse.retype"


async def test_a_click_marks_what_was_clicked(three: Lesson) -> None:
    async with opened_lesson(three, presenting=True) as shown:
        block = shown.screen.query_one("#say", Markdown).query(MarkdownBlock).first()
        await shown.pilot.click(block)
        assert block.has_class("-marked")
        assert block.rich_style.reverse
        await shown.pilot.click(block)
        assert not block.has_class("-marked")
        await shown.press("space")
        view = shown.screen.item_text
        for y in range(view.size.height):
            style = shown.screen.get_style_at(view.content_region.x + 2, view.content_region.y + y)
            ref = style.meta.get("ref")
            if ref and ref != view.cursor:
                assert not style.reverse
                await shown.pilot.click(view, offset=(4, y + 1 + 1))
                break
        await shown.pilot.pause()
        assert view.cursor == ref
        style = shown.screen.get_style_at(view.content_region.x + 2, view.content_region.y + y)
        assert style.reverse


@pytest.mark.parametrize("size", [(140, 40), (60, 20)])
async def test_lines_are_short_and_nothing_is_cut(size: tuple[int, int]) -> None:
    async with opened_lesson(
        named("three-layers"), size=size, language="it", presenting=True
    ) as shown:
        for _ in range(2 * len(shown.screen.player.lesson.steps) - 1):
            (pane,) = front(shown)
            widget = shown.screen.pane_widget(pane)
            assert widget.content_size.width <= 64 - 2 * (pane != "lesson")
            assert widget.region.height >= min(16, size[1] - 4)
            assert shown.screen.region.contains_region(widget.region)
            if isinstance(widget, NarrationPane):
                assert widget.query_one("#say").content_size.width <= 60
            await shown.press("space")


async def test_it_fits_the_room_again_when_letters_are_enlarged(three: Lesson) -> None:
    async with opened_lesson(three, presenting=True) as shown:
        await shown.pilot.resize_terminal(60, 20)
        await shown.press("space")
        assert front(shown) == {"view"}
        assert shown.screen.has_class("-narrow", "-present")
        await shown.press("P")
        await shown.pilot.resize_terminal(140, 40)
        assert shown.screen.has_class("-wide")
        assert len(front(shown)) > 2


async def test_what_looks_between_the_blocks_comes_forward_too(tmp_path: Path) -> None:
    steps = STEPS.replace("- say: Second.", "- say: Second.\n  show: blocks").replace(
        "  predict: {ask: What is it, layer: story_class}\n", ""
    )
    async with opened_lesson(lesson(tmp_path, steps), presenting=True, size=(80, 24)) as shown:
        await shown.press("space", "space")
        assert (shown.said, front(shown)) == ("Second.", {"lesson"})
        await shown.press("space")
        assert front(shown) == {"xray"}
        await shown.press("space")
        assert (shown.said, front(shown)) == ("Third.", {"lesson"})
        await shown.press("backspace")
        assert (shown.said, front(shown)) == ("Second.", {"lesson"})
