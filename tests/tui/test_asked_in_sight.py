"""What is asked of an item is on screen without scrolling."""

from __future__ import annotations

import pytest

from core.blocks.contrast_prompts import ContrastPrompt
from tests.tui.support import opened
from tests.tui.trace_panes import ended, pane, tracing
from tui.browse.ladder_pane import LadderPane


@pytest.mark.parametrize(("size", "keys"), [((140, 40), ()), ((60, 20), ("tab", "tab"))])
async def test_the_question_of_a_tree_and_its_options_are_in_sight(
    size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async with opened(benchmark="accord", size=size) as program:
        for _ in range(3):
            await program.press("down")
            question = program.browse.state.item.question
            await program.press(*keys)
            rows = program.story.splitlines()
            said = " ".join(" ".join(rows).split())
            assert question.question in said
            for label, text in question.choices:
                assert any(row.split()[:1] == [label] and text in row for row in rows)
            await program.press(*("shift+tab" for _ in keys))


async def test_an_answer_is_in_sight_where_the_prompt_was_in_the_place_of_the_ladder() -> None:
    async with opened(benchmark="accord", size=(80, 24)) as program:
        ladder = program.browse.ladder
        await program.press("p")
        await program.until(lambda: not ladder.display)
        await program.ask()
        assert ladder.display
        assert ladder.has_focus


async def test_a_trace_begins_at_the_first_rung_that_can_have_a_contrast_prompt() -> None:
    async with opened(benchmark="accord") as program:
        ladder = program.browse.query_one(LadderPane)
        assert ladder.rungs[0].layer.aside
        await program.press("X")
        await ended(program)
        assert ladder.cursor == next(one.layer.id for one in ladder.rungs if not one.layer.aside)
        assert tracing(program).pair is not None


async def test_a_trace_stays_at_the_rung_to_which_a_person_went() -> None:
    async with opened(benchmark="accord") as program:
        ladder = program.browse.query_one(LadderPane)
        program.browse.enter_pane("ladder")
        await program.until(lambda: ladder.has_focus)
        await program.press("X")
        await ended(program)
        assert ladder.cursor == ladder.rungs[0].layer.id
        assert pane(program).has_focus


async def test_contrast_prompts_that_can_be_compared_are_offered_first_and_in_words() -> None:
    async with opened(benchmark="com2") as program:
        await program.press("X")
        await ended(program)
        pairs = await tracing(program).pairs()
        usable = [bool(one.pairing.differing) for one in pairs]
        assert usable == sorted(usable, reverse=True)
        assert usable[0]
        contrast: ContrastPrompt = pairs[0].contrast
        assert contrast.label.startswith("prevented: ")
