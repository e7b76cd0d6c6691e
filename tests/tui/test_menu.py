"""Keys by what matters, the menu of every command, and everyday words that find them."""

from __future__ import annotations

from itertools import combinations

import pytest
from textual.command import CommandList, CommandPalette
from textual.events import Click
from textual.geometry import Offset
from textual.widgets import OptionList

from tests.tui.support import opened
from tui.shell.command import Place
from tui.shell.command_groups import EVERYDAY_WORDS, GROUPS, MATTER
from tui.shell.commands import COMMANDS, commands
from tui.shell.help import help_on
from tui.shell.menu import Menu
from tui.shell.palette import CommandsProvider, Palette

RELATED = {
    frozenset(pair)
    for pair in (
        ("next_variant", "contrast"),  # another version of the item, of its prompt
        ("xray", "trace"),
        ("choose_model", "compare_model"),
        ("new_item", "new_term"),
        ("more_noise", "less_noise"),
        ("run_all", "answer_all"),
        ("intervene", "imagine"),
        ("next_tab", "form"),  # the prompt, and its form
        ("zoom_in", "zoom_out"),
        ("first", "last"),
        ("cursor_down", "pan_down"),
        ("cursor_up", "pan_up"),
        ("cursor_left", "pan_left"),
        ("cursor_right", "pan_right"),
    )
}


@pytest.mark.parametrize("where", [Place.BROWSE, Place.RUN, Place.RUNS])
def test_letters_that_differ_by_case_only_do_related_things(where: str) -> None:
    heard = [command for command in COMMANDS if command.where in {where, Place.APP}]
    for one, other in combinations(heard, 2):
        for key in set(one.keys) & {k.swapcase() for k in other.keys if len(k) == 1}:
            if key.isalpha() and key.swapcase() in other.keys:
                assert frozenset((one.id, other.id)) in RELATED, key


def test_plus_is_one_more_and_c_compares_everywhere() -> None:
    assert [c.id for c in COMMANDS if "plus" in c.keys] == ["more"]
    assert {c.id for c in COMMANDS if "c" in c.keys} == {"compare"}
    assert {c.id for c in COMMANDS if "v" in c.keys} == {
        "next_variant",
        "next_profile",
        "next_group",
    }


def test_every_command_of_the_items_stands_in_one_group() -> None:
    grouped = [each for title, ids in GROUPS for each in ids]
    assert sorted(grouped) == sorted(command.id for command in commands(Place.BROWSE))
    assert set(EVERYDAY_WORDS) <= {command.name for command in COMMANDS}


async def test_help_begins_with_ten_keys_and_leaves_out_those_of_other_benchmarks() -> None:
    async with opened(benchmark="gita", model="/nowhere.gguf") as program:
        text = help_on(program.browse, {})
        first = text.split("\n\n## ")[0]
        assert first.startswith("## Keys here")
        assert first.count("| `") == MATTER
        assert "do(" not in text
        assert "distractor" not in text.split("## Asking the model")[1]
        assert "prevent it" not in text


async def test_the_menu_lists_what_can_be_done_and_does_it() -> None:
    async with opened(benchmark="accord", model="/nowhere.gguf") as program:
        await program.press("f10")
        await program.until(lambda: isinstance(program.app.screen, Menu))
        lines = program.app.screen.query_one(OptionList)
        shown = [str(lines.get_option_at_index(i).prompt) for i in range(lines.option_count)]
        assert any("one more" in line and "+" in line for line in shown)
        assert not any("imagine" in line for line in shown)
        lines.highlighted = next(i for i, line in enumerate(shown) if "one more" in line)
        await program.press("enter")
        await program.until(lambda: program.app.screen is program.browse)
        await program.until(lambda: program.browse.state.history.now.get("hops") == "3")


async def test_a_click_on_the_title_opens_the_menu() -> None:
    async with opened(model="/nowhere.gguf") as program:
        await program.pilot.click("TopBar", offset=(3, 0))
        await program.until(lambda: isinstance(program.app.screen, Menu))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("compare", "runs"),
        ("next model", "model"),
        ("download", "model"),
        ("screenshot", "picture"),
        ("accuracy", "run all"),
    ],
)
async def test_everyday_words_find_commands(typed: str, found: str) -> None:
    async with opened(benchmark="accord", model="/nowhere.gguf") as program:
        await program.press("ctrl+p")
        await program.until(lambda: isinstance(program.app.screen, CommandPalette))
        provider = CommandsProvider(program.browse)
        hits = sorted([hit async for hit in provider.search(typed)], key=lambda hit: -hit.score)
        assert any(str(hit.prompt).startswith(found) for hit in hits[:4])


@pytest.mark.parametrize(
    ("benchmark", "offered", "not_offered"),
    [
        ("accord", {"check suggestions", "ask", "help"}, {"imagine"}),
        ("abspyramid", {"ask", "help"}, {"check suggestions", "swap"}),
    ],
)
async def test_the_palette_offers_only_what_can_be_done_with_the_open_item(
    benchmark: str, offered: set[str], not_offered: set[str]
) -> None:
    async with opened(benchmark=benchmark, model="/nowhere.gguf") as program:
        provider = CommandsProvider(program.browse)
        names = {str(hit.prompt).split("  ")[0] async for hit in provider.discover()}
        assert offered <= names
        assert not not_offered & names


@pytest.mark.parametrize("columns", [140, 80, 60])
async def test_the_key_of_help_is_named_in_every_footer(columns: int) -> None:
    async with opened(benchmark="com2", model="/nowhere.gguf", size=(columns, 24)) as program:
        for pane in ("list", "view", "graph", "ladder", "live"):
            program.browse.enter_pane(pane)
            await program.pilot.pause()
            bar = program.browse.query("KeyBar").first().render_line(0).text
            assert bar.rstrip().endswith(" ? help")


async def test_keys_of_the_graph_are_named_and_heard_while_the_list_has_the_focus() -> None:
    async with opened(benchmark="com2", model="/nowhere.gguf") as program:
        assert program.browse.pane == "list"
        keys = program.browse.query("KeyBar").first().render_line(0).text
        for word in ("i do", "o see", "I imagine"):
            assert word in keys
        await program.press("i")
        assert "rung 2: do" in str(program.browse.graph.border_title)


async def test_keys_of_a_graph_that_other_panes_cover_are_not_named() -> None:
    async with opened(benchmark="com2", model="/nowhere.gguf", size=(80, 24)) as program:
        bar = program.browse.query("KeyBar").first()
        assert "v variant" in bar.render_line(0).text
        assert "i do" in bar.render_line(0).text
        await program.press("x")
        await program.until(lambda: program.browse.has_class("-xray"))
        await program.until(lambda: "i do" not in bar.render_line(0).text)


async def test_a_page_is_not_turned_where_the_palette_has_no_room_for_lines() -> None:
    async with opened(benchmark="gita", model="/nowhere.gguf") as program:
        await program.press("ctrl+p")
        await program.until(lambda: isinstance(program.app.screen, Palette))
        palette = program.app.screen
        lines = palette.query_one(CommandList)
        await program.until(lambda: lines.highlighted is not None)
        lines.styles.height = 0
        await program.until(lambda: not lines.scrollable_content_region)
        await program.press("pageup", "pagedown")
        assert program.app.screen is palette


async def test_a_click_on_a_line_of_the_palette_that_is_gone_does_nothing() -> None:
    async with opened(benchmark="gita", model="/nowhere.gguf") as program:
        await program.press("ctrl+p")
        await program.until(lambda: isinstance(program.app.screen, Palette))
        palette = program.app.screen
        lines = palette.query_one(CommandList)
        await program.until(lambda: lines.option_count > 3)
        await program.pilot.pause(0.2)
        row = lines.region.offset + Offset(4, 3)
        style = palette.get_style_at(*row)
        assert style.meta["option"] >= 1
        lines.clear_options()
        click = Click(
            lines, 4, 3, 0, 0, 1, False, False, False, screen_x=row.x, screen_y=row.y, style=style
        )
        lines.post_message(click)
        await program.pilot.pause()
        assert program.app.screen is palette
