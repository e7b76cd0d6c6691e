"""Opens the program for a test and waits for what a person would wait for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widget import Widget

from core.files.shipped import samples
from core.text.language import _
from tests.pilots import screen_rows, settled
from tui.app.app import CommonsenseApp
from tui.browse.item_list import ItemList
from tui.browse.ladder_pane import LadderPane
from tui.browse.screen import BrowseScreen
from tui.runs.run_pane import RunPane
from tui.runs.run_screen import RunScreen
from tui.shell.model_holder import ModelPhase

WAIT = 120.0
WIDE = (140, 40)


async def until(pilot: Pilot[Any], done: Callable[[], object]) -> None:
    """Let the program run until `done`, and until all is painted that comes with it."""
    for _attempt in range(int(WAIT / 0.02)):
        if done():
            await settled(pilot)
            return
        if pilot.app.return_code == 1:
            break
        await asyncio.sleep(0.02)
    rows = screen_rows(pilot.app) if pilot.app.screen_stack else []
    shown = "\n".join(row.rstrip() for row in rows)
    raise AssertionError(f"The program did not get there; it shows:\n{shown}")


def widget_text(widget: Widget) -> str:
    """What a widget shows now, row by row."""
    return "\n".join(widget.render_line(y).text.rstrip() for y in range(widget.size.height))


async def idle(pilot: Pilot[Any]) -> None:
    """Wait until nothing is done beside the screen, except what waits for the person."""
    workers = pilot.app.workers
    await until(pilot, lambda: all(one.is_finished or one.group == "dialogue" for one in workers))


class Opened:
    """The running program, as a person sees it."""

    def __init__(self, app: CommonsenseApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def browse(self) -> BrowseScreen:
        screen = next(s for s in self.app.screen_stack if isinstance(s, BrowseScreen))
        assert isinstance(screen, BrowseScreen)
        return screen

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, done: Callable[[], object]) -> None:
        await until(self.pilot, done)

    async def ask(self) -> None:
        """Press the key that asks, and wait for the ladder."""
        await self.press("space")
        await self.until(lambda: self.browse.asking.busy is None)

    async def run_all(self) -> None:
        """Open the run over the collection, and press the key that starts it or goes on."""
        await self.press("r")
        await self.until(lambda: isinstance(self.app.screen, RunScreen))
        await self.until(lambda: bool(self.app.screen.query(RunPane)))
        await self.press("space")

    def text(self, pane: type[ItemList] | type[LadderPane]) -> str:
        """What a pane shows now, row by row."""
        return widget_text(self.browse.query_one(pane))

    @property
    def story(self) -> str:
        return widget_text(self.browse.item_text)

    @property
    def ladder(self) -> str:
        return self.text(LadderPane)

    @property
    def list(self) -> str:
        return self.text(ItemList)

    @property
    def live(self) -> str:
        return self.browse.live.tab("live").text


def many_stories(path: Path, families: int) -> Path:
    """Write invented families after the bundled ones, enough to keep a run busy."""
    bundled = json.loads((samples() / "gita" / "stories.json").read_text(encoding="utf-8"))
    stories = {}
    for number in range(families):
        for key, story in bundled.items():
            family, dash, letter = key.partition("-")
            if int(family) == number % 14:
                name = f"{number}{dash}{letter}"
                stories[name] = story | {"story_id": number, "example_id": name}
    path.write_text(json.dumps(stories), encoding="utf-8")
    return path


@asynccontextmanager
async def opened(
    *,
    path: Path | None = None,
    model: str = "demo",
    size: tuple[int, int] = WIDE,
    benchmark: str = "gita",
) -> AsyncIterator[Opened]:
    """Open the program on a collection, with its model loaded or failed."""
    app = CommonsenseApp(benchmark=benchmark, path=path, model=model)
    async with app.run_test(size=size) as pilot:
        there = Opened(app, pilot)
        settled = {ModelPhase.READY, ModelPhase.FAILED}
        await until(pilot, lambda: app.model_state.phase in settled)
        # A model that is kept in memory may be there before the screen has a title at all.
        await until(
            pilot,
            lambda: there.browse.item_text.border_title not in (None, "", _("Opening…")),
        )
        yield there
