"""What a step reveals is on small screens without a further key, and so is how far it is asked."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest

from core.contract.question import OptionScore, Prompt
from core.layout.rows import plain
from core.lessons.library import named
from tests.lessons.showing import opened_lesson
from tests.pilots import screen_rows
from tests.tui.support import until
from tui.lessons.counting import CountsView


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_what_came_true_and_its_text_stay_in_sight(size: tuple[int, int]) -> None:
    async with opened_lesson(named("2"), model="demo", size=size, step=4) as shown:
        await shown.press("r")
        counts = shown.screen.query_one(CountsView)
        await shown.until(lambda: "95 % interval" in plain(counts.draw(70)).replace("\n", " "))
        await shown.pilot.pause()
        player = shown.screen.player
        assert player.result is not None
        (true,) = player.result.true
        rows = screen_rows(shown.app)
        assert any(f"▸ {true + 1} {player.options[true]}" in row for row in rows)
        assert any("here the model reads" in row for row in rows)


async def test_counts_that_come_while_a_lesson_is_left_end_nothing() -> None:
    async with opened_lesson(named("2")) as shown:
        await shown.screen.query("Hands").remove()
        counts = shown.screen.query_one(CountsView)
        counts.redraw_soon()
        # Long enough for what is drawn again, and then followed.
        await asyncio.sleep(0.5)
        assert shown.app.return_code is None


async def test_the_border_says_how_many_items_were_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened_lesson(named("3"), model="demo", size=(80, 24), step=4) as shown:
        model = shown.app.model_state.model
        assert model is not None
        answer, asked, go_on = model.score, 0, asyncio.Event()

        async def score(prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
            nonlocal asked
            asked += 1
            if asked > 2:
                await go_on.wait()
            return await answer(prompt, options)

        monkeypatch.setattr(model, "score", score)
        await shown.pilot.press("r")
        border = re.compile(r"item [3-8] of 8… · more below · 4 of 5")
        await until(shown.pilot, lambda: any(border.search(row) for row in screen_rows(shown.app)))
        go_on.set()
        await shown.until(lambda: shown.screen.player.result is not None)
        await shown.settle()
        assert not any(border.search(row) for row in screen_rows(shown.app))


async def test_no_option_stands_under_the_name_of_another_layer() -> None:
    async with opened_lesson(named("1"), model="demo", size=(80, 24), step=4) as shown:
        await shown.press("r")
        await shown.until(lambda: shown.screen.player.result is not None)
        await shown.pilot.pause()
        ladder = shown.screen.ladder
        first = ladder.rows[ladder.scroll_offset.y + ladder.pinned]
        assert ladder.scroll_offset.y, "the first layer is scrolled away"
        assert any(span.ref for span in first)
        assert plain([first]).lstrip()[0].isdigit(), "the heading of a layer"


async def test_a_wide_graph_spends_no_row_on_a_scroll_bar() -> None:
    async with opened_lesson(named("5"), size=(80, 24), step=1) as shown:
        graph = shown.screen.graph
        assert graph.max_scroll_x > 0, "the drawing goes on beyond the pane"
        assert graph.scrollable_content_region.height == graph.size.height
        assert graph.size.height == graph.outer_size.height - 2
        placement = graph.placement
        assert placement is not None
        assert all(rect.width < graph.size.width for rect in placement.nodes.values())


async def test_space_first_shows_what_stands_below_and_then_goes_on() -> None:
    async with opened_lesson(named("4"), size=(80, 24), step=2) as shown:
        options = shown.screen.player.options
        below = lambda: any(f"3 {options[2]}" in row for row in screen_rows(shown.app))  # noqa: E731
        border = shown.screen.narration
        await shown.until(lambda: border.border_subtitle == "more below · 2 of 7")
        assert not below()
        await shown.press("space")
        assert shown.screen.player.index == 1, "still the same step"
        assert below()
        assert border.border_subtitle == "2 of 7"
        await shown.press("space")
        assert shown.screen.player.index == 2


async def test_where_all_of_a_step_is_in_sight_space_goes_on_at_once() -> None:
    async with opened_lesson(named("4"), size=(140, 40), step=2) as shown:
        assert shown.screen.narration.border_subtitle == "2 of 7"
        await shown.press("space")
        assert shown.screen.player.index == 2
