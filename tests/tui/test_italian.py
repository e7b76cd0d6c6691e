"""The program in Italian, screen by screen: no English is left, and nothing is cut for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest
from textual.command import CommandPalette
from textual.screen import Screen

from core.files.shipped import samples
from core.text import language
from tests.pilots import screen_rows
from tests.tui.support import Opened, idle, opened
from tests.tui.test_snapshots import recorded_run
from tui.authoring.wizard import WizardScreen
from tui.browse.export_dialogue import ExportScreen
from tui.browse.models_screen import ModelsScreen
from tui.browse.screen import BrowseScreen
from tui.runs.run_screen import RunScreen
from tui.runs.runs_screen import RunsScreen
from tui.shell.jump import JumpScreen
from tui.shell.prompts import PickOne
from tui.shell.text_screen import TextScreen
from tui.widgets.bars import KeyBar

_ENGLISH = re.compile(
    r"\b(the|of|and|with|for|from|is|are|was|this|that|these|not|what|which|where|here|press|"
    r"there|every|each|nothing|goes|leaves|be|will|does)\b",
    re.IGNORECASE,
)
"""Words that hold English sentences together, and that no Italian sentence has."""
_PARTED = re.compile(r"[│╭╰╮╯─┌┐└┘├┤┼┬┴…]+|\s{2,}")
_SIGNS = " ▸•△◆●■✓✗█▌▋▊▉▍▎▏0123456789"
_OPTION = re.compile(r"\d and \d")
"""What a prompt of GITA offers, as it was published."""

PLACES: dict[str, tuple[str, type[Screen], str]] = {
    "the first picture": ("", BrowseScreen, ""),
    "welcome": ("f9", BrowseScreen, "j"),
    "an answer": ("space wait", BrowseScreen, ""),
    "help on the list": ("question_mark", TextScreen, "escape"),
    "help on the item": ("tab question_mark", TextScreen, "escape"),
    "help on the ladder": ("tab question_mark", TextScreen, "escape"),
    "help on what is below": ("tab question_mark", TextScreen, "escape"),
    "the log": ("p p", BrowseScreen, "p tab"),
    "a graph": ("ctrl+g", BrowseScreen, ""),
    "help on the graph": ("tab question_mark", TextScreen, "escape ctrl+g shift+tab"),
    "palette": ("ctrl+p", CommandPalette, "escape"),
    "palette, nothing found": ("ctrl+p z q z q nothing", CommandPalette, "escape"),
    "models": ("m", ModelsScreen, "escape escape"),
    "collections": ("C", PickOne, "escape"),
    "export": ("e", ExportScreen, "escape"),
    "switches": ("s", PickOne, "escape"),
    "jump": ("ctrl+o", JumpScreen, "escape"),
    "lessons": ("f8", PickOne, "escape"),
    "wizard": ("n", WizardScreen, "ctrl+g escape"),
    "no person to answer": ("R", BrowseScreen, ""),
    "nothing to redo": ("ctrl+r", BrowseScreen, ""),
    "x-ray": ("x", BrowseScreen, ""),
    "help on the x-ray": ("question_mark", TextScreen, "escape x"),
    "trace": ("X", BrowseScreen, ""),
    "help on the trace": ("question_mark", TextScreen, "escape X"),
    "runs": ("f3", RunsScreen, ""),
    "help on the runs": ("question_mark", TextScreen, "escape f3"),
    "run": ("r", RunScreen, ""),
    "help on the run": ("question_mark", TextScreen, "escape escape"),
}
"""What is looked at: the keys to get there, the screen that is then in front, the keys back."""


@dataclass(frozen=True)
class _Look:
    """What one place shows."""

    rows: tuple[str, ...]
    keys: tuple[int, ...]
    """How many keys each bar names."""

    @property
    def cut(self) -> int:
        """How many texts are cut, or go on."""
        return sum(row.count("…") for row in self.rows)

    @property
    def parts(self) -> Iterator[str]:
        """What stands beside each other in each row."""
        for row in self.rows:
            yield from (part.strip(_SIGNS) for part in _PARTED.split(row))


async def _looks(
    code: str, size: tuple[int, int], places: dict[str, tuple[str, type[Screen], str]]
) -> dict[str, _Look]:
    """What each place shows in a language."""
    language.speak(code)
    found = {}
    async with opened(model=f"replay:{recorded_run()}", size=size) as there:
        there.browse.live.tab("live").replace("")
        await there.press("j")
        for name, (keys, kind, back) in places.items():
            await _press(there, keys)
            await there.until(lambda kind=kind: isinstance(there.app.screen, kind))
            await idle(there.pilot)
            found[name] = await _settled(there)
            await _press(there, back)
            if back:
                await there.until(lambda: there.app.screen is there.browse)
            there.app.clear_notifications()
    return found


async def _settled(there: Opened) -> _Look:
    """What is shown once it has stopped to change."""
    before, look = None, _seen(there)
    while look != before:
        await there.pilot.pause(0.1)
        before, look = look, _seen(there)
    return look


def _seen(there: Opened) -> _Look:
    screen = there.app.screen
    return _Look(
        tuple(screen_rows(there.app)),
        tuple(_named(bar) for bar in screen.query(KeyBar)),
    )


def _named(bar: KeyBar) -> int:
    """How many keys a bar names."""
    return sum(part == "key" for _, part, _ in bar.left())


async def _press(there: Opened, keys: str) -> None:
    for key in keys.split():
        if key == "wait":
            await there.until(lambda: there.browse.asking.busy is None)
        elif key == "nothing":
            # Which the palette says after a while.
            await there.until(lambda: language._("No matches found") in "".join(_seen(there).rows))
        else:
            await there.press(key)


@cache
def _data() -> str:
    """Everything that the bundled stories say, in one line."""
    read = (file.read_text(encoding="utf-8") for file in sorted((samples() / "gita").iterdir()))
    return " ".join(" ".join(read).replace("\\n", " ").split()).casefold()


def _is_english(text: str) -> bool:
    """Whether a text is English and not said by the data."""
    told = _OPTION.sub("", text)
    return _ENGLISH.search(told) is not None and text.casefold() not in _data()


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "size",
    [
        pytest.param((140, 40), id="wide", marks=pytest.mark.slow),
        pytest.param((60, 20), id="narrow"),
    ],
)
async def test_every_place_speaks_italian(size: tuple[int, int]) -> None:
    """No English is left, as much is cut as in English, and as many keys are named.

    Italian words are longer: the narrowest bar may leave one more of its keys to the help.
    """
    english, italian = await _looks("en", size, PLACES), await _looks("it", size, PLACES)
    fewer = size[0] < 80
    problems = []
    for name, look in italian.items():
        problems += [f"{name}: {part}" for part in look.parts if _is_english(part)]
        if look.cut > english[name].cut:
            problems.append(f"{name}: {look.cut} cut, in English {english[name].cut}")
        if any(n + fewer < m for n, m in zip(look.keys, english[name].keys, strict=True)):
            problems.append(f"{name}: {look.keys} keys named, in English {english[name].keys}")
    assert not problems, "\n".join(problems)


async def test_the_check_sees_english() -> None:
    """A program that is not translated is found out."""
    places = {name: PLACES[name] for name in ("the first picture", "help on the list")}
    looks = await _looks("en", (140, 40), places)
    silent = [name for name, look in looks.items() if not any(map(_is_english, look.parts))]
    assert not silent


async def test_an_italian_story_is_shown_without_its_english_until_somebody_asks_for_it() -> None:
    """The explanation is Italian too."""
    language.speak("it")
    async with opened(model=f"replay:{recorded_run()}") as there:
        await there.press("down")
        await there.until(lambda: "Le batterie sono scariche e Irene" in there.story)
        assert "flat" not in there.story
        await there.press("T")
        await there.until(lambda: "have gone flat" in there.story)


async def test_an_italian_story_has_its_english_beside_it_in_an_english_program() -> None:
    async with opened(model=f"replay:{recorded_run()}") as there:
        await there.press("down")
        await there.until(lambda: "The batteries are flat and not yet replaced" in there.story)
        assert "have gone flat" in there.story
