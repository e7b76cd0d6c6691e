"""What is known before the screen is taken: a path that is wrong, and whose data it is."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.contract import registry
from core.text.errors import DataError
from tests.tui.support import until
from tui.app.opening import make_program
from tui.browse.screen import BrowseScreen

ROW = '{"event": "<a cat> sat", "concept": "animal", "label": 1, "type": "noun"}\n'


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """The program collects no garbage until its first picture, which some tests never draw."""
    yield
    gc.enable()


def test_recognised_data_are_not_opened_before_the_screen_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*_: object) -> None:
        raise AssertionError("opened before the first picture")

    path = tmp_path / "rows.jsonl"
    path.write_text(ROW, encoding="utf-8")
    monkeypatch.setattr(registry, "open_collection", opened)
    screen = make_program(path, None, None).get_default_screen()
    assert isinstance(screen, BrowseScreen)
    assert (screen.benchmark.name, screen.path) == ("abspyramid", path)


@pytest.mark.parametrize("text", ["", "garbage\n", '{"a": 1}\n'])
def test_what_nothing_can_read_is_refused_before_the_screen_is_taken(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError):
        make_program(path, None, None)


async def test_recognised_data_that_cannot_be_read_are_told_in_the_pane(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"event": 1, "concept": 2}\n' + ROW.replace('"animal"', '""'))
    app = make_program(path, None, None)
    async with app.run_test() as pilot:
        screen = app.screen_stack[0]
        assert isinstance(screen, BrowseScreen)
        pane = screen.item_text
        await until(pilot, lambda: "cannot be used" in str(pane.border_title))
        assert screen.state is None
