"""Collections opened lately: remembered, offered, marked when they are gone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from core.contract import registry
from core.files.shipped import samples
from core.text.errors import DataError
from tests.pilots import notices
from tests.tui.support import Opened, opened
from tui.shell import recent
from tui.shell.collection_choices import bundled, offered_collections
from tui.shell.prompts import PickOne
from tui.shell.recent import MOST, Recent


def test_the_newest_stands_first_and_none_twice(tmp_path: Path) -> None:
    for name in ("a", "b", "a"):
        recent.remember("gita", tmp_path / name)
    assert recent.read() == [Recent("gita", tmp_path / "a"), Recent("gita", tmp_path / "b")]
    for number in range(2 * MOST):
        recent.remember("gita", tmp_path / str(number))
    assert len(recent.read()) == MOST
    assert recent.read()[0].path.name == str(2 * MOST - 1)
    assert [file.name for file in recent.place().parent.iterdir()] == ["recent.json"]


@pytest.mark.parametrize(
    "damage", ["", "{", "3", '[3, {"path": 1}, {"benchmark": "gita"}]', "[" * 90_000, "\0"]
)
def test_a_damaged_file_is_begun_anew(tmp_path: Path, damage: str) -> None:
    recent.place().parent.mkdir(parents=True)
    recent.place().write_text(damage)
    assert recent.read() == []
    recent.remember("gita", tmp_path)
    assert recent.read() == [Recent("gita", tmp_path)]


@pytest.mark.timeout(60)
def test_a_pipe_in_its_place_is_not_waited_for() -> None:
    recent.place().parent.mkdir(parents=True)
    os.mkfifo(recent.place())
    assert recent.read() == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    recent.place().parent.parent.mkdir(parents=True)
    recent.place().parent.write_text("in the way")
    with pytest.raises(DataError, match="cannot be remembered"):
        recent.remember("gita", tmp_path)


def test_other_peoples_names_and_what_is_offered_anyway_are_left_out(tmp_path: Path) -> None:
    recent.remember("nobody-has-this", tmp_path)
    recent.remember("gita", registry.load("gita").samples())
    known, _ = registry.loaded()
    shipped = [path for benchmark in known for path in bundled(benchmark)]
    assert [place.path for place in offered_collections(known)] == shipped


async def offered(program: Opened) -> str:
    await program.press("C")
    await program.until(lambda: isinstance(program.app.screen, PickOne))
    await program.pilot.pause()
    options = program.app.screen.query_one("OptionList")
    return "\n".join(str(option.prompt) for option in options.options)  # type: ignore[attr-defined]


async def test_what_was_opened_is_offered_again_and_marked_once_it_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "mine [b].json"
    shutil.copy(samples() / "gita" / "stories.json", path)
    async with opened(path=path) as program:
        await program.until(lambda: len(recent.read()) == 1)
    async with opened() as program:
        lines = (await offered(program)).split("\n")
        assert lines[-2].endswith("mine [b].json")
        await program.press(*["j"] * (len(lines) - 2), "enter")
        await program.until(lambda: program.browse.path == path)
        await program.until(lambda: program.browse.state is not None)
        path.unlink()
        assert "mine [b].json  (missing)" in await offered(program)
        await program.press("enter")
        await program.until(lambda: len(notices(program.app)) > 0)
        assert any("nothing any more" in note for note in notices(program.app))
        assert program.browse.state is not None


async def test_what_cannot_be_opened_is_not_remembered(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text("my diary")
    async with opened(path=path):
        assert recent.read() == []
