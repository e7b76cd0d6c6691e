"""A benchmark that somebody else ships goes through the same screens."""

from __future__ import annotations

from tests.fifth.support import installed_shapes
from tests.pilots import notices
from tests.tui.support import opened
from tui.browse.item_list import ItemList
from tui.runs.run_screen import RunScreen
from tui.runs.running import RunPhase
from tui.shell.prompts import PickOne


async def test_it_opens_toggles_asks_and_runs() -> None:
    with installed_shapes():
        async with opened(benchmark="shapes") as program:
            items = program.browse.query_one(ItemList)
            assert items.collection.about.title == "Six towers"
            assert program.story.strip()
            before = program.story
            await program.press("tab", "j", "full_stop")
            assert program.story != before
            await program.press("u", "v")
            assert "boat" in str(program.browse.state.history.now)
            await program.ask()
            for title in ("Stands", "Top"):
                assert title in program.ladder
            assert "▸" in program.ladder
            await program.run_all()
            screen = program.app.screen
            assert isinstance(screen, RunScreen)
            await program.until(lambda: screen.running.phase is RunPhase.DONE)
            assert screen.running.summary.figures
            await program.press("escape")


async def test_every_switch_of_it_can_be_set_in_the_list_of_switches() -> None:
    with installed_shapes():
        async with opened(benchmark="shapes") as program:
            await program.press("s")
            await program.until(lambda: isinstance(program.app.screen, PickOne))
            await program.press("j", "enter")
            await program.until(lambda: dict(program.browse.state.history.now) == {"glue": "on"})
            await program.press("escape")


async def test_what_it_does_not_offer_is_said() -> None:
    with installed_shapes():
        async with opened(benchmark="shapes") as program:
            await program.press("n")
            await program.until(lambda: len(notices(program.app)) > 0)
            (note,) = notices(program.app)
            assert "no way to make an item" in note
