"""The way to the screen of recorded runs, and from there to the items of a run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.models.replay import REPLAY_PREFIX
from core.text.errors import CommonsenseError, NotFoundError
from core.text.escaping import escape_control_characters, shortened
from core.text.language import _
from core.text.quantities import items_in_words
from tui.app.items_of_run import Candidate, candidates, named_path, recorded_path
from tui.browse.run_marks import ComparedRuns
from tui.browse.screen import BrowseScreen
from tui.runs.runs_memory import RunsMemory
from tui.shell.app import Shell
from tui.shell.dialogue import close_in_front
from tui.shell.program import Program, program_of
from tui.shell.prompts import AskText, PickOne

if TYPE_CHECKING:
    from core.models.protocol import Model
    from core.runs.records import Run


class RecordedRuns:
    """Shows the recorded runs, opens one of them in the main screen, or goes on with it."""

    def __init__(self, app: Shell) -> None:
        self._app = app
        self._memory: RunsMemory | None = None
        """What is marked and was compared, while other screens are in front."""

    @property
    def _program(self) -> Program:
        return program_of(self._app)

    def toggle(self) -> None:
        """Show the runs; go back to them from what they opened; from the runs themselves, back."""
        # Not needed for the first picture.
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

    # -- opening -------------------------------------------------------------------------------

    async def open(self, run: Run, item: str, compared: ComparedRuns | None = None) -> None:
        """Open the collection of a run at an item, and load the run's answers.

        The answers of the first of two compared runs are drawn beside them. Where it is not known
        which collection that is, the person chooses one.
        """
        first = self._first_screen()
        if first is None:
            return
        if self._program.collection_runs.asking:
            self._warn(_("A run is asking the model. Wait for it, or cancel it, to open another."))
            return
        try:
            benchmark = self._benchmark_of(run)
            path = await asyncio.to_thread(recorded_path, run, benchmark)
            path = path or await self._chosen_path(run, benchmark)
        except CommonsenseError as error:
            self._warn(str(error))
            return
        if path is None:
            return
        first.run_marks.compared = compared
        self._program.open_item(benchmark, path, item)
        source, state = f"{REPLAY_PREFIX}{run.id}", self._program.model_state
        if state.name != source or not state.ready:
            if state.model is not None and not state.model.info.recorded:
                taken = _(
                    "The recorded answers of {run} are shown in the place of {model}; {key} loads "
                    "a model again.",
                    run=run.id,
                    model=escape_control_characters(state.model.info.name),
                    key=self._program.key("browse.choose_model"),
                )
                self._app.notify(taken, markup=False)
            self._program.load_model(source)
        else:
            first.run_marks.show_recorded_run()

    async def _chosen_path(self, run: Run, benchmark: Benchmark) -> Path | None:
        """Where the items of a run are: the one place that has all of them, else what is chosen."""
        offered = await asyncio.to_thread(candidates, run, benchmark)
        whole = [each for each in offered if each.items == run.items]
        if len(whole) == 1:
            return whole[0].path
        what = _("No collection that is known here holds an item of this run as it was asked.")
        if offered:
            what = _("The items of this run are not where they were. These collections hold some.")
        lines = [_candidate_line(each, run) for each in offered]
        title = _("Items of {run}", run=run.id)
        picked = await self._app.push_screen_wait(PickOne(title, what, [*lines, _("type a path…")]))
        if picked is None:
            return None
        if picked < len(offered):
            return offered[picked].path
        what = _("A file or folder that holds the items of this run.")

        def check(text: str) -> Path:
            return named_path(text, run, benchmark)

        return await self._app.push_screen_wait(AskText(title, what, "", check))

    def _benchmark_of(self, run: Run) -> Benchmark:
        """The benchmark of a run; raises `NotFoundError` where it is not installed."""
        if run.plan.benchmark not in registry.names():
            raise NotFoundError(
                _(
                    "The items of {run} cannot be opened: no benchmark called “{name}” is "
                    "installed.",
                    run=run.id,
                    name=shortened(run.plan.benchmark),
                ),
                hint=_(
                    "Its figures are shown by {command}.",
                    command=f"commonsense-tui runs show {run.id}",
                ),
            )
        return registry.load(run.plan.benchmark)

    def _first_screen(self) -> BrowseScreen | None:
        """The main screen; None, with a warning, where a lesson is open."""
        first = self._app.screen_stack[0]
        if isinstance(first, BrowseScreen):
            return first
        self._warn(_("A lesson is open. Start the program without it to open a run."))
        return None

    # -- going on ------------------------------------------------------------------------------

    async def resume(self, run: Run) -> None:
        """Go on with a run that stopped early, or say what is missing for that."""
        # Not needed for the first picture.
        from core.runs.resuming import check_stopped, resumed_source
        from tui.runs.running import Running

        first = self._first_screen()
        if first is None:
            return
        if self._program.collection_runs.asking:
            self._warn(_("Another run is asking the model."))
            return
        try:
            check_stopped(run)
            benchmark = self._benchmark_of(run)
            path = await asyncio.to_thread(recorded_path, run, benchmark)
            if path is None:
                raise NotFoundError(
                    _("The items of run {run} are not here.", run=run.id),
                    where=run.plan.collection,
                    hint=_("Put the file back where it was."),
                )
            collection = await self._collection(first, benchmark, path)
            model = await self._model(run)
            source = await asyncio.to_thread(resumed_source, run, model, benchmark, collection)
        except CommonsenseError as error:
            self._warn(str(error))
            return
        self._program.collection_runs.add(Running(benchmark, path, collection, (run, source)))

    async def _collection(
        self, first: BrowseScreen, benchmark: Benchmark, path: Path
    ) -> Collection:
        """The collection at a path: the one that is open, where it is that."""
        shown = first.state
        if shown is not None and (first.benchmark.name, first.path) == (benchmark.name, path):
            return shown.collection
        return await asyncio.to_thread(registry.open_collection, benchmark, path)

    async def _model(self, run: Run) -> Model:
        """The model of a run, loaded if need be; raises `CommonsenseError` if it is not here."""
        from core.runs.resuming import model_name
        from tui.shell.model_choices import folders

        state = self._program.model_state
        if state.model is not None and state.model.info.fingerprint == run.plan.fingerprint:
            return state.model
        searched = folders(self._program.config.model_folders)
        name = await asyncio.to_thread(model_name, run.plan, searched)
        await self._program.load_model(name).wait()
        state = self._program.model_state
        if state.model is None:
            raise NotFoundError(state.error or _("The model was not loaded."), where=name)
        return state.model

    def _warn(self, message: str) -> None:
        self._app.notify(escape_control_characters(message), severity="warning", markup=False)


def _candidate_line(candidate: Candidate, run: Run) -> str:
    held = _("{n:,} of {items}", n=candidate.items, items=items_in_words(run.items))
    return f"{candidate.label}  ({held})"
