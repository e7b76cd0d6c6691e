"""Keys pressed twice before the first is handled close one screen, and only that one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from random import Random
from threading import Event
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.events import Key, MouseDown
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Label

import tui
from core.contract.collection import Collection
from core.contract.question import Question
from core.files import paths
from core.lessons.lesson_reader import read_lesson
from core.lessons.library import bundled
from core.runs.records import Run
from core.runs.store import Store
from core.studies.study_store import StudyStore
from tests.lessons.showing import opened_lesson
from tests.lessons.support import FirstOption
from tests.lessons.test_taking_away import answered_by
from tests.mostly_slow import mostly_slow
from tests.tui.support import Opened, opened, until
from tools.attack.keys import Session, failed
from tools.attack.made_stores import made_store, made_study
from tui.annotation.screen import AnnotatingScreen
from tui.app.app import CommonsenseApp
from tui.authoring.wizard import WizardScreen
from tui.browse.export_dialogue import ExportScreen
from tui.browse.models_screen import ModelsScreen
from tui.browse.screen import BrowseScreen
from tui.lessons.follow_screen import FollowScreen
from tui.lessons.page import LessonPageScreen
from tui.lessons.room_screen import RoomScreen
from tui.lessons.screen import LessonScreen
from tui.runs.comparison_screen import ComparisonScreen
from tui.runs.person_sessions import OneQuestion
from tui.runs.run_screen import RunScreen
from tui.runs.runs_memory import RunsMemory
from tui.runs.runs_screen import RunsScreen
from tui.runs.unread_screen import UnreadScreen
from tui.shell.app import Shell
from tui.shell.jump import JumpScreen
from tui.shell.menu import Menu
from tui.shell.palette import Palette
from tui.shell.path_dialogue import PathDialogue
from tui.shell.picture_dialogue import PictureScreen
from tui.shell.prompts import AskText, PickOne
from tui.shell.text_screen import TextScreen
from tui.studies.choices import StudyForm
from tui.studies.choices_dialogue import ChooseStudy
from tui.studies.studies_screen import StudiesScreen
from tui.studies.study_screen import StudyScreen

CHARACTERS = {"enter": "\r", "escape": "\x1b", "slash": "/", "space": " "}


async def burst(program: Opened, *keys: str) -> None:
    """Press keys without waiting in between."""
    for key in keys:
        program.app.post_message(Key(key, CHARACTERS.get(key, key)))
    await program.pilot.pause()


async def question_screen(program: Opened) -> None:
    state = program.browse.state
    question = state.unasked_rungs[0].question
    assert isinstance(question, Question)
    asked = OneQuestion("Anna", question)
    screen = AnnotatingScreen(asked, "Answering")
    asked.answered = screen.dismiss
    await program.app.push_screen(screen)


async def text_screen(program: Opened) -> None:
    await program.app.push_screen(TextScreen("Title", text="Text."))


async def answering_a_run(program: Opened) -> None:
    program.app.load_model("person:Anna")
    await program.until(lambda: program.app.model_state.ready)
    await program.press("R")


async def palette(program: Opened) -> None:
    program.app.action_command_palette()


def made_run(letter: str, *, read: bool = True) -> Run:
    made_store(paths.runs(), fingerprint=letter * 64, read=read)
    with Store(paths.runs(), create=False) as store:
        return store.runs()[-1]


async def comparison(program: Opened) -> None:
    runs = [made_run(letter) for letter in "ab"]
    await program.app.push_screen(ComparisonScreen(runs, RunsMemory()))


async def unread_answers(program: Opened) -> None:
    run = made_run("c", read=False)
    open_item = partial(program.app.open_run, run)
    await program.app.push_screen(UnreadScreen(run.id, {}, open_item))


async def study(program: Opened) -> None:
    made_study(paths.runs())
    with StudyStore(paths.runs(), create=False) as store:
        [found] = store.studies()
    await program.app.push_screen(StudyScreen(found))


async def choices_of_a_study(program: Opened) -> None:
    form = StudyForm(program.browse.benchmark.layers, 12, {})
    await program.app.push_screen(ChooseStudy("Title", "Help.", form, lambda _choices: "It asks."))


async def a_path(program: Opened) -> None:
    await program.press("C")
    await program.until(lambda: isinstance(program.app.screen, PickOne))
    await program.press("end", "enter")


async def following(program: Opened) -> None:
    await program.app.push_screen(FollowScreen())


async def room(program: Opened) -> None:
    await program.app.push_screen(RoomScreen("http://127.0.0.1:9/room"))


WAYS: dict[str, tuple[tuple[str, ...] | Callable[[Opened], Any], type[Screen], tuple[str, ...]]] = {
    "collections": (("C",), PickOne, ("enter", "enter")),
    "models": (("m",), ModelsScreen, ("enter", "enter")),
    "switches": (("s",), PickOne, ("escape", "escape")),
    "typed text": (("tab", "enter"), AskText, ("enter", "enter")),
    "export": (("e",), ExportScreen, ("escape", "escape")),
    "jump": (("ctrl+o",), JumpScreen, ("i", "i")),
    "palette": (palette, Palette, ("escape", "escape")),
    "help": (("f1",), TextScreen, ("enter", "enter")),
    "text": (text_screen, TextScreen, ("escape", "escape")),
    "run": (("r",), RunScreen, ("escape", "escape")),
    "runs": (("f3",), RunsScreen, ("escape", "escape")),
    "new item": (("n",), WizardScreen, ("escape", "escape")),
    "question": (question_screen, AnnotatingScreen, ("1", "1")),
    "menu": (("f10",), Menu, ("escape", "escape")),
    "studies": (("f4",), StudiesScreen, ("escape", "escape")),
    "lessons": (("f8",), PickOne, ("escape", "escape")),
    "answering a run": (answering_a_run, AnnotatingScreen, ("escape", "escape")),
    "comparison": (comparison, ComparisonScreen, ("escape", "escape")),
    "unread answers": (unread_answers, UnreadScreen, ("escape", "escape")),
    "study": (study, StudyScreen, ("escape", "escape")),
    "choices of a study": (choices_of_a_study, ChooseStudy, ("escape", "escape")),
    "picture": (("f2",), PictureScreen, ("escape", "escape")),
    "a path": (a_path, PathDialogue, ("escape", "escape")),
    "following a lesson": (following, FollowScreen, ("escape", "escape")),
    "room": (room, RoomScreen, ("enter", "enter")),
}
"""How each screen and dialogue is opened, and two keys that close it. Lessons have their own."""


async def in_front(program: Opened, way: str) -> Screen:
    """Open a screen from the list of items."""
    how, kind, _ = WAYS[way]
    program.browse.enter_pane("list")
    await program.pilot.pause()
    await (how(program) if callable(how) else program.press(*how))
    await program.until(lambda: isinstance(program.app.screen, kind))
    return program.app.screen


async def test_a_burst_of_keys_closes_one_screen() -> None:
    async with opened(model="/nowhere.gguf") as program:
        for way, (_, _, keys) in WAYS.items():
            await in_front(program, way)
            await burst(program, *keys)
            await program.until(lambda: program.app.screen is program.browse)
            assert program.app.return_code is None, way
            assert program.app.is_running, way


async def bursts(app: CommonsenseApp, pilot: Pilot[None], name: str) -> None:
    """Send bursts of 2 to 20 keys with clicks in between, wherever they lead, and leave."""
    pressing = Session(app, pilot, Random(name))
    for _ in range(6):
        if pressing.running:
            await pressing.burst()
    assert not failed(app), " ".join(pressing.last)
    await pressing.leave()


@mostly_slow("way", list(WAYS))
async def test_bursts_of_many_keys_and_clicks_end_no_program(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(model="/nowhere.gguf") as program:
        await in_front(program, way)
        await bursts(program.app, program.pilot, way)


@mostly_slow("way", ["shown", "presented", "page"], quick=0)
async def test_bursts_of_many_keys_and_clicks_end_no_lesson(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for lesson in bundled():
        async with opened_lesson(read_lesson(lesson), presenting=way == "presented") as shown:
            if way == "page":
                answered_by(shown.app, FirstOption())
                await shown.press("f4")
                await until(shown.pilot, lambda: isinstance(shown.app.screen, LessonPageScreen))
            await bursts(shown.app, shown.pilot, lesson.stem)


async def test_a_screen_that_is_dismissed_twice_leaves_the_one_behind_it() -> None:
    async with opened(model="/nowhere.gguf") as program:
        for way in WAYS:
            front = await in_front(program, way)
            front.dismiss()
            front.dismiss()
            await program.until(lambda: program.app.screen is program.browse)
            assert program.app.is_running, way


def every_screen() -> set[type[Screen]]:
    """The classes of screens and dialogues of the program, also those that others begin with."""
    for module in walk_packages(tui.__path__, "tui."):
        if not module.name.startswith("tui.cli"):
            import_module(module.name)
    screens, found = [Screen], set()
    while screens:
        kind = screens.pop()
        screens += kind.__subclasses__()
        if kind.__module__.startswith("tui."):
            found.add(kind)
    return found


def test_every_screen_that_is_opened_is_dismissed_once() -> None:
    """Whoever adds a screen begins with one of these classes."""
    alone = {kind.__name__ for kind in every_screen() if kind.dismiss is Screen.dismiss}
    # The screen at the bottom is never dismissed; the others have no instances.
    assert alone == {"BrowseScreen", "ItemHost", "ItemScreen"}


def test_bursts_are_sent_to_every_screen() -> None:
    """Whoever adds a screen adds a way to it above."""
    screens = every_screen()
    shown = {kind for kind in screens if not set(kind.__subclasses__()) & screens}
    reached = {kind for _how, kind, _keys in WAYS.values()}
    assert shown - reached == {BrowseScreen, LessonScreen, LessonPageScreen}
    assert reached <= screens


async def test_keys_that_come_before_a_dialogue_is_there_end_nothing() -> None:
    async with opened(model="/nowhere.gguf") as program:
        for keys in (("C", "j", "j"), ("m", "pagedown", "enter"), ("e", "escape", "j", "escape")):
            await burst(program, *keys)
            await program.pilot.pause(0.2)
            assert program.app.is_running, keys
            while program.app.screen is not program.browse:
                program.app.screen.dismiss()
                await program.pilot.pause()


async def test_keys_that_come_before_a_screen_of_items_is_there_end_nothing() -> None:
    async with opened(model="/nowhere.gguf") as program:
        browse = program.browse
        for key in ("j", "f1", "ctrl+o", "f2", "f3", "f6", "f10", "ctrl+p"):
            opening = BrowseScreen(browse.benchmark, browse.path, features=browse.plugged_in)
            shown = program.app.push_screen(opening)
            await program.app.on_event(Key(key, key))
            await shown
            await program.pilot.pause()
            assert program.app.is_running, key
            while program.app.screen is not browse:
                program.app.pop_screen()


async def test_a_screen_that_is_closed_before_it_is_shown_is_not_mounted() -> None:
    async with opened(model="/nowhere.gguf") as program:
        for screen in (PickOne("Title", "Help.", ["a line"]), Palette()):
            program.app.push_screen(screen)
            screen.dismiss()
            await program.until(lambda: program.app.screen is program.browse)
            assert program.app.is_running, screen


async def test_what_stands_in_front_of_a_dismissed_screen_goes_with_it() -> None:
    async with opened(model="/nowhere.gguf") as program:
        await program.press("C")
        await program.until(lambda: isinstance(program.app.screen, PickOne))
        picker = program.app.screen
        await program.press("f1")
        await program.until(lambda: isinstance(program.app.screen, TextScreen))
        picker.dismiss(None)
        await program.until(lambda: program.app.screen is program.browse)


@pytest.mark.parametrize("size", [(140, 40), (40, 12)])
async def test_letters_typed_with_the_key_of_the_filter_are_typed_into_it(
    size: tuple[int, int],
) -> None:
    async with opened(model="/nowhere.gguf", size=size) as program:
        await burst(program, "slash", *"z/q")
        await program.pilot.pause(0.3)
        assert program.app.screen is program.browse
        assert program.browse.query_one("#filter", Input).value == "z/q"
        await program.press("escape", "f3")
        await program.until(lambda: isinstance(program.app.screen, RunsScreen))
        await burst(program, "slash", *"d/c")
        await program.pilot.pause(0.3)
        assert program.app.screen.query_one("#filter", Input).value == "d/c"


async def test_a_filter_that_is_closed_in_the_burst_that_typed_it_lists_everything() -> None:
    async with opened() as program:
        items, everything = program.browse.items, len(program.browse.state.collection)
        for keys in (("slash", "q", "enter", "escape"), ("slash", *"qqq", "enter", "escape")):
            await burst(program, *keys)
            await program.pilot.pause(0.5)
            assert not program.browse.query_one("#filter", Input).display
            assert len(items.positions) == everything


async def test_a_search_that_ends_after_the_filter_was_closed_lists_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as program:
        state, going = program.browse.state, Event()
        search = type(state.collection).matching

        def slow(self: Collection, text: str) -> Sequence[int]:
            going.wait(10)
            return search(self, text)

        monkeypatch.setattr(type(state.collection), "matching", slow)
        await program.press("slash", "z")
        await program.pilot.pause(0.2)
        program.browse.list_filter.go_to(state.item.id)
        going.set()
        await program.pilot.pause(0.5)
        assert len(program.browse.items.positions) == len(state.collection)


async def test_keys_after_a_move_in_the_list_act_on_the_item_it_moved_to() -> None:
    async with opened() as program:
        before = program.browse.state.item.id
        await burst(program, "down", "space")
        await program.until(lambda: program.browse.asking.busy is None and program.live)
        after = program.browse.state.item.id
        assert after != before
        assert program.live.splitlines()[0].startswith(f"{after}: ")


async def test_enter_pressed_twice_in_the_list_retypes_a_statement() -> None:
    async with opened(model="/nowhere.gguf") as program:
        await burst(program, "enter", "enter")
        await program.until(lambda: isinstance(program.app.screen, AskText))


async def test_a_key_pressed_twice_opens_one_dialogue() -> None:
    async with opened(model="/nowhere.gguf") as program:
        for key in ("C", "s", "n", "e", "f8"):
            await burst(program, key, key)
            await program.pilot.pause(0.3)
            assert len(program.app.screen_stack) == 2, key
            program.app.screen.dismiss()
            await program.until(lambda: program.app.screen is program.browse)


async def test_a_key_that_also_closes_a_screen_never_opens_two() -> None:
    async with opened(model="/nowhere.gguf") as program:
        for key in ("m", "r", "b", "f1", "f2", "f3", "ctrl+o", "ctrl+p"):
            await burst(program, key, key)
            await program.pilot.pause(0.3)
            assert len(program.app.screen_stack) <= 2, key
            if program.app.screen is not program.browse:
                program.app.screen.dismiss()
            await program.until(lambda: program.app.screen is program.browse)


@mostly_slow(
    "keys",
    [
        ("ctrl+p", "escape", "ctrl+p", "ctrl+p"),
        ("ctrl+p", "ctrl+p"),
        ("ctrl+p", "f2", "ctrl+p", "ctrl+p"),
    ],
)
async def test_the_palette_opens_once_and_works(keys: tuple[str, ...]) -> None:
    async with opened(model="/nowhere.gguf") as program:
        await program.press(keys[0])
        for _ in range(3):
            await burst(program, *keys[1:])
            # The key comes through whatever stands in front of the palette.
            program.app.action_command_palette()
            program.app.action_command_palette()
            await program.pilot.pause(0.3)
            palettes = [each for each in program.app.screen_stack if isinstance(each, Palette)]
            assert len(palettes) == 1
        while not isinstance(program.app.screen, Palette):
            await program.press("escape")
        await program.press(*"every", "escape", "escape")
        await program.until(lambda: program.app.screen is program.browse)


async def test_enter_pressed_twice_asks_for_one_path_of_a_model() -> None:
    async with opened(model="/nowhere.gguf") as program:
        await program.press("m", "end")
        await burst(program, "enter", "enter")
        await program.until(lambda: isinstance(program.app.screen, AskText))
        await program.pilot.pause(0.3)
        assert len(program.app.screen_stack) == 3


class Opening(Screen[None]):
    def compose(self) -> ComposeResult:
        yield Label("there")

    def on_mount(self) -> None:
        self.run_worker(self._look())
        self.query_one(Label)

    async def _look(self) -> None:
        self.query_one(Label)


async def test_a_program_that_is_left_while_a_screen_opens_ends_without_an_error() -> None:
    for turns in range(12):
        app = Shell()
        async with app.run_test():
            app.push_screen(Opening())
            for _ in range(turns):
                await asyncio.sleep(0)
            app.exit()
            while app.is_running:
                await asyncio.sleep(0)


@pytest.mark.parametrize("presses", [2, 3, 4, 5])
async def test_a_burst_of_the_key_that_asks_and_cancels_leaves_a_ladder_that_can_be_asked(
    presses: int,
) -> None:
    async with opened() as program:
        await burst(program, *["space"] * presses)
        await program.until(lambda: program.browse.asking.busy is None)
        if presses % 2 == 0:
            assert "not asked" in program.ladder
            assert "space asks the model" in program.ladder
            await program.ask()
        await program.until(lambda: "not asked" not in program.ladder)


async def test_a_click_on_what_was_removed_and_is_still_painted_does_nothing() -> None:
    async with opened() as program:
        text = program.browse.item_text
        at = tuple(map(int, text.region.center))
        await text.remove()
        assert program.browse.get_widget_at(*at)[0] is text
        await program.app.on_event(MouseDown(None, *at, 0, 0, 1, False, False, False, *at))
        assert not failed(program.app)
