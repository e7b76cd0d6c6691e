"""The runs over collections that were opened here: offered, started, paused, answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.worker import Worker

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.question import Form
from core.files import paths
from core.models.protocol import Answering
from core.runs.asking import natural_form
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.shell.program import program_of
from tui.shell.signal import Signal

if TYPE_CHECKING:
    from tui.runs.choices import Items
    from tui.runs.person_sessions import RunSession
    from tui.runs.running import Running


class CollectionRuns:
    """The runs that the program holds, of which one at a time asks the model."""

    def __init__(self, app: App[Any], asking_one: Callable[[], bool]) -> None:
        """`asking_one` says whether the ladder of one item is being asked."""
        self._app = app
        self._program = program_of(app)
        self._asking_one = asking_one
        self.item_seconds: dict[tuple[str, str, Form], float] = {}
        """How long the last item that was asked by itself took, had every layer a question: by the
        fingerprint of the model, the benchmark and the prompt form."""
        self.all: list[Running] = []
        self.signal: Signal[Running] = Signal(app, "run")
        """Published with a run that changed."""
        self.session: RunSession | None = None
        """The questions that the person at the keyboard is answering; None where they answer
        none."""

    @property
    def asking(self) -> bool:
        """Whether a run is asking the model right now."""
        return any(running.busy for running in self.all)

    @property
    def wanted(self) -> bool:
        """Whether a run starts as soon as the model is loaded."""
        return any(running.wanted for running in self.all)

    def model_settled(self) -> None:
        """Start the run that waited for the model, now that it is loaded or has failed."""
        for running in self.all:
            if running.wanted:
                running.wanted = False
                self.start_or_pause(running)
                self.signal.publish(running)

    def let_go(self) -> None:
        """Let go of the runs that ended, now that another collection is opened.

        Nothing leads to them any more, and each holds its answers and its collection with the open
        files of that. What they recorded is in the store.
        """
        self.all = [each for each in self.all if each.under_way]

    def add(self, running: Running) -> None:
        """Keep a run in the place of one that ended over its collection, and start it."""
        others = [
            each for each in self.all if each.under_way or each.collection is not running.collection
        ]
        # In front of a paused one, whose place on the screen it takes.
        self.all = [running, *others]
        self.start_or_pause(running)

    def show_over(
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
        self.show(running)

    def _offer(self, running: Running, items: Items) -> None:
        """Offer items before a run, with the time that it takes by what is recorded."""
        from tui.runs.expected_time import TimePerItem

        benchmark = running.benchmark.name
        time = TimePerItem(
            paths.runs(), benchmark, lambda: self._program.model_state.model, self.item_seconds
        )
        running.options.offer(items, time, self._program.config.concurrency)

    def choose(self, running: Running) -> None:
        """Choose what another run over the same collection asks, where this one has ended."""
        from tui.runs.running import Running, RunPhase

        if running.phase in {RunPhase.GOING, RunPhase.PAUSED}:
            message = _("This run has not ended: cancel it first, or let it finish.")
            self._app.notify(message, severity="warning", markup=False)
        elif running.phase is not RunPhase.IDLE:
            fresh = Running(running.benchmark, running.path, running.collection)
            fresh.options = running.options
            self._offer(fresh, running.items_now)
            self.all = [each for each in self.all if each is not running] + [fresh]
            self._app.pop_screen()
            self.show(fresh)

    def show(self, running: Running) -> None:
        """Show a run over a collection that was opened before."""
        from tui.runs.run_screen import RunScreen

        self._app.push_screen(RunScreen(running))

    def _run_over(self, benchmark: Benchmark, path: Path, collection: Collection) -> Running:
        """The run over a collection, started or not."""
        from tui.runs.running import Running

        running = next((run for run in self.all if run.collection is collection), None)
        if running is None:
            running = Running(benchmark, path, collection)
            running.recall_choices()
            self.all.append(running)
        return running

    async def answer(self, benchmark: Benchmark, path: Path, collection: Collection) -> None:
        """Let the person at the keyboard answer a collection; their answers become a run."""
        from tui.annotation.screen import AnnotatingScreen
        from tui.runs.person_sessions import GUIDE, RunSession

        model = self._program.model_state.model
        if model is None or not isinstance(model, Answering):
            choose = self._program.key("browse.choose_model")
            message = _("Press {key} and type person:NAME first, with your name.", key=choose)
            self._app.notify(message, severity="warning", markup=False)
            return
        if self.asking or self._asking_one():
            message = _("Something is being asked; wait for it, or cancel it.")
            self._app.notify(message, severity="warning")
            return
        running = self._run_over(benchmark, path, collection)
        stop = partial(self._app.call_later, self._stop_run, running)
        self.session = RunSession(model.info.name, running, stop)
        screen = AnnotatingScreen(self.session, _("Answering"), _(GUIDE))
        self.session.changed = partial(screen.call_later, screen.show)
        await self._app.push_screen(screen)
        self.signal.subscribe(screen, screen.ended)
        self.start_or_pause(running)

    async def _stop_run(self, running: Running) -> None:
        await running.cancel()
        self.session = None

    def restart(self, running: Running) -> None:
        """Ask the whole collection again, into another run, where this one is at its end."""
        if running.done:
            self.start_or_pause(running, restart=True)
        else:
            message = _(
                "Only a finished run can be asked again: {key} starts this one or goes on.",
                key=self._program.key("run.pause"),
            )
            self._app.notify(message, severity="warning", markup=False)

    def start_or_pause(self, running: Running, *, restart: bool = False) -> None:
        """Start a run, pause it, or go on with it; `restart` begins another one in its place.

        While the model is loading it is kept in mind, until this is called again.
        """
        if running not in self.all:
            # Its screen was in front while another collection was opened behind it.
            self.all.append(running)
        model = self._program.model_state.model
        if running.paused and self._model_is_asked():
            return
        if running.pause_or_resume():
            running.sum_up()
            self.signal.publish(running)
        elif self._program.model_state.is_pending:
            wanted = not running.wanted
            for each in self.all:
                each.wanted = wanted and each is running
            self.signal.publish(running)
        elif model is None or not self._program.model_state.ready:
            back, choose = (
                self._program.key("run.close"),
                self._program.key("browse.choose_model"),
            )
            message = _(
                "There is no model to ask. {back} goes back; there, {choose} chooses one.",
                back=back,
                choose=choose,
            )
            self._app.notify(message, severity="warning", markup=False)
        elif self._model_is_asked():
            return
        elif model.info.awaits:
            message = _("{awaits}. A run can start once it is there.", awaits=model.info.awaits)
            self._app.notify(message, severity="warning", markup=False)
        elif model.info.recorded:
            from core.runs.replay import replayed_run

            # A recording is not a model: asking it would record a run that never took place.
            try:
                running.load(paths.runs(), replayed_run(model.info))
            except CommonsenseError as error:
                self._app.notify(
                    escape_control_characters(str(error)), severity="warning", markup=False
                )
            self.signal.publish(running)
        else:
            if running.resumed is None:
                keep = partial(self._keep_choices, running)
                self._app.run_worker(keep, thread=True, group="remember", exit_on_error=False)
            running.worker = self._app.run_worker(
                partial(
                    running.start,
                    model,
                    paths.runs(),
                    running.resumed[0].plan.form if running.resumed else natural_form(model.info),
                    lambda: self.signal.publish(running),
                    restart=restart,
                    of_servers=self._program.config.concurrency,
                ),
                group="run",
                exit_on_error=False,
            )

    def _model_is_asked(self) -> bool:
        """Whether the model is being asked something; warns where it is."""
        message = _("An item is being asked; wait for it, or cancel it.")
        if self.asking:
            message = _("Another run is asking the model.")
        elif not self._asking_one():
            return False
        self._app.notify(message, severity="warning")
        return True

    def _keep_choices(self, running: Running) -> None:
        """Keep what was chosen for the next run over the collection; called in a thread."""
        try:
            running.keep_choices()
        except CommonsenseError as error:
            message = escape_control_characters(str(error))
            self._app.call_from_thread(self._program.log_line, message)

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        """Show that the run that a worker asks ended in a defect of the program."""
        for running in self.all:
            if running.worker is worker:
                running.fail(defect)
                self.signal.publish(running)

    def sum_up(self, running: Running) -> None:
        """Show a run's figures under its present profile."""
        running.sum_up()
        self.signal.publish(running)
