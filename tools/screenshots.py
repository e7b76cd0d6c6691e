"""Takes the pictures in the documents from the running program.

    python tools/screenshots.py docs/images

Uses the bundled stories and the bundled model, in a home of its own, so that nothing of the
person who runs it is in the pictures.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.pilot import Pilot
from textual.screen import Screen

if TYPE_CHECKING:
    from core.layout.heatmap import HeatMap
    from tui.browse.screen import BrowseScreen

_WAIT = 30.0


async def _until(pilot: Pilot[None], done: Callable[[], bool]) -> None:
    for _ in range(int(_WAIT / 0.05)):
        await pilot.pause(0.05)
        if done():
            return
    raise TimeoutError("The program did not get there.")


def _done(screen: Screen[object]) -> bool:
    """Whether the run on the screen has come to its end."""
    from tui.runs.run_screen import RunScreen
    from tui.runs.running import RunPhase

    return isinstance(screen, RunScreen) and screen.running.phase is RunPhase.DONE


def _lists_studies(screen: Screen[object]) -> bool:
    from tui.studies.studies_screen import StudiesScreen

    return isinstance(screen, StudiesScreen) and bool(screen.list.studies)


def _heat_maps(screen: BrowseScreen) -> Sequence[HeatMap]:
    """What the open pane about blocks shows."""
    from tui.browse.export import Export

    export = screen.feature(Export)
    return export.readings() if export is not None else ()


def _read(screen: BrowseScreen) -> bool:
    """Whether all that the open pane reads has come in."""
    heat = _heat_maps(screen)[0]
    return all(None not in row.values or row.note for row in heat.rows)


async def take(
    path: Path,
    keys: Sequence[str],
    size: tuple[int, int],
    *,
    item: str = "",
    benchmark: str = "gita",
) -> None:
    """Open the program in `size` cells, press `keys`, and save its screen as an SVG picture.

    It stands on the item of that id, or on the first.

    "ask" among the keys asks the ladder and waits for it; "run" runs the collection to its end;
    "read" waits until the pane between the blocks has read everything; "listed" until the studies
    are listed.
    """
    from tui.app.app import CommonsenseApp
    from tui.browse.item_list import ItemList
    from tui.browse.screen import BrowseScreen
    from tui.shell.picture import take as take_picture

    app = CommonsenseApp(benchmark=benchmark)
    async with app.run_test(size=size) as pilot:
        await _until(pilot, lambda: app.model_state.ready)
        browse = app.screen
        assert isinstance(browse, BrowseScreen)
        await _until(pilot, lambda: browse.state is not None and browse.state.item is not None)
        assert browse.state is not None
        if item:
            browse.query_one(ItemList).cursor = browse.state.collection.find(item)
        await pilot.pause()
        for key in keys:
            if key == "ask":
                await pilot.press("space")
                await _until(pilot, lambda: browse.asking.busy is None)
            elif key == "read":
                await _until(pilot, lambda: bool(_heat_maps(browse)) and _read(browse))
            elif key == "listed":
                await _until(pilot, lambda: _lists_studies(app.screen))
            elif key == "run":
                await pilot.press("space")
                await _until(pilot, lambda: _done(app.screen))
            else:
                await pilot.press(key)
        await pilot.pause(0.3)
        path.write_text(take_picture(app).svg("commonsense-tui"), encoding="utf-8")


async def main(folder: Path) -> None:
    """Take every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    wide, plain = (140, 40), (120, 36)
    await take(folder / "browse.svg", ["ask"], wide, item="8-O0")
    await take(folder / "run.svg", ["r", "run"], plain)
    await take(folder / "xray.svg", ["ask", "tab", "tab", "x", "read"], wide, item="8-O0")
    await take(folder / "trace.svg", ["ask", "tab", "tab", "X", "read"], wide, item="8-O0")
    keys = ["tab", "v", "v", "j", "ask"]
    await take(folder / "graph.svg", keys, wide, item="ring-road:direct", benchmark="com2")
    await take(folder / "tree.svg", ["a", "ask", "p"], wide, item="kettle", benchmark="accord")
    keys = ["plus", "plus", "ask", "p"]
    await take(folder / "pyramid.svg", keys, wide, benchmark="abspyramid")
    program = Path(sys.executable).with_name("commonsense-tui")
    subprocess.run([program, "study", "trace", "gita", "--limit", "42"], check=True)
    await take(folder / "study.svg", ["f4", "listed", "enter", *"jjjjll"], plain)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {
            **{
                f"XDG_{name}_HOME": f"{home}/{name}"
                for name in ("CONFIG", "DATA", "STATE", "CACHE")
            },
            "TEXTUAL_ANIMATIONS": "none",
        }
        asyncio.run(main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")))
