"""The registry: every command can be done, no key is dead, and the documents agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.contract import registry
from tests.tui.support import opened
from tools import keys_page
from tui.annotation.screen import AnnotatingScreen
from tui.app.app import FEATURES, CommonsenseApp
from tui.authoring.step_editors import ChoiceEditor, NumberEditor, OrderEditor, PassageEditor
from tui.authoring.wizard import WizardScreen
from tui.browse.screen import BrowseScreen
from tui.lessons.screen import LessonScreen
from tui.runs.comparison_screen import ComparisonScreen
from tui.runs.run_screen import RunScreen
from tui.runs.runs_screen import RunsScreen
from tui.runs.unread_screen import UnreadScreen
from tui.shell.command import Command, Place
from tui.shell.commands import COMMANDS, bindings
from tui.shell.help import help_text
from tui.shell.text_screen import TextScreen
from tui.studies.studies_screen import StudiesScreen
from tui.studies.study_screen import StudyScreen

EDITORS = (ChoiceEditor, OrderEditor, PassageEditor, NumberEditor)
DOERS = {
    Place.APP: (CommonsenseApp,),
    Place.BROWSE: (BrowseScreen,),
    Place.RUN: (RunScreen,),
    Place.RUNS: (RunsScreen,),
    Place.COMPARISON: (ComparisonScreen,),
    Place.UNREAD: (UnreadScreen,),
    Place.STUDIES: (StudiesScreen,),
    Place.STUDY: (StudyScreen,),
    Place.WIZARD: (WizardScreen,),
    Place.EDITOR: EDITORS,
    Place.ANNOTATE: (AnnotatingScreen,),
    Place.LESSON: (LessonScreen,),
}
OPENED = BrowseScreen(registry.load("gita"), Path(), features=FEATURES)
LEAVES_INSTEAD = {Place.WIZARD: {"q"}, Place.ANNOTATE: {"q"}, Place.LESSON: {"q"}}
"""Keys that a screen takes from the app: who writes, answers or teaches leaves that screen, not the
program."""
DEAD_IN_TERMINALS = {"ctrl+h", "ctrl+i", "ctrl+m", "ctrl+left_square_bracket", "ctrl+c", "ctrl+z"}
FLOW_CONTROL = {"ctrl+s", "ctrl+q"}
US_ONLY = {"left_square_bracket", "right_square_bracket", "backslash", "grave_accent", "tilde"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: f"{c.where}.{c.id}")
def test_every_command_has_its_action(command: Command) -> None:
    doers = DOERS[command.where]
    method = f"action_{command.id}"
    if command.feature:
        method = command.id
        doers = tuple(type(each) for each in OPENED.features if command.feature == each.NAME)
        assert len(doers) == 1
    assert any(callable(getattr(doer, method, None)) for doer in doers)


@pytest.mark.parametrize("where", DOERS)
def test_no_two_commands_of_a_place_share_a_key(where: str) -> None:
    keys = [key for c in COMMANDS if c.where in {where, Place.APP} for key in c.keys]
    assert {key for key in keys if keys.count(key) > 1} == LEAVES_INSTEAD.get(where, set())


@pytest.mark.parametrize("editor", EDITORS)
def test_an_answer_binds_nothing_that_it_cannot_do(editor: type) -> None:
    offered = [binding for kind in editor.__mro__ for binding in kind.__dict__.get("BINDINGS", ())]
    ours = [one for one in offered if getattr(one, "id", None) and one.id.startswith(Place.EDITOR)]
    assert ours
    for one in ours:
        assert callable(getattr(editor, f"action_{one.action.partition('(')[0]}"))
    hinted = {name for names, _ in editor.HINTS for name in names}
    assert hinted <= {one.id.removeprefix(f"{Place.EDITOR}.") for one in ours}


def test_help_in_the_wizard_tells_its_keys_and_those_of_an_answer() -> None:
    text = help_text("", Place.WIZARD)
    for title in ("Keys here", "Keys in an answer", "Keys everywhere"):
        assert text.count(f"## {title}") == 1
    assert "`ctrl+g q`" in text
    assert "`ctrl+j`" in text
    assert help_text("", Place.APP).count("## ") == 1


def test_help_names_no_key_twice_where_a_screen_leaves_by_the_key_of_the_program() -> None:
    text = help_text("", Place.LESSON)
    assert "| `esc q` | Leave the lesson" in text
    assert "Leave the program" not in text
    assert "| `q` | Leave the program" in help_text("", Place.BROWSE)


async def test_help_can_be_asked_for_while_an_item_is_made() -> None:
    async with opened() as program:
        await program.press("n")
        await program.until(lambda: isinstance(program.app.screen, WizardScreen))
        await program.app.run_action("help")
        await program.until(lambda: isinstance(program.app.screen, TextScreen))
        assert "Keys in an answer" in program.app.screen.prose


def test_words_of_one_benchmark_stand_in_no_command() -> None:
    for command in COMMANDS:
        assert not {"story", "stories", "sentence", "sentences"} & set(
            command.help.lower().replace(";", " ").replace(".", " ").split()
        ), command.id


def test_no_key_is_dead_in_a_terminal_or_bound_to_a_keyboard() -> None:
    for command in COMMANDS:
        assert not DEAD_IN_TERMINALS & set(command.keys), command.id
        assert not FLOW_CONTROL & set(command.keys), command.id
        if US_ONLY & set(command.keys):
            assert set(command.keys) - US_ONLY, f"{command.id} needs a key on every keyboard"
        assert any(key not in {"f1", "f11", "f12"} for key in command.keys)


@pytest.mark.parametrize(
    "pane",
    [
        *("list", "view", "ladder", "trace", "live"),
        *("run", "runs", "comparison", "wizard", "annotate", "lesson"),
    ],
)
def test_three_to_six_keys_are_named_below_a_pane(pane: str) -> None:
    named = [command for command in COMMANDS if pane in command.footer]
    # One more comes once something failed, because that is what one looks for then.
    assert 3 <= sum(command.needs not in {"failures", "unread"} for command in named) <= 6


def test_every_binding_can_be_rebound_by_its_id() -> None:
    ids = [binding.id for where in DOERS for binding in bindings(where)]  # type: ignore[union-attr]
    assert all(ids)
    assert len(ids) == len(set(ids))


def test_the_documents_hold_the_present_keys() -> None:
    page = Path(__file__).parents[2] / "docs" / "keys.md"
    assert page.read_text(encoding="utf-8") == keys_page.page()


def test_no_key_ends_a_cell_of_the_table_of_keys() -> None:
    rows = [line for line in keys_page.page().splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {5}
