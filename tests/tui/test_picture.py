"""A picture of whatever screen there is: as SVG that asks for nothing, and as text."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from textual.command import CommandPalette
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

from tests.exchange.exporters import chromium
from tests.pilots import screen_rows
from tests.tui.support import Opened, idle, opened
from tui.authoring.wizard import WizardScreen
from tui.browse.models_screen import ModelsScreen
from tui.browse.screen import BrowseScreen
from tui.runs.run_screen import RunScreen
from tui.shell.dialogue import Dialogue
from tui.shell.jump import JumpScreen
from tui.shell.picture import Picture, picture_of
from tui.shell.picture_dialogue import PictureScreen
from tui.shell.text_screen import TextScreen

SVG = "{http://www.w3.org/2000/svg}"
CELL = (12, 23)
HOSTILE = "</text><script>alert(1)</script>&amp;\x1b[31m\x00\u202e]]>"


def lettered(text: str) -> list[str]:
    """What an SVG file shows, letter by letter at its cell, as lines."""
    root = ElementTree.fromstring(text)
    rows = ["" for _ in range(int(root.attrib["height"]) // CELL[1])]
    for part in root.iter(f"{SVG}text"):
        row, at = int(part.attrib["y"]) // CELL[1], int(part.attrib["x"]) // CELL[0]
        assert cell_len(rows[row]) <= at
        assert int(part.attrib["textLength"]) == CELL[0] * cell_len(part.text or "")
        rows[row] += " " * (at - cell_len(rows[row])) + (part.text or "")
    return rows


@given(
    st.lists(
        st.lists(
            st.tuples(st.text(max_size=12), st.sampled_from(["", "bold", "dim reverse", "red"])),
            max_size=4,
        ),
        max_size=4,
    )
)
def test_any_cells_are_an_svg_file_with_the_same_letters(
    lines: list[list[tuple[str, str]]],
) -> None:
    segments = [[Segment(text, Style.parse(look)) for text, look in line] for line in lines]
    picture = picture_of(segments, DEFAULT_TERMINAL_THEME)
    kept = picture.text().split("\n")[:-1]
    assert len(kept) == len(lines)
    # U+FFFE and U+FFFF may not stand in XML at all.
    drawn = lettered(picture.svg(HOSTILE))
    assert [row.rstrip() for row in drawn] == [
        re.sub("[\ufffe\uffff]", "\ufffd", row) for row in kept
    ]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", picture.text())


def test_wide_letters_take_two_cells_and_those_behind_stand_where_they_stood() -> None:
    picture = picture_of([[Segment("a 故事 b")]], DEFAULT_TERMINAL_THEME)
    root = ElementTree.fromstring(picture.svg("t"))
    parts = [(p.text, p.attrib["x"], p.attrib["textLength"]) for p in root.iter(f"{SVG}text")]
    assert parts == [("a", "0", "12"), ("故事", "24", "48"), ("b", "84", "12")]


# -- from the program ------------------------------------------------------------------------------


WAYS: dict[str, tuple[tuple[str, ...], type[Screen]]] = {
    "browse": ((), BrowseScreen),
    "run": (("r",), RunScreen),
    "wizard": (("n",), WizardScreen),
    "models": (("m",), ModelsScreen),
    "help": (("question_mark",), TextScreen),
    "jump": (("ctrl+o",), JumpScreen),
    "palette": (("ctrl+p",), CommandPalette),
}
"""The keys that lead to a screen, and which screen it is."""


def seen(program: Opened) -> list[str]:
    """The cells of the terminal."""
    return [row.rstrip() for row in screen_rows(program.app)]


async def asked(program: Opened) -> PictureScreen:
    """Press the key, and wait for the dialogue."""
    await program.press("f2")
    await program.until(lambda: isinstance(program.app.screen, PictureScreen))
    await program.until(lambda: bool(program.app.screen.query(Input)))
    await program.pilot.pause()
    screen = program.app.screen
    assert isinstance(screen, PictureScreen)
    return screen


async def written(program: Opened, path: Path) -> str:
    """Write the picture to a file, by its name."""
    dialogue = await asked(program)
    dialogue.query_one(Input).value = str(path)
    await program.pilot.pause()
    await program.press("enter")
    await program.until(lambda: not isinstance(program.app.screen, PictureScreen))
    return path.read_text(encoding="utf-8")


async def test_the_screen_is_written_as_it_was_and_comes_back(tmp_path: Path) -> None:
    async with opened(model="/nowhere.gguf", size=(100, 30)) as program:
        for name, (keys, kind) in WAYS.items():
            await program.press(*keys)
            await program.until(lambda kind=kind: isinstance(program.app.screen, kind))
            await idle(program.pilot)
            front, shown = program.app.screen, seen(program)
            assert sum(map(bool, shown)) > 10
            text = await written(program, tmp_path / f"{name}.txt")
            assert text.split("\n")[:-1] == shown, name
            assert program.app.screen is front
            svg = await written(program, tmp_path / f"{name}.svg")
            assert "Picture of the screen" not in text + svg
            if kind is not CommandPalette:
                # What is said of the first file stands in the corner now; the rest is as it was.
                same = [a == b for a, b in zip(lettered(svg), shown, strict=True)]
                assert sum(same) >= len(same) - 8, name
            if front is not program.browse:
                front.dismiss()
            await program.until(lambda: program.app.screen is program.browse)
            program.app.clear_notifications()
            await program.pilot.pause()


async def test_the_palette_writes_what_is_behind_it(tmp_path: Path) -> None:
    async with opened(model="/nowhere.gguf") as program:
        shown = seen(program)
        await program.press("ctrl+p")
        await program.until(lambda: isinstance(program.app.screen, CommandPalette))
        await program.press(*"picture")
        await idle(program.pilot)
        assert program.app.screen.query_one(OptionList).option_count
        await program.press("enter")
        await program.until(lambda: isinstance(program.app.screen, PictureScreen))
        await program.pilot.pause()
        program.app.screen.query_one(Input).value = str(tmp_path / "a.txt")
        await program.press("enter")
        await program.until(lambda: program.app.screen is program.browse)
    assert (tmp_path / "a.txt").read_text(encoding="utf-8").split("\n")[:-1] == shown


async def test_the_ending_says_the_kind_and_the_kind_the_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(model="/nowhere.gguf") as program:
        dialogue = await asked(program)
        line, kinds = dialogue.query_one(Input), dialogue.query_one(OptionList)
        assert re.fullmatch(r"screen-[\d-]+\.svg", Path(line.value).name)
        assert Path(line.value).parent == tmp_path
        await program.press("j")
        assert line.value.endswith(".txt")
        line.value = str(tmp_path / "mine.SVG")
        await program.pilot.pause()
        assert kinds.highlighted == 0
        # The same key leads into no second one.
        await program.press("f2")
        assert program.app.screen is dialogue
        await program.press("escape")
        await program.until(lambda: program.app.screen is program.browse)
        assert list(tmp_path.iterdir()) == []


async def test_only_the_same_again_writes_over_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("mine")
    async with opened(model="/nowhere.gguf") as program:
        dialogue = await asked(program)
        dialogue.query_one(Input).value = str(file)
        await program.pilot.pause()
        await program.press("enter")
        said = dialogue.query_one("#said", Static)
        await program.until(lambda: "enter again" in str(said.render()))
        assert file.read_text() == "mine"
        await program.press("enter")
        await program.until(lambda: program.app.screen is program.browse)
    assert "Ladder" in file.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


async def test_what_cannot_be_written_is_told_in_the_dialogue(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with opened(model="/nowhere.gguf") as program:
        for place in ("", "file/a.svg", "a\0b.svg"):
            dialogue = await asked(program)
            dialogue.query_one(Input).value = f"{tmp_path}/{place}"
            await program.pilot.pause()
            await program.press("enter")
            said = dialogue.query_one("#said", Static)
            await program.until(lambda said=said: said.has_class("-bad"))
            assert program.app.screen is dialogue
            await program.press("escape")
            await program.until(lambda: program.app.screen is program.browse)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


async def test_hostile_text_stays_text(tmp_path: Path) -> None:
    async with opened(model="/nowhere.gguf") as program:
        program.app.push_screen(TextScreen("About", text=HOSTILE))
        await program.until(lambda: isinstance(program.app.screen, TextScreen))
        await program.pilot.pause()
        rows = lettered(await written(program, tmp_path / "a.svg"))
    shown = "</text><script>alert(1)</script>&amp;␛[31m␀⟨RLO⟩]]>"
    assert any(shown in row for row in rows)


# -- in a browser ----------------------------------------------------------------------------------


async def test_a_browser_opens_the_picture_and_asks_for_nothing_else(
    browser: chromium.Browser, tmp_path: Path
) -> None:
    async with opened(model="/nowhere.gguf") as program:
        svg = await written(program, tmp_path / "a.svg")
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    page = browser.page(1700, 940)
    page.open((tmp_path / "a.svg").as_uri())
    assert page.requests == [(tmp_path / "a.svg").as_uri()]
    assert page.said == []
    assert page.js("document.documentElement.tagName") == "svg"
    # Every text is as wide as its cells, in whatever font the browser has.
    off = page.js(
        "Math.max(...[...document.querySelectorAll('text')].map(text => "
        "Math.abs(text.getBBox().width - text.getAttribute('textLength'))))"
    )
    assert off < CELL[0] / 2


def test_a_screen_without_a_line_is_an_empty_picture() -> None:
    assert Picture(()).text() == ""
    assert ElementTree.fromstring(Picture(()).svg("t")).attrib["height"] == "0"


async def test_a_dialogue_opens_in_the_narrowest_terminal() -> None:
    async with opened(size=(5, 2)) as program:
        for key in ("f2", "C", "e"):
            await program.press(key)
            await program.until(lambda: isinstance(program.app.screen, Dialogue))
            await program.press("escape")
            await program.until(lambda: not isinstance(program.app.screen, Dialogue))
