"""The card of the first time: once, in nobody's way, and again when it is asked for."""

from __future__ import annotations

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import OptionList

from core.files import paths
from core.files.config import Config
from core.files.shipped import samples
from tests.tui.support import idle, until
from tui.app.app import CommonsenseApp
from tui.app.welcome import WelcomeCard, welcome
from tui.browse.item_list import ItemList
from tui.shell.model_holder import ModelPhase
from tui.shell.text_screen import TextScreen

NO_MODEL = "/nowhere.gguf"
PLACEHOLDER = "welcomed"


def bare(config: Config | None = None) -> CommonsenseApp:
    """The program as it opens where nothing is typed behind its name."""
    return CommonsenseApp(model=NO_MODEL, config=config)


def cards(app: CommonsenseApp) -> list[WelcomeCard]:
    return list(app.screen_stack[0].query(WelcomeCard))


async def settled(pilot: Pilot[None], app: CommonsenseApp) -> None:
    await until(pilot, lambda: app.model_state.phase is ModelPhase.FAILED)
    await until(pilot, lambda: bool(app.screen_stack[0].query_one(ItemList).positions))


async def test_it_comes_the_first_time_and_not_the_second() -> None:
    app = bare()
    async with app.run_test() as pilot:
        await settled(pilot, app)
        assert len(cards(app)) == 1
        # It takes neither the focus nor anything else.
        assert app.focused is app.screen.query_one(ItemList)
        await until(pilot, (paths.state() / PLACEHOLDER).exists)
    app = bare()
    async with app.run_test() as pilot:
        await settled(pilot, app)
        assert cards(app) == []


async def test_any_key_closes_it_and_does_what_it_does() -> None:
    app = bare()
    async with app.run_test() as pilot:
        await settled(pilot, app)
        await pilot.press("j")
        await pilot.pause()
        assert cards(app) == []
        assert app.screen.query_one(ItemList).cursor == 1


@pytest.mark.parametrize(
    "named", [{"benchmark": "gita"}, {"path": samples() / "gita" / "stories.json"}]
)
async def test_who_names_what_to_open_is_not_welcomed(named: dict[str, object]) -> None:
    app = CommonsenseApp(model=NO_MODEL, **named)
    async with app.run_test() as pilot:
        await settled(pilot, app)
        assert cards(app) == []
        assert not (paths.state() / PLACEHOLDER).exists()


async def test_it_is_not_shown_by_a_program_that_is_being_left() -> None:
    app = CommonsenseApp(benchmark="gita", model=NO_MODEL)
    async with app.run_test() as pilot:
        await settled(pilot, app)
        app.exit()
        await app.run_action("welcome")
        assert cards(app) == []


async def test_it_comes_again_from_the_palette() -> None:
    app = CommonsenseApp(benchmark="gita", model=NO_MODEL)
    async with app.run_test() as pilot:
        await settled(pilot, app)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"welcome")
        await idle(pilot)
        found = app.screen.query_one(OptionList)
        await until(
            pilot,
            lambda: (
                found.option_count > 0 and "welcome" in str(found.get_option_at_index(0).prompt)
            ),
        )
        await pilot.press("enter")
        await until(pilot, lambda: len(cards(app)) == 1)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, TextScreen))
        assert cards(app) == []


async def test_a_folder_that_cannot_be_written_hinders_nothing() -> None:
    paths.state().parent.mkdir(parents=True, exist_ok=True)
    paths.state().write_text("a file where a folder should be")
    app = bare()
    async with app.run_test() as pilot:
        await settled(pilot, app)
        await pilot.press("j")
        await pilot.pause()
        assert app.screen.query_one(ItemList).cursor == 1


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 20)])
async def test_it_fits_and_stands_in_the_middle(size: tuple[int, int]) -> None:
    app = bare()
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app)
        box = cards(app)[0].region
        assert box.width <= size[0] - 2
        assert box.height == 8
        assert box.bottom <= size[1] - 1
        assert abs((box.x + box.right) - size[0]) <= 2
        assert abs((box.y + box.bottom) - size[1]) <= 2
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        box = cards(app)[0].region
        assert abs((box.x + box.right) - 100) <= 2


def test_it_has_four_lines_and_names_a_persons_keys() -> None:
    text = welcome({"app.help": ("f7",)}).plain
    assert len(text.splitlines()) == 4
    assert "f7 help" in text
    assert "space ask   v variant" in text
