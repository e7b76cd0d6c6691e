"""The program as its screens and widgets use it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from textual.app import App
    from textual.signal import Signal
    from textual.worker import Worker

    from core.contract.benchmark import Benchmark
    from core.contract.collection import Collection
    from core.files.config import Config
    from core.runs.records import Run
    from tui.runs.running import Running
    from tui.shell.command import Command
    from tui.shell.model_holder import ModelState


class Program(Protocol):
    """The one model, the runs, and the way to other screens."""

    config: Config
    model_state: ModelState
    model_signal: Signal[ModelState]
    log_lines: deque[str]
    log_signal: Signal[str]
    run_signal: Signal[Running]
    runs: list[Running]
    """The runs over collections that were opened here."""

    def log_line(self, line: str) -> None:
        """Add lines to the engine's log."""
        ...

    @property
    def asking_all(self) -> bool:
        """Whether a run is asking the model."""
        ...

    def commands(self, where: str) -> tuple[Command, ...]:
        """The commands of a place, with the person's own keys."""
        ...

    def key(self, name: str) -> str:
        """The first key of a command ("browse.ask"), as a person reads it."""
        ...

    async def choose_model(self) -> None:
        """Choose a model from the folders, and load it."""
        ...

    async def choose_collection(self, present: Benchmark) -> None:
        """Choose a collection and open it."""
        ...

    def remember(self, benchmark: Benchmark, path: Path) -> None:
        """Keep what was opened among the recent files."""
        ...

    async def make_item(self, benchmark: Benchmark) -> None:
        """Make an item of one's own."""
        ...

    def open_funnel(
        self,
        benchmark: Benchmark,
        path: Path,
        collection: Collection,
        *,
        listed: Sequence[int],
        failed: Sequence[int],
    ) -> None:
        """Show the run over a collection; `listed` and `failed` are items that it may ask."""
        ...

    def show_funnel(self, running: Running) -> None:
        """Show a run over a collection that was opened before."""
        ...

    def open_run(self, run: Run, item: str = "") -> None:
        """Open the items of a recorded run with its answers, at an item if one is named."""
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

    def add_run(self, running: Running) -> None:
        """Keep a run in the place of an earlier one over its collection, and start it."""
        ...

    async def answer_all(self, benchmark: Benchmark, path: Path, collection: Collection) -> None:
        """Let the person at the keys answer a collection."""
        ...

    def start_or_pause(self, running: Running) -> Any:
        """Start a run, pause it, or go on with it."""
        ...

    def choose_run(self, running: Running) -> Any:
        """Choose what another run over the same collection asks."""
        ...

    def restart_run(self, running: Running) -> Any:
        """Ask the whole collection again, into another run."""
        ...

    def sum_up(self, running: Running) -> Any:
        """Take a run's figures again."""
        ...


def program_of(app: App[Any]) -> Program:
    """The app as a `Program`; screens cannot import its class, which imports them."""
    return cast("Program", app)
