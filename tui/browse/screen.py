"""The main screen: the list, the item, the ladder, and what the model is doing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input
from textual.worker import get_current_worker

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.view import Note, Role, View
from core.files import paths
from core.layout.graph.mentions import mentioned
from core.runs.records import replace_surrogates
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.authoring.review import ReviewScreen
from tui.blocks.controller import BlocksController
from tui.browse.asking import Asking
from tui.browse.dials import DialsScreen
from tui.browse.export import Exporting
from tui.browse.item_list import ItemList
from tui.browse.ladder_pane import LadderPane
from tui.browse.listing import ListingScreen
from tui.browse.live_pane import LivePane
from tui.browse.marks import RunAnswers
from tui.browse.state import BrowseState
from tui.browse.view_pane import ViewPane
from tui.lessons.lesson_actions import OffersLessons
from tui.shell.background_errors import TellsDefects
from tui.shell.command import BROWSE
from tui.shell.commands import bindings
from tui.shell.model_holder import ModelPhase, ModelState
from tui.shell.program import Program, program_of
from tui.widgets.bars import KeyBar, TopBar
from tui.widgets.graph_view import GraphView
from tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from core.models.protocol import Model
    from tui.blocks.block_pane import BlockPane
    from tui.runs.running import Running

_HEADINGS = (
    N_("Something went wrong"),
    N_("This data cannot be read"),
    N_("Not found"),
    N_("This cannot be set"),
)
"""Of what can keep a collection or an item from being shown; see `core.text.errors`."""


class BrowseScreen(
    TellsDefects,
    Exporting,
    OffersLessons,
    ReviewScreen,
    ListingScreen,
    DialsScreen,
):
    """Browses one collection and asks the model about its items."""

    WHERE: ClassVar[str] = BROWSE
    BINDINGS: ClassVar[list[BindingType]] = bindings(BROWSE)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual's own declaration
        (0, "-narrow"),
        (78, "-medium"),
        (118, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (34, "-high")]  # noqa: RUF012

    def __init__(
        self, benchmark: Benchmark, path: Path, collection: Collection | None = None
    ) -> None:
        """`collection` is what `path` holds, if it was opened already."""
        super().__init__()
        self.benchmark = benchmark
        self.path = path
        self._first = collection
        self._glosses: bool | None = None
        self.asking = Asking(self)
        self.blocks = BlocksController(self)

    @property
    def program(self) -> Program:
        """The app, by what it offers."""
        return program_of(self.app)

    def compose(self) -> ComposeResult:
        """Bars above and below; list, item and ladder between them; the live pane under those."""
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
        yield KeyBar(self.WHERE, "list")

    def compose_first(self) -> ComposeResult:
        """What stands before the item: the list."""
        with Vertical(id="list-box"):
            yield Input(placeholder=_("contains…"), id="filter", compact=True)
            yield ItemList(id="list")

    def on_mount(self) -> None:
        """Open the collection and hear about the model."""
        self.query_one("#list-box").border_title = _("Items")
        self.query_one(LadderPane).border_title = _("Ladder")
        self.program.model_signal.subscribe(self, self.show_model)
        log = self.live.tab("log")
        for line in self.program.log_lines:
            log.add(line)
        self.program.log_signal.subscribe(self, log.add)
        self.program.run_signal.subscribe(self, self.on_run_update)
        self.show_model(self.program.model_state)
        self.query_one(ItemList).focus()
        if self._first is None:
            self.browse(self.benchmark, self.path)
        else:
            self._opened(self.benchmark, self._first)
            self.get_ready_to_find(self._first)

    def browse(self, benchmark: Benchmark, path: Path) -> None:
        """Open a collection in the place of the present one."""
        self.benchmark, self.path, self.state = benchmark, path, None
        said = _("{path} is being read. Press {key} to open another.")
        self._show_note(_("Opening…"), said.format(path=path, key=self._key("collections")))
        self.query_one(LadderPane).show((), source="", hint="")
        self.open_collection()

    def on_resize(self) -> None:
        """Translations, and the key to the next pane, come and go with the room."""
        self.refresh_item()
        self.name_keys()

    @work(thread=True, exclusive=True, group="open", exit_on_error=False)
    def open_collection(self) -> None:
        """Read the collection's index away from the screen."""
        worker = get_current_worker()
        benchmark, path = self.benchmark, self.path
        try:
            collection = registry.open_collection(benchmark, path)
        except CommonsenseError as error:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._cannot_open, error)
            return
        if worker.is_cancelled:
            return
        self.app.call_from_thread(self._opened, benchmark, collection)
        self.app.call_from_thread(self.get_ready_to_find, collection)

    @work(thread=True, group="ready", exit_on_error=False)
    def get_ready_to_find(self, collection: Collection) -> None:
        """Search once, which makes what later searches look through; nobody waits for this one."""
        collection.matching("\0")

    def _cannot_open(self, error: CommonsenseError) -> None:
        self._show_error(error)
        self.query_one(TopBar).show(self.benchmark.title, self.path.name)

    def _opened(self, benchmark: Benchmark, collection: Collection) -> None:
        self.state = BrowseState(benchmark, collection)
        self.query_one(TopBar).show(benchmark.title, collection.about.title)
        self.list_all()
        self.program.remember(benchmark, self.path)
        self.take_in_record()

    def nothing_listed(self, why: str) -> None:
        """Show in the place of an item why there is none."""
        self._show_note(_("Nothing found"), why)
        self.query_one(LadderPane).show((), source="", hint="")

    @property
    def glosses(self) -> bool:
        """Whether translations are shown: as chosen, or where there is room for them."""
        if self._glosses is None:
            return self.size.width >= 118 and self.size.height >= 34
        return self._glosses

    # -- the open item --------------------------------------------------------------------------

    @on(ItemList.Highlighted)
    def open_item(self, event: ItemList.Highlighted) -> None:
        """Show the item under the list's cursor."""
        if self.state is None:
            return
        try:
            self.state.open(event.index)
        except CommonsenseError as error:
            self._show_error(error)
            return
        self._marked = None
        self.refresh_item()
        self.name_keys()

    def refresh_item(self) -> None:
        """Draw the open item and its ladder again."""
        state = self.state
        if state is None or not state.is_open:
            return
        view = self.blocks.with_attention(state.view())
        self.show_view(view, glosses=self.glosses)
        pane = self.graph if self.has_class("-graph") else self.query_one(ViewPane)
        pane.border_title = Content(escape_control_characters(view.title))
        badges = "  ".join(escape_control_characters(badge.text) for badge in view.badges)
        if pane is self.graph:
            self.graph.head(escape_control_characters(view.title), badges)
            self.query_one(ViewPane).border_title = _("Under the cursor")
            self.query_one(ViewPane).border_subtitle = ""
        else:
            pane.border_subtitle = Content(badges)
        self.refresh_ladder()

    def refresh_ladder(self) -> None:
        """Draw the ladder, its marks in the list, and the prompt again."""
        state = self.state
        if state is None or not state.is_open:
            return
        self.query_one(LadderPane).show(
            self.blocks.patched(state.rungs()), source=self.asking.source(), hint=self.asking.hint()
        )
        self.query_one(ItemList).mark(state.mark, state.shown_id)
        self._show_prompt()
        self.blocks.follow_ladder()

    @on(RowsView.CursorMoved, "#ladder")
    def _rung_changed(self) -> None:
        self._show_prompt()
        self.blocks.follow_ladder()

    def _show_prompt(self) -> None:
        if self.live.current != "prompt":
            return
        rung = self.query_one(LadderPane).rung()
        question = rung.question if rung else None
        self.live.tab("prompt").replace(self.asking.prompt_text(question) if question else "")

    def _show_note(self, title: str, text: str) -> None:
        self.show_view(View(title, sections=(Note(text),)), glosses=False)
        self.query_one(ViewPane).border_title = title
        self.query_one(ViewPane).border_subtitle = ""

    def _show_error(self, error: CommonsenseError) -> None:
        title, notes = _(error.title), [Note(error.what, Role.BAD)]
        press = _("Press {key} to open another collection.", key=self._key("collections"))
        notes += [Note(text) for text in (error.where, error.hint, press) if text]
        self.show_view(View(title, sections=tuple(notes)), glosses=False)
        self.query_one(ViewPane).border_title = title
        self.query_one(LadderPane).show((), source="", hint="")

    def action_glosses(self) -> None:
        """Show or hide the translation."""
        self._glosses = not self.glosses
        self.refresh_item()

    # -- the model -----------------------------------------------------------------------------

    def show_model(self, state: ModelState) -> None:
        """Say in the bar which model there is, and drop answers of another."""
        if state.phase is ModelPhase.FAILED:
            said = _("{error} Press {key} to choose another model.")
            self.live.say(said.format(error=state.error, key=self._key("choose_model")))
        if state.phase is ModelPhase.LOADING and self.state is not None:
            self.state.forget_all()
        self.refresh_ladder()
        self.name_keys()
        self.take_in_record()

    def take_in_record(self) -> None:
        """Mark the rows with what the run came to that the model replays, if it replays one."""
        model = self.program.model_state.model
        if self.state is not None and model is not None and model.info.recorded:
            self._find_recorded(self.state, model)

    @work(thread=True, exclusive=True, group="record", exit_on_error=False)
    def _find_recorded(self, state: BrowseState, model: Model) -> None:
        """Find a recorded run's verdicts on the open collection away from the screen."""
        from core.runs.replay import replayed_run, verdicts_on

        worker, run_id = get_current_worker(), replayed_run(model.info)
        if not run_id:
            return
        answers = RunAnswers(state.benchmark)
        try:
            found, answers.whole = verdicts_on(
                paths.runs(), run_id, state.benchmark, state.collection
            )
        except CommonsenseError as error:
            self.app.call_from_thread(self.live.say, str(error))
            return
        for verdict in found:
            answers.add(verdict)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._recorded, state, model, answers)

    def _recorded(self, state: BrowseState, model: Model, answers: RunAnswers) -> None:
        if self.state is state and self.program.model_state.model is model:
            state.run = answers
            self.refresh_ladder()
            self.name_keys()

    def on_run_update(self, running: Running) -> None:
        """Show what a run over the open collection is answered, as if it were asked here."""
        state, model_state = self.state, self.program.model_state
        if state is None or running.collection is not state.collection:
            return
        if model_state.model is not None and model_state.model.info.recorded:
            # A record is taken in when its model is loaded; showing its figures changes nothing.
            return
        # A run by another model, or in another form, says nothing of what is asked here.
        same = running.model is model_state.model and running.form is self.asking.form
        state.run = running.answers if same else None
        if not self.is_current or not state.is_open:
            return
        if running.busy and running.answers.latest != replace_surrogates(state.shown_id):
            # Drawing a ladder anew for every answer to another item would make keys wait.
            self.query_one(ItemList).mark(state.mark, state.shown_id)
        else:
            self.refresh_ladder()

    def on_screen_resume(self) -> None:
        """Show what a run was answered while another screen was in front."""
        self.refresh_ladder()
        self.name_keys()

    def action_ask(self) -> None:
        """Ask every layer of the item, or cancel the asking."""
        self.asking.toggle()
        self.blocks.pause_while_asking()
        if self.stacked and self.asking.busy is not None:
            self.enter_pane("ladder")
        self.refresh_ladder()

    def asked(self) -> None:
        """A ladder has ended, answered or not."""
        if self.is_running:
            self.blocks.pause_while_asking()
            self.refresh_ladder()
            self.name_keys()

    def action_form(self) -> None:
        """Put questions in the other form."""
        self.asking.other_form()
        self.refresh_ladder()

    def action_choose_model(self) -> None:
        """Choose and load a model."""
        self.program.choose_model()

    def action_collections(self) -> None:
        """Open another collection."""
        self.program.choose_collection(self.benchmark)

    def action_new_item(self) -> None:
        """Make an item of one's own."""
        self.program.make_item(self.benchmark)

    def action_next_tab(self) -> None:
        """Bring the next tab to the front, with the prompt of the layer under the cursor."""
        super().action_next_tab()
        self._show_prompt()

    def action_funnel(self) -> None:
        """Ask the whole collection."""
        if self.state is not None:
            self.program.open_funnel(self.benchmark, self.path, self.state.collection)

    def action_answer_all(self) -> None:
        """Answer the whole collection oneself."""
        if self.state is not None:
            self.program.answer_all(self.benchmark, self.path, self.state.collection)

    # -- the model's blocks ----------------------------------------------------------------------

    @property
    def ladder(self) -> LadderPane:
        """The pane with the ladder."""
        return self.query_one(LadderPane)

    def mount_block_pane(self, pane: BlockPane) -> None:
        """Place a pane about blocks where the live pane is."""
        self.query_one("#middle").mount(pane, before="#live")

    def point_out_text(self, text: str) -> None:
        """Highlight the statements and nodes that this part of the prompt names."""
        view = self.query_one(ViewPane)
        view.point(view.statements_in(text))
        graph = self.graph.graph if self.has_class("-graph") else None
        if graph is not None:
            self.graph.light(mentioned(text, graph.nodes) if text else ())

    def action_xray(self) -> None:
        """Open or close the X-ray."""
        self.blocks.toggle("xray")

    def action_heads(self) -> None:
        """Draw where the next head looks, or none."""
        self.blocks.next_head()

    def action_parts(self) -> None:
        """Show what the parts of each block add, or the options."""
        self.blocks.show_parts()

    def action_trace(self) -> None:
        """Open or close the trace."""
        self.blocks.toggle("trace")

    def action_contrast(self) -> None:
        """Choose the contrast prompt of the trace."""
        self.blocks.choose_contrast_prompt()

    def action_copied_part(self) -> None:
        """Trace another part of the blocks."""
        self.blocks.next_part()

    def action_mark_cell(self) -> None:
        """Mark the cell of the trace under the cursor."""
        self.blocks.mark_cell()

    def action_compare_model(self) -> None:
        """Load a second model and trace it too, or unload it."""
        self.blocks.choose_comparison_model()

    # -- finding one's way -----------------------------------------------------------------------

    def key_escape(self) -> None:
        """Take a patch back, or list everything again."""
        if not self.blocks.leave():
            self.leave_list()

    def action_about(self) -> None:
        """Show licence, origin, citation and defects of the collection."""
        from tui.browse.about_screen import about_text
        from tui.shell.text_screen import TextScreen

        if self.state is not None:
            self.app.push_screen(
                TextScreen(_("About this collection"), text=about_text(self.state.collection))
            )
