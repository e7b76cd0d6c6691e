"""The program as its screens and widgets use it."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from textual.app import App
    from textual.worker import Worker

    from core.contract.benchmark import Benchmark
    from core.files.config import Config
    from core.runs.records import Run
    from tui.app.collection_runs import CollectionRuns
    from tui.shell.command import Command, Place
    from tui.shell.drawn_head import DrawnHead
    from tui.shell.model_holder import ModelState
    from tui.shell.signal import Signal


class Program(Protocol):
    """The one model, the runs, and the way to other screens."""

    config: Config
    model_state: ModelState
    model_signal: Signal[ModelState]
    log_lines: deque[str]
    log_signal: Signal[str]
    collection_runs: CollectionRuns

    def log_line(self, line: str) -> None:
        """Add lines to the engine's log."""
        ...

    def commands(self, where: Place) -> tuple[Command, ...]:
        """The commands of a place, with the person's own keys."""
        ...

    def key(self, name: str) -> str:
        """The first key of a command ("browse.ask"), as a person reads it."""
        ...

    async def choose_model(self) -> None:
        """Choose a model from the folders, and load it."""
        ...

    async def choose_collection(self, present: Benchmark, path: Path) -> None:
        """Choose a collection and open it."""
        ...

    def remember(self, benchmark: Benchmark, path: Path) -> None:
        """Keep what was opened among the recent files."""
        ...

    async def make_item(self, benchmark: Benchmark) -> None:
        """Make an item of one's own."""
        ...

    def open_run(self, run: Run, item: str = "") -> None:
        """Open the items of a recorded run with its answers, at an item if one is named."""
        ...

    def open_item(
        self, benchmark: Benchmark, path: Path, item: str, head: DrawnHead | None = None
    ) -> None:
        """Show an item of a collection in the main screen, in front of everything.

        With a head its attention is drawn on the item.
        """
        ...

    def open_both(self, first: Run, second: Run, item: str, letters: tuple[str, str]) -> None:
        """Open an item with the answers of two compared runs on its ladder."""
        ...

    def load_model(self, name: str) -> Worker[None]:
        """Unload the present model and load another."""
        ...

    def resume_run(self, run: Run) -> None:
        """Go on with a recorded run that stopped early."""
        ...


def program_of(app: App[Any]) -> Program:
    """The app as a `Program`; screens cannot import its class, which imports them."""
    return cast("Program", app)
