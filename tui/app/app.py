"""The program: puts the browse screen, the model and the runs together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, work
from textual.await_complete import AwaitComplete
from textual.screen import Screen
from textual.worker import Worker

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.question import Question
from core.files import paths
from core.files.config import Config
from core.models.person import PERSON_PREFIX
from core.runs.garbage import freeze_lasting_objects
from core.text.errors import CommonsenseError, ConfigError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.app.collection_runs import CollectionRuns
from tui.app.compilation_watch import CompilationWatch
from tui.app.recognition import recognise, recognised
from tui.app.recorded_runs import RecordedRuns
from tui.app.welcome import Welcome
from tui.authoring.graph_editing import GraphEditing
from tui.authoring.review import SuggestionReview
from tui.blocks.controller import BlocksController
from tui.browse.feature import Feature
from tui.browse.item_screen import ItemScreen
from tui.browse.run_marks import ComparedRuns
from tui.browse.screen import BrowseScreen
from tui.lessons.feature import Lessons
from tui.shell import garbage, recent
from tui.shell.app import Shell
from tui.shell.collection_choices import bundled, described, offered_collections
from tui.shell.dialogue import close_in_front
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.prompts import PickOne, existing_path
from tui.shell.signal import Signal
from tui.studies.feature import Studies

if TYPE_CHECKING:
    from core.runs.records import Run
    from tui.shell.drawn_head import DrawnHead

FEATURES: tuple[type[Feature], ...] = (
    BlocksController,
    GraphEditing,
    SuggestionReview,
    Lessons,
    Studies,
)
"""The features that are plugged into every item screen."""


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
        self._compilation = CompilationWatch(self, self.set_model_state)
        self.model_signal: Signal[ModelState] = Signal(self, "model")
        self._benchmark: Benchmark = registry.load(benchmark or registry.default())
        self._path = path or self._benchmark.samples()
        self._collection = collection
        self._first_model = model or self.config.model or "demo"
        self.collection_runs = CollectionRuns(self, self._asks_one)

    def get_default_screen(self) -> Screen[None]:
        """The first screen: there is no empty one before it."""
        return BrowseScreen(self._benchmark, self._path, self._collection, FEATURES)

    def on_mount(self) -> None:
        """Do the rest after the first paint."""
        self.end_cleanly()
        self.call_after_refresh(self._settle)

    async def on_event(self, event: events.Event) -> None:
        """Let a key or a click close the welcome card before it does anything else.

        Every key, whatever it does, skips what is left of a change that travels through a graph.
        """
        is_pressed = isinstance(event, events.Key) and not event.is_forwarded
        # A screen that is being opened has no graph yet.
        if is_pressed and isinstance(self.screen, ItemScreen) and self.screen.is_mounted:
            self.screen.graph.travel.finish()
        if isinstance(event, events.MouseDown) and self._is_removed_at(event.x, event.y):
            return
        if not self._welcome.consumes(event):
            await super().on_event(event)

    def _is_removed_at(self, x: int, y: int) -> bool:
        """Whether what is painted there was removed since, where Textual cannot be clicked."""
        if not self.screen.is_mounted:
            return False
        widget, _offset = self.screen.get_widget_and_offset_at(x, y)
        return widget is not None and not isinstance(widget, Screen) and widget.parent is None

    def action_welcome(self) -> None:
        """Show the welcome card."""
        self._welcome.show()

    def _settle(self) -> None:
        """Apply the person's themes and keys, then load the model."""
        if not self.screen.is_attached:
            # The person left while the first screen was being opened.
            return
        freeze_lasting_objects()
        self.take_settings()
        if self._greets:
            self._welcome.show_once()
        self._compilation.start()
        self.load_model(self._first_model)

    # -- the model -----------------------------------------------------------------------------

    @work(exclusive=True, group="model", exit_on_error=False)
    async def load_model(self, name: str) -> None:
        """Unload the present model and load another."""
        from core.models.resolver import DEMO, load_model, shown_name
        from core.runs.replay import replay

        shown = shown_name(name)
        await self._unload_model()
        self.set_model_state(ModelState(ModelPhase.LOADING, shown))
        try:
            if name == DEMO and self._compilation.waits:
                self.set_model_state(self._compilation.stand_in(name))
                return
            model = await load_model(
                name,
                on_progress=lambda share: self._loading(shown, share),
                on_log=self.log_line,
                replay=partial(replay, paths.runs()),
                person=self.ask_person,
                gpu_layers=self.config.gpu_layers,
                context=self.config.context,
            )
        except CommonsenseError as error:
            self.set_model_state(ModelState(ModelPhase.FAILED, shown, error=str(error)))
            return
        self.set_model_state(ModelState(ModelPhase.READY, shown, 1.0, model))

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        """Say in the place of a model that is loading, or of a run, that it failed."""
        if worker.group == "model":
            self.set_model_state(
                ModelState(ModelPhase.FAILED, self.model_state.name, error=str(defect))
            )
        else:
            self.collection_runs.worker_failed(worker, defect)

    async def ask_person(self, question: Question) -> tuple[int, ...]:
        """Ask the person at the keyboard; raises `CancelledError` if they leave the question."""
        if self.collection_runs.session is not None:
            return await self.collection_runs.session.put(question)
        from tui.annotation.screen import AnnotatingScreen
        from tui.runs.person_sessions import GUIDE, OneQuestion

        asked = OneQuestion(self.model_state.name.removeprefix(PERSON_PREFIX), question)
        screen = AnnotatingScreen(asked, _("Answering"), _(GUIDE))
        asked.answered = screen.dismiss
        await self.push_screen_wait(screen)
        if asked.picks is None:
            raise asyncio.CancelledError
        return asked.picks

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
            self.collection_runs.model_settled()

    async def choose_model(self) -> None:
        """Choose a model from the folders, and load it."""
        from tui.browse.models_screen import ModelsScreen

        name = await self.push_screen_wait(ModelsScreen(self.config, self.model_state))
        if name is not None:
            self.load_model(name)

    # -- screens -------------------------------------------------------------------------------

    async def choose_collection(self, present: Benchmark, path: Path) -> None:
        """Choose a collection, bundled, own or named by its path, and open it.

        The cursor begins on the one at `path`, which is open.
        """
        from tui.shell.path_dialogue import PathDialogue

        known, broken = await asyncio.to_thread(registry.loaded)
        for error in broken:
            self.log_line(escape_control_characters(str(error)))
        offered = await asyncio.to_thread(offered_collections, known)
        lines = [*(place.label for place in offered), _("open a file or folder…")]
        about = partial(described, offered)
        at = next((n for n, place in enumerate(offered) if place.path == path), 0)
        question = PickOne(_("Collection"), _("What to browse."), lines, at=at, about=about)
        picked = await self.push_screen_wait(question)
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
        typed = await self.push_screen_wait(PathDialogue(partial(self._whose, present)))
        if typed is not None:
            self._browse(*typed)

    def _whose(self, present: Benchmark, text: str) -> tuple[Benchmark, Path]:
        """The benchmark that can read a typed path, the present one first; runs in a thread.

        Raises `CommonsenseError`.
        """
        path = existing_path(text)
        known = recognised(path)
        if known is None:
            known, _collection = recognise(path, self.log_line, first=present)
        return known, path

    @work(thread=True, group="remember", exit_on_error=False)
    def remember(self, benchmark: Benchmark, path: Path) -> None:
        """Add a collection to the recent files, unless it is bundled or the person's own."""
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

    def _asks_one(self) -> bool:
        """Whether the ladder of an item is being asked."""
        first = self.screen_stack[0]
        return isinstance(first, ItemScreen) and first.asking.busy is not None

    def action_runs(self) -> None:
        """Show the recorded runs, or go back from them."""
        self._recorded_runs.toggle()

    def open_run(self, run: Run, item: str = "") -> None:
        """Open the items of a recorded run with its answers, at an item if one is named."""
        self._open_run(run, item, None)

    def open_item(
        self, benchmark: Benchmark, path: Path, item: str, head: DrawnHead | None = None
    ) -> None:
        """Show an item of a collection in the main screen, in front of everything.

        With a head its attention is drawn on the item.
        """
        first = self.screen_stack[0]
        if not isinstance(first, BrowseScreen):
            return
        close_in_front(first)
        if first.state is not None and (first.benchmark.name, first.path) == (benchmark.name, path):
            first.list_filter.go_to(item)
        else:
            first.browse(benchmark, path, item)
        blocks = first.feature(BlocksController)
        if head is not None and blocks is not None:
            blocks.draw_head(item, head)

    def open_both(self, first: Run, second: Run, item: str, letters: tuple[str, str]) -> None:
        """Open an item with the answers of two compared runs on its ladder."""
        self._open_run(second, item, ComparedRuns(first.id, second.id, letters))

    @work(exclusive=True, group="replay", exit_on_error=False)
    async def _open_run(self, run: Run, item: str, compared: ComparedRuns | None) -> None:
        await self._recorded_runs.open(run, item, compared)

    @work(exclusive=True, group="replay", exit_on_error=False)
    async def resume_run(self, run: Run) -> None:
        """Go on with a recorded run that stopped early."""
        await self._recorded_runs.resume(run)

    def pop_screen(self) -> AwaitComplete:
        """Close the screen in front."""
        closing = super().pop_screen()
        self.call_after_refresh(self._screen_closed)
        return closing

    def _screen_closed(self) -> None:
        """Let go of closed screens, the one with the widget that was clicked last among them."""
        # Later, because this is done by the task of a screen, and that by the app's.
        self.call_later(self.let_go_of_screens)
        clicked = self._mouse_down_widget
        if clicked is not None and not clicked.is_attached:
            self._mouse_down_widget = None
        garbage.screen_closed()

    async def leave(self, code: int) -> None:
        """Unload the model, then end."""
        await self._unload_model()
        await super().leave(code)
