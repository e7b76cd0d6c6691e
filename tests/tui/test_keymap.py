"""A person's own keys: what can be used is used, and everything else is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App
from textual.binding import Binding
from textual.widgets import Input, Static

from core.files import config, paths
from core.files.config import Config
from core.lessons.bound_lesson import bind
from core.lessons.library import named
from tests.pilots import notices
from tests.tui.support import WIDE, until
from tui.app.app import CommonsenseApp
from tui.app.lesson_app import LessonApp
from tui.blocks.block_pane import BlockPane
from tui.browse.models_screen import ModelsScreen
from tui.lessons.screen import LessonScreen
from tui.shell.command import Place
from tui.shell.commands import COMMANDS, commands
from tui.shell.help import help_text
from tui.shell.keymap import check, first_key, rebound, rebound_commands, textual_keymap
from tui.shell.prompts import PickOne
from tui.shell.text_screen import TextScreen
from tui.shell.themes import DEFAULT
from tui.widgets.bars import KeyBar


def written(text: str) -> Config:
    """A configuration file with this text, read."""
    file = paths.config()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return config.read()


def test_a_keymap_that_can_be_used_is_used() -> None:
    checked = check(Config(keymap={"browse.copy": "Y, f5", "browse.nth_variant.1": "ctrl+y"}))
    assert checked.problems == ()
    assert checked.keys == {"browse.copy": ("Y", "f5"), "browse.nth_variant.1": ("ctrl+y",)}
    assert textual_keymap(checked.keys)["browse.copy"] == "Y,f5"
    assert first_key("browse.copy", checked.keys) == "Y"
    assert first_key("browse.copy", {}) == "y"


def test_a_keymap_may_name_a_command_by_its_former_id() -> None:
    former = {"browse.twin": "f5", "browse.funnel": "f11", "funnel.pause": "f12"}
    checked = check(Config(keymap=former))
    assert checked.problems == ()
    assert checked.keys == {
        "browse.contrast": ("f5",),
        "browse.run_all": ("f11",),
        "run.pause": ("f12",),
    }


def test_the_programs_own_keys_are_a_keymap_without_problems() -> None:
    own = {
        f"{c.where}.{c.id}": ",".join(key.replace(",", "comma") for key in c.keys)
        for c in COMMANDS
        if not c.numbered
    }
    assert check(Config(keymap=own)).problems == ()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("/", "slash"),
        ("?", "question_mark"),
        ("esc", "escape"),
        ("Return", "enter"),
        ("↓", "down"),
        ("shift+↑", "shift+up"),
        ("page down", "pagedown"),
        ("F5", "f5"),
        ("CTRL+R", "ctrl+r"),
        ("*", "asterisk"),
        ("asterisk", "asterisk"),
        ("ù", "ù"),
        ("Y", "Y"),
        ("alt+x", "alt+x"),
        ("ctrl+shift+home", "ctrl+shift+home"),
    ],
)
def test_keys_are_named_as_a_person_reads_them_or_as_textual_does(typed: str, meant: str) -> None:
    has = {"escape": "wizard.back", "down": "wizard.cursor_down", "pagedown": "wizard.page_down"}
    name = has.get(meant, "app.help" if typed == "?" else "wizard.save")
    checked = check(Config(keymap={name: typed}))
    assert checked.problems == ()
    assert checked.keys == {name: (meant,)}
    assert next(iter(Binding.make_bindings([Binding(meant, "x")]))).key == meant


@pytest.mark.parametrize(
    ("name", "keys", "said"),
    [
        ("browse.cpoy", "Y", "Did you mean “browse.copy”?"),
        ("browse.nth_variant", "Y", "browse.nth_variant.1 to browse.nth_variant.9"),
        ("x", "Y", "docs/keys.md"),
        ("browse.copy", "ctrl+h", "backspace"),
        ("browse.copy", "ctrl+i", "tab"),
        ("browse.copy", "Ctrl+M", "enter"),
        ("browse.copy", "ctrl+[", "esc"),
        ("browse.copy", "ctrl+c", "cannot be bound"),
        ("browse.copy", "ctrl+1", "every terminal"),
        ("browse.copy", "cmd+k", "every terminal"),
        ("browse.copy", "ctrl+shift+k", "every terminal"),
        ("browse.copy", "shift+k", "Write “K”"),
        ("browse.copy", "pagdown", "Did you mean “pagedown”?"),
        ("browse.copy", "xyzzy", "is not a key"),
        ("browse.copy", "Y,,K", "a key is missing"),
        ("browse.copy", "\u200b", "is not a key"),
        ("browse.copy", ",".join("abcdefghijklmnopqrstu"), "at most 20"),
    ],
)
def test_what_cannot_be_bound_is_told_with_its_line_and_left_out(
    name: str, keys: str, said: str
) -> None:
    read = written(f'keymap:\n  browse.undo: f7\n  {name}: "{keys}"\n')
    checked = check(read)
    assert checked.keys == {"browse.undo": ("f7",)}
    assert [problem.where for problem in checked.problems] == [f"{paths.config()}:3"]
    assert said in str(checked.problems[0])


def test_two_commands_of_a_place_with_one_key_are_both_named() -> None:
    checked = check(written("keymap:\n  browse.copy: u\n"))
    assert checked.keys == {}
    assert "browse.copy and browse.undo would both have the key “u”" in checked.problems[0].what
    assert checked.problems[0].where == f"{paths.config()}:2"


@pytest.mark.parametrize(
    ("keymap", "left"),
    [
        ({"browse.copy": "u", "browse.undo": "y"}, {"browse.copy", "browse.undo"}),
        ({"run.stop": "u"}, {"run.stop"}),
        ({"run.stop": "f6"}, set()),
        ({"app.next_theme": "y"}, set()),
        ({"wizard.back": "ctrl+j"}, set()),
        ({"browse.copy": "f7", "browse.undo": "f7"}, {"browse.copy"}),
        # What goes gives the former key back, which the next one had taken.
        ({"browse.undo": "y", "browse.copy": "v"}, set()),
        # The panes of a lesson are those of the browsing screen.
        ({"browse.undo": "backspace"}, set()),
        (
            {"browse.undo": "backspace", "lesson.previous_step": "f5"},
            {"browse.undo", "lesson.previous_step"},
        ),
        ({"lesson.reveal": "x"}, set()),
        ({"lesson.reveal": "x", "browse.xray": "f5"}, {"lesson.reveal", "browse.xray"}),
        ({"lesson.count_hand.1": "z"}, set()),
        # What leads out of a lesson is not heard in it.
        ({"browse.filter": "backspace"}, {"browse.filter"}),
        ({"lesson.reveal": "n"}, {"lesson.reveal"}),
        ({"lesson.next_step": "ctrl+y,space"}, {"lesson.next_step"}),
    ],
)
def test_only_what_is_heard_at_the_same_time_clashes(
    keymap: dict[str, str], left: set[str]
) -> None:
    assert set(check(Config(keymap=keymap)).keys) == left


@given(
    st.dictionaries(
        st.sampled_from([f"{c.where}.{c.id}" for c in COMMANDS if not c.numbered]),
        st.lists(
            st.sampled_from(["a", "u", "Y", "ctrl+h", "f5", "slash", "q", "tab", "up", "?"]),
            min_size=1,
            max_size=3,
        ).map(",".join),
        max_size=6,
    )
)
def test_what_is_left_of_any_keymap_has_no_clash(keymap: dict[str, str]) -> None:
    checked = check(Config(keymap=keymap))
    assert len(checked.keys) + len(checked.problems) == len(keymap)
    for place in {name.partition(".")[0] for name in keymap}:
        beside = {place, "app"} | (
            {Place.WIZARD, Place.EDITOR} if place in {Place.WIZARD, Place.EDITOR} else set()
        )
        heard = [(c, rebound(c, checked.keys)) for c in COMMANDS if c.where in beside]
        for one, mine in heard:
            if f"{one.where}.{one.id}" not in checked.keys:
                continue
            for other, theirs in heard:
                both = set(mine.keys) & set(theirs.keys)
                assert one is other or both <= set(one.keys) & set(other.keys)


@given(st.text(max_size=20))
def test_any_text_is_keys_or_a_problem(text: str) -> None:
    checked = check(Config(keymap={"wizard.save": text}))
    assert len(checked.keys) + len(checked.problems) == 1
    for keys in checked.keys.values():
        App(ansi_color=False).set_keymap({"x": ",".join(keys)})


async def test_rebound_keys_act_and_stand_in_the_footer_in_help_and_in_hints() -> None:
    chosen = written("keymap:\n  browse.choose_model: f5\n  browse.ask: ctrl+y\n  app.help: f7\n")
    app = CommonsenseApp(benchmark="gita", config=chosen, model="/nowhere.gguf")
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.model_state.error != "")
        await pilot.pause()
        bar = "".join(part[0] for part in app.screen.query_one(KeyBar).left())
        assert "ctrl+y ask" in bar
        assert "f5 model" in bar
        assert "f7 help" in bar
        assert "f5 chooses a model" in app.screen.asking.hint()
        assert "Press ctrl+y" in app.screen.live.tab("prompt").empty or (
            "ctrl+y" in app.screen.live.tab("live").empty
        )
        await pilot.press("m")
        assert not isinstance(app.screen, ModelsScreen)
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, ModelsScreen))
        # A dialogue hears the same key for help.
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(app.screen, TextScreen))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is app.screen_stack[0])
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(app.screen, TextScreen))
        assert "| `f5` | Choose and load a model. |" in app.screen.prose


def test_a_clash_in_a_lesson_names_both_commands() -> None:
    checked = check(written("keymap:\n  browse.undo: backspace\n"))
    said = checked.problems[0]
    assert "browse.undo and lesson.previous_step would both have the key “backspace”" in said.what
    assert said.where == f"{paths.config()}:2"


async def test_what_leads_out_of_a_lesson_takes_no_key_away_in_it() -> None:
    chosen = written("keymap:\n  browse.filter: backspace\n  lesson.reveal: n\n")
    app = LessonApp(bind(named("three-layers")), "en", config=chosen, model="/nowhere.gguf")
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.model_state.error != "")
        screen = app.screen
        assert isinstance(screen, LessonScreen)
        await until(pilot, lambda: screen.state is not None)
        await pilot.pause()
        await pilot.press("space")
        await until(pilot, lambda: screen.player.index == 1)
        await pilot.press("backspace")
        await until(pilot, lambda: screen.player.index == 0)
        assert not isinstance(app.focused, Input)
        # The key that makes a new item elsewhere reveals here.
        await pilot.press("n")
        await pilot.pause()
        assert app.screen is screen


def test_help_and_the_palettes_commands_name_a_persons_keys() -> None:
    keys = check(Config(keymap={"browse.copy": "Y"})).keys
    assert "| `Y` | Copy" in help_text("", Place.BROWSE, keys)
    assert "| `y` | Copy" in help_text("", Place.BROWSE)
    assert len(rebound_commands(Place.BROWSE, keys)) == len(commands(Place.BROWSE))


async def test_what_a_screen_says_names_a_persons_keys() -> None:
    chosen = written(
        "keymap:\n  browse.choose_model: f5\n  browse.xray: f7\n  browse.trace: f11\n"
        "  browse.undo: f12\n"
    )
    app = CommonsenseApp(benchmark="com2", config=chosen, model="/nowhere.gguf")
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.model_state.error != "")
        browse = app.screen_stack[0]
        await until(pilot, lambda: browse.has_class("-graph"))
        for key, said in (
            ("percent_sign", "f7 opens the blocks first."),
            ("V", "f11 opens the trace first."),
        ):
            await pilot.press(key)
            await until(pilot, lambda said=said: said in notices(app))
        await pilot.press("f7")
        await until(pilot, lambda: browse.query(BlockPane))
        assert browse.query_one(BlockPane).why_not == "There is no model. f5 chooses one."
        await pilot.press("ctrl+e")
        await until(pilot, lambda: isinstance(app.screen, PickOne))
        said = str(app.screen.query_one(".help", Static).content)
        assert said == "Your changes never touch the file; f12 undoes them."


async def test_a_broken_keymap_hinders_nothing_and_is_told() -> None:
    chosen = written("theme: dsuk\nkeymap:\n  browse.cpoy: Y\n  browse.undo: f7\n")
    app = CommonsenseApp(benchmark="gita", config=chosen, model="/nowhere.gguf")
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.model_state.error != "")
        log = "\n".join(app.log_lines)
        assert f"{paths.config()}:3: There is no command “browse.cpoy”" in log
        assert f"{paths.config()}:1: There is no theme “dsuk”" in log
        assert "Did you mean “dusk”?" in log
        assert app.theme == DEFAULT
        assert app.keys == {"browse.undo": ("f7",)}
        assert any("browse.cpoy" in note for note in notices(app))


def test_a_configuration_that_cannot_be_read_leaves_the_defaults(tmp_path: Path) -> None:
    file = paths.config()
    file.parent.mkdir(parents=True)
    file.write_text("theme: [")
    chosen, problems = config.read_or_defaults()
    assert chosen == Config()
    assert [problem.where for problem in problems] == [f"{file}:1"]
