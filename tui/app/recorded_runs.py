"""The way to the screen of recorded runs, and from there to the items of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.models.replay import REPLAY_PREFIX
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.browse.screen import BrowseScreen
from tui.shell.app import Shell
from tui.shell.dialogue import close_in_front
from tui.shell.program import program_of

if TYPE_CHECKING:
    from core.runs.records import Run
    from tui.runs.runs_memory import RunsMemory


class RecordedRuns:
    """Shows the recorded runs and opens one of them in the main screen."""

    def __init__(self, app: Shell, load_model: Callable[[str], object]) -> None:
        self._app = app
        self._load_model = load_model
        self._memory: RunsMemory | None = None
        """What is marked and was compared, while other screens are in front."""

    def toggle(self) -> None:
        """Show the runs; go back to them from what they opened; from the runs themselves, back."""
        # Not needed for the first picture.
        from tui.runs.runs_memory import RunsMemory
        from tui.runs.runs_screen import RunsScreen

        app = self._app
        there = next((each for each in app.screen_stack if isinstance(each, RunsScreen)), None)
        if there is not None and there is app.screen:
            there.dismiss()
        elif there is not None:
            close_in_front(there)
        else:
            self._memory = self._memory or RunsMemory()
            app.push_screen(RunsScreen(self._memory))

    async def open(self, run: Run, item: str) -> None:
        """Open the collection of a run at an item, if it is there, and load the run's answers."""
        app, program = self._app, program_of(self._app)
        first = app.screen_stack[0]
        if not isinstance(first, BrowseScreen):
            self._warn(_("A lesson is open. Start the program without it to open a run."))
            return
        if program.asking_all:
            self._warn(_("A run is asking the model. Wait for it, or cancel it, to open another."))
            return
        try:
            benchmark, path = await asyncio.to_thread(_place_of, run)
        except CommonsenseError as error:
            self._warn(str(error))
            return
        close_in_front(first)
        if path is None:
            message = _(
                "The items of this run are not here. Its answers are loaded; {key} opens another "
                "collection.",
                key=app.key("browse.collections"),
            )
            self._warn(message)
        elif first.state is not None and (first.benchmark.name, first.path) == (
            benchmark.name,
            path,
        ):
            first.list_filter.go_to(item)
        else:
            first.browse(benchmark, path, item)
        source = f"{REPLAY_PREFIX}{run.id}"
        if program.model_state.name != source or not program.model_state.ready:
            self._load_model(source)

    def _warn(self, message: str) -> None:
        self._app.notify(escape_control_characters(message), severity="warning", markup=False)


def _place_of(run: Run) -> tuple[Benchmark, Path | None]:
    """The benchmark of a run, and where its items are; None where they are not found.

    They are where they were when the run was begun, or in a bundled collection of the same
    content. Raises `CommonsenseError` where the benchmark is not installed.
    """
    from core.runs.records import RunState
    from tui.shell.collection_choices import bundled

    benchmark = registry.load(run.plan.benchmark)
    if run.state is RunState.IMPORTED:
        # Its path is that of a log.
        return benchmark, None
    path = Path(run.plan.collection)
    try:
        if run.plan.collection and path.exists():
            return benchmark, path.absolute()
    except (OSError, ValueError):
        pass
    for path in bundled(benchmark):
        if registry.open_collection(benchmark, path).content_hash == run.plan.collection_hash:
            return benchmark, path
    return benchmark, None
