"""The screen of one item: its graph and text, its ladder, and the model at work."""

from __future__ import annotations

import inspect
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.widgets import Input
from textual.worker import Worker

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.view import Note, View
from core.text.errors import CommonsenseError, DataError
from core.text.language import _
from tui.browse.about import About
from tui.browse.asking import Asking
from tui.browse.dials import Dials
from tui.browse.export import Export
from tui.browse.feature import HIGH, WIDE, Feature, ItemHost
from tui.browse.item_editing import ItemEditing
from tui.browse.item_list import ItemList
from tui.browse.item_panes import ItemPanes
from tui.browse.ladder_pane import LadderPane
from tui.browse.list_filter import ListFilter
from tui.browse.live_pane import LivePane
from tui.browse.opening import Opening
from tui.browse.panes import PANES, PaneNavigator
from tui.browse.run_marks import RunMarks
from tui.browse.view_pane import ViewPane
from tui.browse.waiting import Waiting
from tui.shell.background_errors import report_worker_error
from tui.shell.command import Place
from tui.shell.commands import bindings
from tui.shell.jump import Target
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.typed_text import FilterLine
from tui.widgets.bars import KeyBar, TopBar
from tui.widgets.graph_view import GraphView
from tui.widgets.rows_view import RowsView

FeatureT = TypeVar("FeatureT", bound=Feature)
FeatureTypes = Sequence[type[Feature]]


class ItemScreen(ItemHost):
    """Shows the items of one collection, and asks the model about them.

    It composes the panes, and makes the features that every item screen has; further ones are
    plugged in.
    """

    WHERE: ClassVar[Place] = Place.BROWSE
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.BROWSE)
    # Plain lists, as in Textual's own Screen.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (78, "-medium"), (WIDE, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (HIGH, "-high")]  # noqa: RUF012
    TAKES_RECORDS: ClassVar[bool] = True
    """Whether the answers of a recorded run are shown as soon as its model is loaded."""

    def __init__(
        self,
        benchmark: Benchmark,
        path: Path,
        collection: Collection | None = None,
        features: FeatureTypes = (),
    ) -> None:
        """Show a collection.

        Args:
            benchmark: the benchmark of the items.
            path: the file or folder of the collection.
            collection: the collection, if it was opened already.
            features: the features to plug in.
        """
        super().__init__(classes="-pane-list")
        self.benchmark = benchmark
        self.path = path
        self.state = None
        self.plugged_in = features
        self._first = collection
        self.asking = self.make_asking()
        self.navigator = self.make_navigator()
        self.item_panes = self.make_item_panes()
        self.list_filter = ListFilter(self)
        self.run_marks = RunMarks(self, records=self.TAKES_RECORDS)
        self.waiting = Waiting(self)
        self.opening = Opening(
            self, self.item_panes, self.list_filter, self.waiting, self.run_marks
        )
        self.features: tuple[Feature, ...] = (
            self.navigator,
            self.waiting,
            self.item_panes,
            self.list_filter,
            self.run_marks,
            self.opening,
            ItemEditing(self),
            Dials(self),
            Export(self),
            About(self),
            *(make(self) for make in features),
        )

    def make_asking(self) -> Asking:
        """The object that asks the ladder; a lesson has its own."""
        return Asking(self)

    def make_navigator(self) -> PaneNavigator:
        """The feature that goes through the panes; a lesson has its own."""
        return PaneNavigator(self, PANES)

    def make_item_panes(self) -> ItemPanes:
        """The feature that draws the item; a lesson has its own."""
        return ItemPanes(self)

    # -- commands --------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let the key of the filter be typed where a field has the focus."""
        if (action, parameters) == ("do", (ListFilter.NAME, "filter")):
            return not isinstance(self.focused, Input)
        return super().check_action(action, parameters)

    async def action_do(self, feature_name: str, command: str, *arguments: int) -> None:
        """Do a command of a feature by its method with the command's id; see `Command.feature`."""
        if feature_name != self.navigator.NAME or self.pane != "list":
            self.open_highlighted()
        feature = next(feature for feature in self.features if feature_name == feature.NAME)
        dialogue = getattr(feature, command)(*arguments)
        if inspect.iscoroutine(dialogue):
            self.open_dialogue(dialogue)

    def open_dialogue(self, dialogue: Coroutine[object, object, None]) -> None:
        """Run a coroutine that opens a dialogue, unless another one of this screen still runs.

        A key pressed twice before the dialogue is in front would open two.
        """
        if any(
            worker.node is self and worker.group == "dialogue" and not worker.is_finished
            for worker in self.workers
        ):
            dialogue.close()
        else:
            self.run_worker(dialogue, group="dialogue", exit_on_error=False)

    def feature(self, kind: type[FeatureT]) -> FeatureT | None:
        """The feature of this class; None where none is plugged in."""
        return next((feature for feature in self.features if isinstance(feature, kind)), None)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a worker that failed."""
        if (defect := report_worker_error(self.app, event)) is not None:
            self.worker_failed(event.worker, defect)

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        """Say that a worker failed because of a defect, where its result was awaited."""
        for feature in self.features:
            feature.worker_failed(worker, defect)

    # -- panes -----------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Bars above and below; list, item and ladder between them; the live pane under those.

        Where there is no room for three columns, the item's text stands below the list (`#beside`).
        """
        yield TopBar()
        with Horizontal(id="panes"):
            yield from self.compose_first()
            with Vertical(id="middle"):
                with Container(id="above"):
                    with Vertical(id="centre"):
                        yield GraphView(id="graph")
                        yield ViewPane(id="view")
                    yield LadderPane(id="ladder")
                yield LivePane(id="live")
            yield ViewPane(id="beside")
        yield KeyBar(self.WHERE, "list")

    def compose_first(self) -> ComposeResult:
        """The list, before the item."""
        with Vertical(id="list-box"):
            yield FilterLine(_("contains…"))
            yield ItemList(id="list")

    def enter_pane(self, pane: str, *, focus: bool = True) -> None:
        """Bring a pane to the front, where not all fit, and focus what is in it."""
        self.navigator.enter(pane, focus=focus)
        self.pane_changed()

    @property
    def offers(self) -> frozenset[str]:
        """What the open item offers beyond being shown; see `Command.needs`."""
        state = self.state
        return state.offers | self.item_panes.offers if state is not None else frozenset()

    def name_keys(self) -> None:
        """Name the keys of the pane in front below it."""
        self.query_one(KeyBar).show(self.pane, stacked=self.stacked, offers=self.offers)

    def jump_targets(self) -> list[Target]:
        """A letter for each pane, and for each tab of the one below."""
        return self.navigator.jump_targets()

    def help_topic(self) -> str:
        """What there is to know of the pane in front."""
        return self.navigator.help_topic()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keep track of the pane that a click went into."""
        # The focus event of a pane that was only passed through may arrive late.
        if event.widget is self.focused and self.navigator.focused(event.widget):
            self.pane_changed()

    def pane_changed(self) -> None:
        """Name the keys of the pane in front, and explain what its cursor stands on."""
        self.name_keys()
        self.item_panes.explain_node()

    def on_resize(self) -> None:
        """Translations, the key to the next pane, and the text's place depend on the room."""
        self.refresh_item()
        self.name_keys()
        if self.pane == "view" and self.focused is not self.item_text:
            self.enter_pane("view")

    # -- the collection --------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Open the collection, and follow the model, the log and the runs."""
        self.ladder.border_title = _("Ladder")
        for feature in self.features:
            feature.mounted()
        program, log = self.program, self.live.tab("log")
        program.model_signal.subscribe(self, self.show_model)
        for line in program.log_lines:
            log.add(line)
        program.log_signal.subscribe(self, log.add)
        program.collection_runs.signal.subscribe(self, self.run_marks.on_run_update)
        self.show_model(program.model_state)
        self.items.focus()
        if self._first is None:
            self.browse(self.benchmark, self.path)
        else:
            self.opening.show(self.benchmark, self._first)

    def browse(self, benchmark: Benchmark, path: Path, item: str = "") -> None:
        """Open a collection in the place of the present one, at an item if one is named."""
        self.opening.start(benchmark, path, item)

    @on(Input.Changed, "#filter")
    def filter_changed(self) -> None:
        """List what contains the text of the filter as it is now: it may have been closed since."""
        self.list_filter.find()

    @on(Input.Submitted, "#filter")
    def filter_done(self) -> None:
        """Go to what is listed."""
        self.items.focus()

    # -- the open item ---------------------------------------------------------------------------

    @on(ItemList.Highlighted)
    def item_highlighted(self) -> None:
        """Show the item under the list's cursor."""
        self.open_highlighted()

    def open_highlighted(self) -> None:
        """Show the item under the list's cursor, unless it was opened already.

        In a burst of keys the next command comes before the message that the cursor has moved.
        """
        index = self.items.take_highlighted()
        if index is None or self.state is None:
            return
        try:
            self.state.open(index)
        except CommonsenseError as error:
            self.item_panes.show_error(error)
            return
        for feature in self.features:
            feature.item_opened()
        self.refresh_item()
        self.name_keys()

    def refresh_item(self) -> None:
        """Draw the open item and its ladder again."""
        if self.state is None or not self.state.is_open:
            return
        try:
            view = self.state.view()
        except DataError as error:
            self.state.close()
            self.item_panes.show_error(error)
            return
        for feature in self.features:
            view = feature.decorate_view(view)
        self.item_panes.show(view)
        self.refresh_ladder()

    def refresh_ladder(self) -> None:
        """Draw the ladder, its marks in the list, and the prompt again."""
        state = self.state
        if state is None or not state.is_open:
            return
        try:
            rungs = state.rungs()
        except DataError as error:
            state.close()
            self.item_panes.show_error(error)
            return
        for feature in self.features:
            rungs = tuple(map(feature.decorate_rung, rungs))
        hint, note = self.waiting.hint() or self.asking.hint(), self.asking.at_chance()
        self.ladder.show(rungs, source=self.asking.source(), hint=hint, note=note)
        self.items.mark(state.mark, state.shown_id)
        self.rung_changed()

    @on(RowsView.CursorMoved, "#ladder")
    def rung_changed(self) -> None:
        """Follow the rung under the ladder's cursor."""
        for feature in self.features:
            feature.ladder_changed()

    def show_note(self, title: str, text: str) -> None:
        """Show a note in the place of an item, and no ladder."""
        self.item_panes.show_note(View(title, sections=(Note(text),)))

    # -- the model -------------------------------------------------------------------------------

    def show_model(self, model_state: ModelState) -> None:
        """Drop the answers of the former model, and say where the new one cannot be loaded."""
        if model_state.phase is ModelPhase.FAILED:
            message = _(
                "{error} Press {key} to choose another model.",
                error=model_state.error,
                key=self.key("choose_model"),
            )
            self.live.say(message)
        if model_state.phase is ModelPhase.LOADING and self.state is not None:
            self.state.forget_all()
        self.refresh_item()
        self.name_keys()
        self.run_marks.show_recorded_run()
        self.waiting.go_on()

    def on_screen_resume(self) -> None:
        """Show the answers that a run received while another screen was in front."""
        self.refresh_ladder()
        self.name_keys()
        self.waiting.go_on()

    def action_ask(self) -> None:
        """Ask every layer of the item, or cancel the asking."""
        self.open_highlighted()
        if not self.waiting.postpones(self.action_ask, asks=True):
            self.asking.toggle()
            self._asking_changed()
        if self.asking.busy is not None and not self.ladder.display:
            self.enter_pane("ladder")
        self.refresh_ladder()

    def ladder_ended(self) -> None:
        """Draw the outcome of a ladder that has ended, answered or not."""
        if self.is_running:
            self._asking_changed()
            self.refresh_ladder()
            self.name_keys()

    def _asking_changed(self) -> None:
        for feature in self.features:
            feature.asking_changed()

    def light_up(self, written: str) -> None:
        """Light the nodes that the last sentence of a text names; none for an empty text."""
        self.item_panes.light_up(written)

    def action_form(self) -> None:
        """Put questions in the other form."""
        self.asking.other_form()
        self.refresh_ladder()
        self.run_marks.show_recorded_run()

    def action_unfold(self) -> None:
        """Show all that the model wrote, its thinking too, or fold it again."""
        if self.state is not None and "reply" in self.state.offers:
            self.enter_pane("ladder")
            self.ladder.unfold()
        else:
            self.notify(_("No answer here was written, so there is nothing to unfold."), timeout=3)

    # -- other screens ---------------------------------------------------------------------------

    def action_choose_model(self) -> None:
        """Choose and load a model."""
        self.open_dialogue(self.program.choose_model())
