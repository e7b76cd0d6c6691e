"""The X-ray opens on the options, and keeps them in sight while what is said of them is read."""

from __future__ import annotations

from tests.tui.support import opened
from tests.tui.xray_panes import drawn, look, pane, ready, text
from tui.blocks.xray_cursor import Face


async def test_it_opens_on_the_options_whatever_was_shown_last() -> None:
    async with opened() as program:
        for key, face in (("percent_sign", Face.PARTS), ("number_sign", Face.HEADS)):
            await look(program)
            assert pane(program).position.face is Face.OPTIONS
            await program.press(key)
            await ready(program)
            assert pane(program).position.face is face
            await program.press("x")
        await look(program)
        assert pane(program).position.face is Face.OPTIONS
        assert "likeliest token" in text(program)


async def test_another_layer_keeps_what_is_shown() -> None:
    async with opened() as program:
        await look(program)
        await program.press("percent_sign")
        await ready(program)
        program.browse.enter_pane("list")
        await program.press("j")
        await program.until(lambda: pane(program).xray is not None)
        await ready(program)
        assert pane(program).position.face is Face.PARTS


async def test_going_on_below_the_last_option_leaves_every_option_in_sight() -> None:
    async with opened() as program:
        found = await look(program)
        assert len(found.table.question.options) == 2
        before = drawn(program)
        table = [line for line in before if line[3:].startswith(("true", "false"))]
        assert len(table) == 2
        last = program.browse.query_one("#xray").virtual_size.height
        await program.press(*["j"] * (last + 2))
        after = drawn(program)
        assert after != before
        assert set(table) <= set(after)
        assert "no results" in text(program)
        await program.press("k", "k")
        assert table[0] in drawn(program)


async def test_the_rung_whose_blocks_are_shown_is_in_sight_in_the_ladder() -> None:
    async with opened(benchmark="accord", size=(100, 30)) as program:
        await program.ask()
        await program.until(lambda: "≈ Bare question" not in program.ladder)
        await look(program)
        await program.until(lambda: "≈ Bare question" in program.ladder)
