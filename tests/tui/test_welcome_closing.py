"""The keys with which one is rid of a card close it and do nothing else."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from tests.tui.support import until
from tui.app.app import CommonsenseApp
from tui.app.welcome import WelcomeCard
from tui.browse.item_list import ItemList
from tui.browse.screen import BrowseScreen
from tui.browse.view_pane import ViewPane


def welcomed(app: CommonsenseApp) -> bool:
    return bool(app.screen_stack[0].query(WelcomeCard))


async def there(pilot: Pilot[None], app: CommonsenseApp) -> None:
    browse = app.screen_stack[0]
    await until(pilot, lambda: welcomed(app) and bool(browse.query_one(ItemList).positions))
    await until(pilot, lambda: isinstance(app.focused, ItemList))


@pytest.mark.parametrize("key", ["enter", "escape"])
async def test_enter_and_escape_only_close_it(key: str) -> None:
    app = CommonsenseApp(model="/nowhere.gguf")
    async with app.run_test() as pilot:
        await there(pilot, app)
        await pilot.press(key)
        await until(pilot, lambda: not welcomed(app))
        assert isinstance(app.focused, ItemList)
        assert app.is_running
        # Once it is gone the key does what it does.
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.focused, ViewPane))


async def test_pressed_twice_at_once_the_second_does_what_it_does() -> None:
    app = CommonsenseApp(model="/nowhere.gguf")
    async with app.run_test() as pilot:
        await there(pilot, app)
        await pilot.press("enter", "enter")
        await until(pilot, lambda: isinstance(app.focused, ViewPane))
        await until(pilot, lambda: not welcomed(app))
        assert isinstance(app.screen, BrowseScreen)
