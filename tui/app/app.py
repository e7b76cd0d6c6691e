"""The program: puts the browse screen, the model and the runs together."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, work
from textual.screen import Screen
from textual.signal import Signal

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.question import Question
from core.files import paths
from core.files.config import Config
from core.text.errors import CommonsenseError, ConfigError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.app.recorded_runs import RecordedRuns
from tui.app.welcome import Welcome
from tui.authoring.graph_editing import GraphEditing
from tui.authoring.review import SuggestionReview
from tui.blocks.controller import BlocksController
from tui.browse.feature import Feature
from tui.browse.item_screen import ItemScreen
from tui.browse.run_marks import ComparedRun
from tui.browse.screen import BrowseScreen
from tui.lessons.feature import Lessons
from tui.shell.app import Shell
from tui.shell.model_holder import ModelPhase, ModelState

if TYPE_CHECKING:
    from core.runs.records import Run
    from tui.runs.answering import RunSession
    from tui.runs.choices import Items
    from tui.runs.running import Running

FEATURES: tuple[type[Feature], ...] = (BlocksController, GraphEditing, SuggestionReview, Lessons)
"""The features that are plugged into every item screen."""
_OLDEST_GENERATION_THRESHOLD = 500
"""Garbage-collector threshold of the oldest generation; Python's own is 10."""


class CommonsenseApp(Shell):
    """Browses a benchmark: one model, the runs over collections, and the ways to other screens."""

    TITLE = "commonsense-tui"
    # Textual does not load the CSS_PATH of a default screen.
    CSS_PATH = "../browse/browse.tcss"

    def __init__(
        self,
        *,
        benchmark: str | None = None,
        path: Path | None = None,
        collection: Collection | None = None,
        config: Config | None = None,
        model: str | None = None,
        problems: Sequence[ConfigError] = (),
    ) -> None:
        """`problems` are what is wrong with the configuration."""
        self.model_state = ModelState()
        super().__init__(config, problems=problems)
        # A person who names what to open knows the program already.
        self._greets = benchmark is None and path is None
        self._welcome = Welcome(self)
        self._recorded_runs = RecordedRuns(self)
        self.model_signal: Signal[ModelState] = Signal(self, "model")
        self._benchmark: Benchmark = registry.load(benchmark or registry.default())
        self._path = path or self._benchmark.samples()
        self._collection = collection
        self._first_model = model or self.config.model or "demo"
        self.run_signal: Signal[Running] = Signal(self, "run")
        self.runs: list[Running] = []
        self._run_session: RunSession | None = None

    def get_default_screen(self) -> Screen[None]:
        """The first screen: there is no empty one before it."""
        return BrowseScreen(self._benchmark, self._path, self._collection, FEATURES)

    def on_mount(self) -> None:
        """Do the rest after the first paint."""
        self.end_cleanly()
        self.call_after_refresh(self._settle)

    async def on_event(self, event: events.Event) -> None:
        """Let a key or a click close the welcome card before it does anything else."""
        if not self._welcome.consumes(event):
            await super().on_event(event)

    def action_welcome(self) -> None:
        """Show the welcome card."""
        self._welcome.show()

    def _settle(self) -> None:
        """Apply the person's themes and keys, then load the model."""
        # Objects made until now stay to the end, and so do the verdicts of a run. Collecting
        # garbage among them would find nothing and stop the program for 50 to 200 ms.
        gc.freeze()
        gc.set_threshold(*gc.get_threshold()[:2], _OLDEST_GENERATION_THRESHOLD)
        gc.enable()
        self.take_settings()
        if self._greets:
            self._welcome.show_once()
        self.load_model(self._first_model)

    # -- the model -----------------------------------------------------------------------------

    @work(exclusive=True, group="model", exit_on_error=False)
    async def load_model(self, name: str) -> None:
        """Unload the present model and load another."""
        from core.models.resolver import load_model
        from core.runs.replay import replay

        await self._unload_model()
        self.set_model_state(ModelState(ModelPhase.LOADING, name))
        try:
            model = await load_model(
                name,
                on_progress=lambda share: self._loading(name, share),
                on_log=self.log_line,
                replay=partial(replay, paths.runs()),
                person=self.ask_person,
                gpu_layers=self.config.gpu_layers,
            )
        except CommonsenseError as error:
            self.set_model_state(ModelState(ModelPhase.FAILED, name, error=str(error)))
            return
        self.set_model_state(ModelState(ModelPhase.READY, name, 1.0, model))

    async def ask_person(self, question: Question) -> tuple[int, ...]:
        """Ask the person at the keyboard; raises `CancelledError` if they leave the question."""
        if self._run_session is not None:
            return await self._run_session.put(question)
        from core.models.person import PERSON_PREFIX
        from tui.runs.answer_screen import AnswerScreen

        name = self.model_state.name.removeprefix(PERSON_PREFIX)
        picked = await self.push_screen_wait(AnswerScreen(question, name))
        if picked is None:
            raise asyncio.CancelledError
        return picked

    def _loading(self, name: str, share: float) -> None:
        # A replaced worker loads again; that is only logged.
        if self.model_state.phase is ModelPhase.LOADING:
            self.set_model_state(ModelState(ModelPhase.LOADING, name, progress=share))

    async def _unload_model(self) -> None:
        model = self.model_state.model
        if model is not None:
            self.model_state = ModelState()
            # Shielded, so that the weights are freed even if this task is cancelled.
            await asyncio.shield(model.close())

    def set_model_state(self, state: ModelState) -> None:
        """Take over a new state of the model; a run that waited for it begins."""
        self.model_state = state
        self.model_signal.publish(state)
        if state.phase is not ModelPhase.LOADING:
            for running in self.runs:
                if running.wanted:
                    running.wanted = False
                    self.start_or_pause(running)
                    self.run_signal.publish(running)

    async def choose_model(self) -> None:
        """Choose a model from the folders, and load it."""
        from tui.browse.models_screen import ModelsScreen

        name = await self.push_screen_wait(ModelsScreen(self.config, self.model_state))
        if name is not None:
            self.load_model(name)

    # -- screens -------------------------------------------------------------------------------

    async def choose_collection(self, present: Benchmark) -> None:
        """Choose a collection, bundled, own or named by its path, and open it."""
        from tui.shell.collection_choices import places
        from tui.shell.prompts import AskText, PickOne, existing_path

        known, broken = await asyncio.to_thread(registry.loaded)
        for error in broken:
            self.log_line(escape_control_characters(str(error)))
        offered = await asyncio.to_thread(places, known)
        lines = [*(place.label for place in offered), _("type a path…")]
        what = _("What to browse.")
        if present.author is not None:
            what = _("What to browse. n makes items of your own.")
        picked = await self.push_screen_wait(PickOne(_("Collection"), what, lines))
        if picked is None:
            return
        if picked < len(offered):
            chosen = offered[picked]
            if chosen.missing:
                message = _(
                    "There is nothing any more at {path}.",
                    path=escape_control_characters(str(chosen.path)),
                )
                self.notify(message, severity="warning", markup=False)
                return
            self._browse(chosen.benchmark, chosen.path)
            return
        what = _("A file or folder of {benchmark} items.", benchmark=present.title)
        path = await self.push_screen_wait(AskText(_("Path"), what, "", existing_path))
        if path is not None:
            self._browse(present, path)

    @work(thread=True, group="remember", exit_on_error=False)
    def remember(self, benchmark: Benchmark, path: Path) -> None:
        """Add a collection to the recent files, unless it is bundled or the person's own."""
        from tui.shell import recent
        from tui.shell.collection_choices import bundled

        own = (paths.own(benchmark.name), paths.own_folder(benchmark.name))
        if path in (*bundled(benchmark), *own):
            return
        try:
            recent.remember(benchmark.name, path)
        except CommonsenseError as error:
            self.call_from_thread(self.log_line, escape_control_characters(str(error)))

    def _browse(self, benchmark: Benchmark, path: Path) -> None:
        first = self.screen_stack[0]
        if isinstance(first, BrowseScreen):
            first.browse(benchmark, path)

    async def make_item(self, benchmark: Benchmark) -> None:
        """Make an item, then open the collection that it was added to."""
        if benchmark.author is None:
            self.notify(_("This benchmark has no way to make an item."), severity="warning")
            return
        from tui.authoring.wizard import WizardScreen

        path = await self.push_screen_wait(WizardScreen(benchmark, paths.own(benchmark.name)))
        if path is not None:
            self._browse(benchmark, path)

    # -- runs ----------------------------------------------------------------------------------

    @property
    def _asking_one(self) -> bool:
        """Whether the ladder of an item is being asked."""
        first = self.screen_stack[0]
        return isinstance(first, ItemScreen) and first.asking.busy is not None

    @property
    def asking_all(self) -> bool:
        """Whether a run is asking the model right now."""
        return any(running.busy for running in self.runs)

    def action_runs(self) -> None:
        """Show the recorded runs, or go back from them."""
        self._recorded_runs.toggle()

    def open_run(self, run: Run, item: str = "") -> None:
        """Open the items of a recorded run with its answers, at an item if one is named."""
        self._open_run(run, item, None)

    def open_both(self, first: Run, second: Run, item: str, letters: tuple[str, str]) -> None:
        """Open an item with the answers of two compared runs on its ladder."""
        self._open_run(second, item, ComparedRun(first.id, second.id, letters))

    def _open_run(self, run: Run, item: str, compared: ComparedRun | None) -> None:
        self.run_worker(
            self._recorded_runs.open(run, item, compared),
            group="replay",
            exclusive=True,
            exit_on_error=False,
        )

    def resume_run(self, run: Run) -> None:
        """Go on with a recorded run that stopped early."""
        self.run_worker(
            self._recorded_runs.resume(run), group="replay", exclusive=True, exit_on_error=False
        )

    def add_run(self, running: Running) -> None:
        """Keep a run in the place of an earlier one over its collection, and start it."""
        self.runs = [each for each in self.runs if each.collection is not running.collection]
        self.runs.append(running)
        self.start_or_pause(running)

    def open_funnel(
        self,
        benchmark: Benchmark,
        path: Path,
        collection: Collection,
        *,
        listed: Sequence[int],
        failed: Sequence[int],
    ) -> None:
        """Show the run over a collection; it continues in the background.

        Before it begins a person may choose those `listed`, where the list leaves some out, or
        those that `failed`: positions in the collection.
        """
        from tui.runs.choices import Items

        running = self._run_over(benchmark, path, collection)
        self._offer(running, Items(len(collection), listed, failed))
        self.show_funnel(running)

    def _offer(self, running: Running, items: Items) -> None:
        """Offer items before a run, with the time that it takes by what is recorded."""
        from tui.runs.expected_time import TimePerItem

        benchmark = running.benchmark.name
        time = TimePerItem(paths.runs(), benchmark, lambda: self.model_state.model)
        running.options.offer(items, time)

    def choose_run(self, running: Running) -> None:
        """Choose what another run over the same collection asks, where this one has ended."""
        from tui.runs.running import Running, RunPhase

        if running.phase in {RunPhase.GOING, RunPhase.PAUSED}:
            message = _("This run is not at its end: cancel it first, or let it finish.")
            self.notify(message, severity="warning", markup=False)
        elif running.phase is not RunPhase.IDLE:
            fresh = Running(running.benchmark, running.path, running.collection)
            fresh.options = running.options
            self._offer(fresh, running.options.items)
            self.runs = [each for each in self.runs if each is not running] + [fresh]
            self.pop_screen()
            self.show_funnel(fresh)

    def show_funnel(self, running: Running) -> None:
        """Show a run over a collection that was opened before."""
        from tui.runs.screen import FunnelScreen

        self.push_screen(FunnelScreen(running))

    def _run_over(self, benchmark: Benchmark, path: Path, collection: Collection) -> Running:
        """The run over a collection, started or not."""
        from tui.runs.running import Running

        running = next((run for run in self.runs if run.collection is collection), None)
        if running is None:
            running = Running(benchmark, path, collection)
            self.runs.append(running)
        return running

    async def answer_all(self, benchmark: Benchmark, path: Path, collection: Collection) -> None:
        """Let the person at the keyboard answer a collection; their answers become a run."""
        from core.models.protocol import Answering
        from tui.annotation.screen import AnnotatingScreen
        from tui.runs.answering import RunSession

        model = self.model_state.model
        if model is None or not isinstance(model, Answering):
            choose = self.key("browse.choose_model")
            message = _("Press {key} and type person:NAME first, with your name.", key=choose)
            self.notify(message, severity="warning", markup=False)
            return
        if self.asking_all or self._asking_one:
            message = _("Something is being asked; wait for it, or cancel it.")
            self.notify(message, severity="warning")
            return
        running = self._run_over(benchmark, path, collection)
        stop = partial(self.call_later, self._stop_run, running)
        self._run_session = RunSession(model.info.name, running, stop)
        screen = AnnotatingScreen(self._run_session, _("Answering"))
        self._run_session.changed = partial(screen.call_later, screen.show)
        await self.push_screen(screen)
        self.run_signal.subscribe(screen, screen.ended)
        self.start_or_pause(running)

    async def _stop_run(self, running: Running) -> None:
        await running.cancel()
        self._run_session = None

    def restart_run(self, running: Running) -> None:
        """Ask the whole collection again, into another run, where this one is at its end."""
        from tui.runs.running import RunPhase

        if running.phase is RunPhase.DONE:
            self.start_or_pause(running, restart=True)
        else:
            message = _(
                "Only a finished run can be asked again: {key} starts this one or goes on.",
                key=self.key("funnel.pause"),
            )
            self.notify(message, severity="warning", markup=False)

    def start_or_pause(self, running: Running, *, restart: bool = False) -> None:
        """Start a run, pause it, or go on with it; `restart` begins another one in its place.

        While the model is loading it is kept in mind, until this is called again.
        """
        from core.runs.asking import natural_form

        model = self.model_state.model
        if running.pause_or_resume():
            running.sum_up()
            self.run_signal.publish(running)
        elif self.model_state.phase is ModelPhase.LOADING:
            wanted = not running.wanted
            for each in self.runs:
                each.wanted = wanted and each is running
            self.run_signal.publish(running)
        elif model is None or not self.model_state.ready:
            back, choose = self.key("funnel.close"), self.key("browse.choose_model")
            message = _(
                "There is no model to ask. {back} goes back; there, {choose} chooses one.",
                back=back,
                choose=choose,
            )
            self.notify(message, severity="warning", markup=False)
        elif self.asking_all:
            self.notify(_("Another run is asking the model."), severity="warning")
        elif self._asking_one:
            message = _("An item is being asked; wait for it, or cancel it.")
            self.notify(message, severity="warning")
        elif model.info.recorded:
            from core.runs.replay import replayed_run

            # A recording is not a model: asking it would record a run that never took place.
            try:
                running.load(paths.runs(), replayed_run(model.info))
            except CommonsenseError as error:
                self.notify(escape_control_characters(str(error)), severity="warning", markup=False)
            self.run_signal.publish(running)
        else:
            self.run_worker(
                running.start(
                    model,
                    paths.runs(),
                    running.resumed[0].plan.form if running.resumed else natural_form(model.info),
                    lambda: self.run_signal.publish(running),
                    restart=restart,
                    of_servers=self.config.concurrency,
                ),
                group="run",
                exit_on_error=False,
            )

    def sum_up(self, running: Running) -> None:
        """Show a run's figures under its present profile."""
        running.sum_up()
        self.run_signal.publish(running)

    async def leave(self, code: int) -> None:
        """Unload the model, then end."""
        await self._unload_model()
        await super().leave(code)
