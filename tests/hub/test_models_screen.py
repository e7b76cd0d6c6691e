"""The list of models fetches a published one when the person says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.files.config import Config
from core.hub import catalogue, record
from core.hub.catalogue import KnownModel
from core.models.resolver import demo_file
from tests.hub.hub_server import Fault, Published
from tests.tui.screen_host import ScreenHost
from tests.tui.support import idle, until
from tui.browse.model_list import ModelList
from tui.browse.models_screen import ModelsScreen
from tui.shell.model_choices import Kind
from tui.shell.model_holder import ModelState
from tui.shell.prompts import PickOne

NAME = "hf:owner/repo:Q8_0"


@pytest.fixture(autouse=True)
def _listed(published: Published, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One published model in the list, and this server as its publisher."""
    monkeypatch.chdir(tmp_path)
    published.files["models/owner/repo"] = {"m-Q8_0.gguf": demo_file().read_bytes()}
    row = KnownModel(NAME, "Tiny", "0.003 B", "instruct", "Q8_0", 3, "Apache-2.0", "2026-01-01")
    monkeypatch.setattr(catalogue, "models", lambda: [row])


def host() -> ScreenHost:
    return ScreenHost(lambda: ModelsScreen(Config(), ModelState()))


def entries(screen: ModelsScreen, kind: Kind) -> list[str]:
    return [entry.name for entry in screen.entries if entry.kind is kind]


async def offered(pilot: Pilot[None]) -> ModelsScreen:
    """The screen with the question whether the published model is to be fetched."""
    screen = pilot.app.screen
    assert isinstance(screen, ModelsScreen)
    await until(pilot, lambda: entries(screen, Kind.PUBLISHED) == ["Tiny"])
    await idle(pilot)
    listed = screen.query_one(ModelList)
    listed.cursor = f"{Kind.PUBLISHED}:{NAME}"
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, PickOne))
    return screen


async def test_a_published_model_is_fetched_and_becomes_a_file(published: Published) -> None:
    async with host().run_test(size=(100, 40)) as pilot:
        screen = await offered(pilot)
        assert published.requests == []
        await pilot.press("enter")
        await until(pilot, lambda: entries(screen, Kind.FILE) == ["m-Q8_0.gguf"])

        assert entries(screen, Kind.PUBLISHED) == []
        entry = screen.query_one(ModelList).entry()
        assert entry is not None
        assert entry.name == "m-Q8_0.gguf"
        assert [each.name for each in record.read()] == [NAME]


async def test_a_model_that_memory_cannot_hold_says_so(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.shell.model_choices.available_memory", lambda: 2_000_000)
    async with host().run_test(size=(100, 40)) as pilot:
        await offered(pilot)

        screen = pilot.app.screen_stack[-2]
        assert isinstance(screen, ModelsScreen)
        entry = screen.query_one(ModelList).entry()
        assert entry is not None
        assert "needs about 3.0 MB of memory; 2.0 MB are free" in entry.trouble


async def test_nothing_is_fetched_when_the_person_says_not_now(published: Published) -> None:
    async with host().run_test(size=(100, 40)) as pilot:
        await offered(pilot)
        await pilot.press("j", "enter")
        await idle(pilot)

        assert published.requests == []


def _another_licence(published: Published) -> None:
    published.card = {"license": "other"}


def _wrong_content(published: Published) -> None:
    published.faults = [Fault(wrong=True)]


@pytest.mark.parametrize(
    ("spoil", "said"), [(_another_licence, "licence is now other"), (_wrong_content, "checksum")]
)
async def test_a_failure_is_told_below_the_list(
    published: Published, spoil: Callable[[Published], None], said: str
) -> None:
    spoil(published)
    async with host().run_test(size=(100, 40)) as pilot:
        screen = await offered(pilot)
        await pilot.press("enter")
        await until(
            pilot,
            lambda: Kind.PUBLISHED in screen.notes and said in screen.notes[Kind.PUBLISHED][0],
        )

        assert entries(screen, Kind.FILE) == []
        assert record.read() == []
