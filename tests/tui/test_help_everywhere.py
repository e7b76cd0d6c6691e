"""Help is there wherever one stands: every pane, every screen, every dialogue."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

import tui
from core.contract.question import Question
from core.files.config import Config
from core.text.errors import SettingError
from tests.pilots import screen_rows
from tests.tui.support import Opened, opened
from tui.annotation.screen import AnnotatingScreen
from tui.authoring.wizard import WizardScreen
from tui.blocks.controller import BLOCK_PANES, BlocksController
from tui.browse.about import about_text
from tui.browse.export_dialogue import ExportScreen
from tui.browse.models_screen import ModelsScreen
from tui.browse.panes import PANES
from tui.runs.person_sessions import OneQuestion
from tui.runs.run_screen import RunScreen
from tui.runs.runs_screen import RunsScreen
from tui.shell.browse_commands import BROWSE_COMMANDS
from tui.shell.command import Place
from tui.shell.command_groups import MATTER
from tui.shell.dialogue import Dialogue
from tui.shell.help import help_on, help_text
from tui.shell.jump import JumpScreen
from tui.shell.keymap import Keymap
from tui.shell.model_holder import ModelState
from tui.shell.palette import Palette
from tui.shell.prompts import AskText, PickOne
from tui.shell.text_screen import TextScreen

NO_KEYS: Keymap = {}
NEEDS_NONE = {JumpScreen, Palette}
"""Screens that say all there is to know in a line of their own."""


def screens() -> list[type[Screen]]:
    """Every class of screen in the program's own modules that is shown as it is."""
    found = {}
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        for name, value in vars(importlib.import_module(module.name)).items():
            ours = isinstance(value, type) and issubclass(value, Screen)
            if ours and value.__module__ == module.name:
                found[name] = value
    bases = {base for value in found.values() for base in value.__mro__[1:]}
    return sorted((value for value in found.values() if value not in bases), key=str)


def test_every_dialogue_hears_the_keys_of_help_and_says_what_it_asks() -> None:
    dialogues = [screen for screen in screens() if issubclass(screen, ModalScreen)]
    assert len(dialogues) >= 5
    for screen in dialogues:
        if screen not in NEEDS_NONE:
            assert issubclass(screen, Dialogue), screen
            assert len((screen.HELP or "").split()) >= 10, screen


async def test_the_keys_that_matter_are_in_sight_together_on_a_small_terminal() -> None:
    async with opened(size=(80, 24)) as program:
        await program.press("question_mark")
        await program.until(lambda: "what it does" in "".join(screen_rows(program.app)))
        first_table = program.app.screen.prose.split("\n## ")[0]
        matter = re.findall(r"^\| `.*` \| (.*) \|$", first_table, re.MULTILINE)
        assert len(matter) == MATTER
        shown = "\n".join(screen_rows(program.app))
        assert [sentence for sentence in matter if sentence[:30] not in shown] == []


async def test_every_pane_explains_itself() -> None:
    async with opened(benchmark="com2", model="/nowhere.gguf") as program:
        browse = program.browse
        browse.add_class("-graph")
        blocks = browse.feature(BlocksController)
        assert blocks is not None
        topics = set()
        for pane in PANES:
            if pane in BLOCK_PANES and not browse.has_class(f"-{pane}"):
                blocks.toggle_pane(pane)
            browse.enter_pane(pane)
            await program.pilot.pause()
            text = help_on(browse, NO_KEYS)
            topic = browse.help_topic()
            assert topic.startswith("## ")
            assert len(topic.split()) >= 12
            assert topic in text
            for title in ("Keys here", "Keys everywhere"):
                assert f"## {title}" in text
            topics.add(topic)
        assert len(topics) == len(PANES)


async def wizard(program: Opened) -> None:
    await program.press("n")
    await program.until(lambda: isinstance(program.app.screen, WizardScreen))


async def run(program: Opened) -> None:
    await program.press("r")
    await program.until(lambda: isinstance(program.app.screen, RunScreen))


async def models(program: Opened) -> None:
    await program.press("m")
    await program.until(lambda: isinstance(program.app.screen, ModelsScreen))


async def export(program: Opened) -> None:
    await program.press("e")
    await program.until(lambda: isinstance(program.app.screen, ExportScreen))


async def switches(program: Opened) -> None:
    await program.press("s")
    await program.until(lambda: isinstance(program.app.screen, PickOne))


async def retyping(program: Opened) -> None:
    await program.press("tab", "enter")
    await program.until(lambda: isinstance(program.app.screen, AskText))


async def about(program: Opened) -> None:
    program.app.push_screen(TextScreen("About", text=about_text(program.browse.state.collection)))
    await program.until(lambda: isinstance(program.app.screen, TextScreen))


async def answering(program: Opened) -> None:
    state = program.browse.state
    question = state.unasked_rungs[0].question
    assert isinstance(question, Question)
    program.app.push_screen(AnnotatingScreen(OneQuestion("Anna", question), "Answering"))
    await program.until(lambda: isinstance(program.app.screen, AnnotatingScreen))


async def runs(program: Opened) -> None:
    await program.press("f3")
    await program.until(lambda: isinstance(program.app.screen, RunsScreen))


WAYS = (wizard, run, runs, models, export, switches, retyping, about, answering)


async def test_help_opens_everywhere_and_names_keys() -> None:
    async with opened(model="/nowhere.gguf") as program:
        for way in WAYS:
            program.browse.enter_pane("list")
            await program.pilot.pause()
            await way(program)
            front = program.app.screen
            text = help_on(front, NO_KEYS)
            assert text.startswith("## "), text[:80]
            assert "## Keys here" in text
            rows = [line for line in text.splitlines() if line.startswith("| `")]
            assert len(rows) >= 2
            assert all(row.rstrip(" |").endswith(".") for row in rows), rows
            # f1 opens it also where a question mark would be typed; a text closes with it.
            await program.press("f1")
            if not isinstance(front, TextScreen):
                await program.until(lambda: isinstance(program.app.screen, TextScreen))
                assert sorted(program.app.screen.prose.split("\n")) == sorted(text.split("\n"))
                await program.press("escape")
                await program.until(lambda front=front: program.app.screen is front)
                front.dismiss()
            await program.until(lambda: program.app.screen is program.browse)


async def test_a_question_mark_is_typed_where_text_is_typed() -> None:
    async with opened(model="/nowhere.gguf") as program:
        await retyping(program)
        line = program.app.screen.query_one(Input)
        line.value = ""
        await program.press("question_mark")
        assert line.value == "?"


async def test_jump_goes_to_every_pane_and_tab() -> None:
    async with opened(benchmark="com2", model="/nowhere.gguf") as program:
        browse = program.browse
        targets = browse.jump_targets()
        assert [t.label for t in targets] == [
            "items",
            "graph",
            "view",
            "ladder",
            "live",
            "prompt",
            "log",
        ]
        assert len({t.key for t in targets}) == len(targets)
        for key, pane, tab in (
            *(("i", "list", ""), ("g", "graph", ""), ("v", "view", ""), ("l", "ladder", "")),
            *(("p", "live", "prompt"), ("o", "live", "log"), ("b", "live", "live")),
        ):
            await program.press("ctrl+o")
            await program.until(lambda: isinstance(program.app.screen, JumpScreen))
            await program.press(key)
            await program.until(lambda: program.app.screen is browse)
            await program.until(lambda pane=pane: browse.pane == pane)
            await program.until(lambda tab=tab: not tab or browse.live.current == tab)
            await program.until(lambda pane=pane: browse.focused is browse.pane_widget(pane))


@pytest.mark.parametrize("size", [(140, 40), (60, 20)])
async def test_jump_labels_are_all_in_sight(size: tuple[int, int]) -> None:
    async with opened(benchmark="com2", model="/nowhere.gguf", size=size) as program:
        await program.press("ctrl+o")
        await program.until(lambda: isinstance(program.app.screen, JumpScreen))
        await program.pilot.pause()
        labels = [s for s in program.app.screen.query("Static") if s.id != "banner"]
        assert len(labels) == 7
        boxes = [label.region for label in labels]
        for box in boxes:
            assert box.right <= size[0]
            assert box.bottom <= size[1]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


async def test_jump_works_in_dialogues_and_stays_where_there_is_nowhere_to_go() -> None:
    async with opened(model="/nowhere.gguf") as program:
        await export(program)
        dialogue = program.app.screen
        assert not isinstance(dialogue.focused, Input)
        await program.press("ctrl+o")
        await program.until(lambda: isinstance(program.app.screen, JumpScreen))
        target = next(t for t in program.app.screen.targets if "input" in t.label)
        await program.press(target.key)
        await program.until(lambda: program.app.screen is dialogue)
        await program.until(lambda: isinstance(dialogue.focused, Input))
        await program.press("escape")
        await run(program)
        front = program.app.screen
        await program.press("ctrl+o")
        await program.pilot.pause()
        assert program.app.screen is front


def test_help_of_nothing_says_what_the_program_is() -> None:
    assert "layer" in help_text("", Place.APP)


def refuse(text: str) -> str:
    raise SettingError("never")


@pytest.mark.parametrize(
    "screen",
    [
        PickOne("t", "h", ["a"]),
        AskText("t", "h", "", refuse),
        ModelsScreen(Config(), ModelState()),
        TextScreen("t", text="x"),
    ],
    ids=lambda screen: type(screen).__name__,
)
def test_a_dialogue_explains_itself_before_anything_is_focused(screen: Dialogue) -> None:
    assert screen.HELP


def test_what_a_key_does_is_said_in_words_that_fit_every_benchmark() -> None:
    """Hops, trees and implied answers are those of one benchmark only."""
    own = re.compile(r"\b(hops?|trees?|implied|common-sense|pyramids?|rungs?)\b")
    shared = [command for command in BROWSE_COMMANDS if not command.needs]
    assert {"filter", "toggle_last"} <= {each.id for each in shared}
    named = [each.id for each in shared if own.search(each.help)]
    assert not named
