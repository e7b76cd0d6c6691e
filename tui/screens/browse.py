"""The main screen: the list, the item, the ladder, and what the model is doing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import get_current_worker

from core.benchmark import Benchmark, Collection
from core.errors import CommonsenseError, SettingError
from core.view import Note, Role, Statements, View
from core.visible import visible
from tui.asking import Asking
from tui.commands import BROWSE, bindings
from tui.desk import Desk
from tui.model_holder import ModelPhase, ModelState
from tui.screens.about import about_text
from tui.screens.jump import JumpScreen
from tui.screens.prompt import AskText, PickOne
from tui.screens.switches import next_value, shown_value
from tui.screens.text import TextScreen
from tui.widgets.bars import KeyBar, TopBar
from tui.widgets.item_list import ItemList
from tui.widgets.ladder_pane import LadderPane
from tui.widgets.live_pane import LivePane
from tui.widgets.rows_view import RowsView
from tui.widgets.text_log import TextLog
from tui.widgets.view_pane import ViewPane

if TYPE_CHECKING:
    from tui.app import CommonsenseApp

PANES = ("list", "view", "ladder", "live")


class BrowseScreen(Screen[None]):
    """Browses one collection and asks the model about its items."""

    WHERE = BROWSE
    CSS_PATH = "browse.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings(BROWSE)
    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]]] = [
        (0, "-narrow"),
        (78, "-medium"),
        (118, "-wide"),
    ]
    VERTICAL_BREAKPOINTS: ClassVar[list[tuple[int, str]]] = [(0, "-low"), (34, "-high")]

    def __init__(self, benchmark: Benchmark, path: Path) -> None:
        super().__init__()
        self.benchmark = benchmark
        self.path = path
        self.desk: Desk | None = None
        self._glosses: bool | None = None
        self.pane = "list"
        self._marked: int | None = None
        self.asking = Asking(self)

    @property
    def program(self) -> CommonsenseApp:
        """The app, by its own type."""
        from tui.app import CommonsenseApp

        return cast(CommonsenseApp, self.app)

    def compose(self) -> ComposeResult:
        """Bars above and below; list, item and ladder between them; the live pane under those."""
        yield TopBar()
        with Horizontal(id="panes"):
            with Vertical(id="list-box"):
                yield Input(placeholder="filter", id="filter", compact=True)
                yield ItemList(id="list")
            with Vertical(id="middle"):
                with Container(id="above"):
                    yield ViewPane(id="view")
                    yield LadderPane(id="ladder")
                yield LivePane(id="live")
        yield KeyBar(BROWSE)

    def on_mount(self) -> None:
        """Open the collection and hear about the model."""
        self.query_one("#list-box").border_title = "Items"
        self.query_one(LadderPane).border_title = "Ladder"
        self.program.model_signal.subscribe(self, self.show_model)
        self.program.log_signal.subscribe(self, self.live.tab("log").add)
        self.show_model(self.program.model_state)
        self._show_note("Opening…", visible(str(self.path)))
        self.query_one(ItemList).focus()
        self._enter_pane("list")
        self.open_collection()

    def on_resize(self) -> None:
        """Translations come and go with the room."""
        self.refresh_item()

    @property
    def live(self) -> LivePane:
        """The pane below."""
        return self.query_one(LivePane)

    @work(thread=True, exclusive=True, group="open", exit_on_error=False)
    def open_collection(self) -> None:
        """Read the collection's index away from the screen."""
        try:
            collection = self.benchmark.open(self.path)
        except CommonsenseError as error:
            self.app.call_from_thread(self._cannot_open, error)
            return
        self.app.call_from_thread(self._opened, collection)

    def _cannot_open(self, error: CommonsenseError) -> None:
        self._show_error(error)
        self.query_one(TopBar).show(self.benchmark.title, self.path.name)

    def _opened(self, collection: Collection) -> None:
        self.desk = Desk(self.benchmark, collection)
        self.query_one(TopBar).show(self.benchmark.title, collection.about.title)
        self._show_positions(range(len(collection)))

    def _show_positions(self, positions: Sequence[int], *, keep: int = -1) -> None:
        desk = self.desk
        if desk is None:
            return
        items = self.query_one(ItemList)
        items.show(desk.collection, positions, keep=keep)
        everything = len(desk.collection)
        found = len(positions)
        count = f"{found:,}" if found == everything else f"{found:,} of {everything:,}"
        troubles = len(desk.collection.errors)
        box = self.query_one("#list-box")
        box.border_subtitle = f"{count}, {troubles} unreadable (b)" if troubles else count
        if not found:
            self._show_note("Nothing found", "No item contains this. Press esc to see all again.")

    @property
    def glosses(self) -> bool:
        """Whether translations are shown: as chosen, or where there is room for them."""
        if self._glosses is None:
            return self.size.width >= 118 and self.size.height >= 34
        return self._glosses

    # -- what is on the desk -------------------------------------------------------------------

    @on(ItemList.Highlighted)
    def open_item(self, event: ItemList.Highlighted) -> None:
        """Show the item under the list's cursor."""
        if self.desk is None:
            return
        try:
            self.desk.open(event.index)
        except CommonsenseError as error:
            self._show_error(error)
            return
        self._marked = None
        self.refresh_item()

    def refresh_item(self) -> None:
        """Draw the open item and its ladder again."""
        desk = self.desk
        if desk is None or desk.item is None:
            return
        view = desk.view()
        pane = self.query_one(ViewPane)
        pane.show(view, glosses=self.glosses)
        pane.border_title = Content(visible(view.title)).markup
        badges = "  ".join(visible(badge.text) for badge in view.badges)
        pane.border_subtitle = Content(badges).markup
        self.refresh_ladder()

    def refresh_ladder(self) -> None:
        """Draw the ladder, its marks in the list, and the prompt again."""
        desk = self.desk
        if desk is None or desk.item is None:
            return
        self.query_one(LadderPane).show(
            desk.rungs(), source=self.asking.source(), hint=self.asking.hint()
        )
        self.query_one(ItemList).mark(desk.marks)
        self._show_prompt()

    @on(RowsView.CursorMoved, "#ladder")
    def _show_prompt(self) -> None:
        rung = self.query_one(LadderPane).rung()
        question = rung.question if rung else None
        self.live.tab("prompt").replace(self.asking.prompt_text(question) if question else "")

    def _show_note(self, title: str, text: str) -> None:
        self.query_one(ViewPane).show(View(title, blocks=(Note(text),)), glosses=False)
        self.query_one(ViewPane).border_title = title
        self.query_one(ViewPane).border_subtitle = ""

    def _show_error(self, error: CommonsenseError) -> None:
        notes = [Note(error.what, Role.BAD)]
        notes += [Note(text) for text in (error.where, error.hint) if text]
        self.query_one(ViewPane).show(View(error.title, blocks=tuple(notes)), glosses=False)
        self.query_one(ViewPane).border_title = error.title
        self.query_one(LadderPane).show((), source="", hint="")

    def _change(self, change: Callable[[Desk], None]) -> None:
        """Change what is on the desk and draw it, or say why it cannot be changed."""
        desk = self.desk
        if desk is None or desk.item is None:
            return
        try:
            change(desk)
        except SettingError as error:
            self.notify(visible(str(error)), severity="warning", markup=False)
            return
        self.refresh_item()

    def action_next_variant(self) -> None:
        """Show the next variant."""
        self._change(Desk.next_variant)

    def action_nth_variant(self, number: int) -> None:
        """Show the variant with this number."""
        self._change(lambda desk: desk.nth_variant(number))

    def action_toggle_last(self) -> None:
        """Jump between the item as it is and the last change."""
        self._change(Desk.toggle)

    def action_undo(self) -> None:
        """Undo the last change."""
        self._change(lambda desk: self._step(desk.history.undo(), "Nothing to undo."))

    def action_redo(self) -> None:
        """Redo the change that was undone."""
        self._change(lambda desk: self._step(desk.history.redo(), "Nothing to redo."))

    @staticmethod
    def _step(done: bool, otherwise: str) -> None:
        if not done:
            raise SettingError(otherwise)

    def action_move_back(self) -> None:
        """Move the sentence under the cursor one place up."""
        self._move_sentence(-1)

    def action_move_forward(self) -> None:
        """Move the sentence under the cursor one place down."""
        self._move_sentence(1)

    def _here(self) -> tuple[Statements, int]:
        """The block and place of the statement under the cursor; raises `SettingError`."""
        found = self.query_one(ViewPane).statement()
        if found is None:
            raise SettingError("There is no sentence under the cursor.")
        block, statement = found
        return block, block.statements.index(statement)

    def _move_sentence(self, by: int) -> None:
        def move(desk: Desk) -> None:
            block, place = self._here()
            desk.swap(block.order_switch, place, place + by)

        self._change(move)

    def action_swap(self) -> None:
        """Mark the sentence under the cursor, or swap it with the marked one."""

        def swap(desk: Desk) -> None:
            block, place = self._here()
            desk.switch(block.order_switch)
            if self._marked is None:
                self._marked = place
                self.notify("Marked. Press S on another sentence to swap the two.", timeout=4)
                return
            first, self._marked = self._marked, None
            desk.swap(block.order_switch, first, place)

        self._change(swap)

    @work(group="dialogue")
    async def action_retype(self) -> None:
        """Type another sentence in place of the one under the cursor."""
        desk = self.desk
        found = self.query_one(ViewPane).statement()
        if desk is None or found is None:
            return
        statement = found[1]
        if not statement.text_switch:
            self.notify("This cannot be retyped.", severity="warning", markup=False)
            return
        switch = desk.switch(statement.text_switch)
        text = await self.app.push_screen_wait(
            AskText(
                switch.label,
                "Your change is yours alone; the file stays as it is.",
                statement.text,
                switch.parse,
            )
        )
        if text is not None:
            self._change(lambda desk: desk.set(switch, text))

    @work(group="dialogue")
    async def action_switches(self) -> None:
        """See and set every switch of the item."""
        desk = self.desk
        if desk is None or desk.item is None:
            return
        at: int | None = 0
        while True:
            switches = desk.switches
            lines = [f"{s.label}: {shown_value(s, desk.history.now)}" for s in switches]
            at = await self.app.push_screen_wait(
                PickOne("Switches", "Everything that can be toggled on this item.", lines, at=at)
            )
            if at is None:
                return
            switch = switches[at]
            text = next_value(switch, desk.history.now)
            if text is None:
                start = desk.history.now.value(switch)
                text = await self.app.push_screen_wait(
                    AskText(switch.label, "", start, switch.parse)
                )
            if text is not None:
                chosen = text
                self._change(lambda desk, s=switch, t=chosen: desk.set(s, t))  # type: ignore[misc]

    def action_glosses(self) -> None:
        """Show or hide the translation."""
        self._glosses = not self.glosses
        self.refresh_item()

    # -- the model -----------------------------------------------------------------------------

    def show_model(self, state: ModelState) -> None:
        """Say in the bar which model there is, and drop answers of another."""
        bar = self.query_one(TopBar)
        if state.phase is ModelPhase.LOADING:
            bar.show_model(f"loading {state.name} {state.progress:.0%}", demo=False)
        elif state.ready and state.model is not None:
            info = state.model.info
            bar.show_model(f"{info.name} {info.quantisation}".strip(), demo=info.demo)
        elif state.phase is ModelPhase.FAILED:
            bar.show_model("no model: m chooses, p shows why", demo=False)
            self.live.say(state.error)
        else:
            bar.show_model("no model", demo=False)
        if state.phase is ModelPhase.LOADING and self.desk is not None:
            self.desk.forget_all()
        self.refresh_ladder()

    async def action_ask(self) -> None:
        """Ask every layer of the item, or cancel the asking."""
        await self.asking.toggle()

    def action_form(self) -> None:
        """Put questions in the other form."""
        self.asking.other_form()
        self.refresh_ladder()

    def action_choose_model(self) -> None:
        """Choose and load a model."""
        self.program.choose_model()

    def action_new_item(self) -> None:
        """Make an item of one's own."""
        self.program.make_item(self.benchmark)

    def action_funnel(self) -> None:
        """Ask the whole collection."""
        if self.desk is not None:
            self.program.open_funnel(self.benchmark, self.path, self.desk.collection)

    # -- finding one's way -----------------------------------------------------------------------

    def action_filter(self) -> None:
        """Type what the listed items must contain."""
        self._enter_pane("list")
        line = self.query_one("#filter", Input)
        line.add_class("-open")
        line.focus()

    @on(Input.Changed, "#filter")
    def filter_changed(self, event: Input.Changed) -> None:
        """List what contains the text, found away from the screen."""
        self.find(event.value)

    @work(thread=True, exclusive=True, group="find", exit_on_error=False)
    def find(self, text: str) -> None:
        """Find the items that contain `text`; a later call makes this one moot."""
        desk = self.desk
        if desk is None:
            return
        worker = get_current_worker()
        found = desk.collection.matching(text) if text else range(len(desk.collection))
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show_positions, found, keep=desk.index)

    @on(Input.Submitted, "#filter")
    def filter_done(self) -> None:
        """Go to the list that was found."""
        self.query_one(ItemList).focus()

    def key_escape(self) -> None:
        """Close the filter and list everything again."""
        line = self.query_one("#filter", Input)
        if line.has_class("-open"):
            line.value = ""
            line.remove_class("-open")
            self.query_one(ItemList).focus()

    def _pane_widget(self, pane: str) -> Widget:
        return self.live.tab(self.live.current) if pane == "live" else self.query_one(f"#{pane}")

    def _enter_pane(self, pane: str) -> None:
        """Bring a pane to the front, where not all fit, and focus it."""
        for name in PANES:
            self.set_class(name == pane, f"-pane-{name}")
        self.pane = pane
        self._pane_widget(pane).focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keep track of the pane a click went into."""
        for name in PANES:
            if event.widget is self._pane_widget(name):
                self.pane = name

    def action_next_pane(self) -> None:
        """Go to the next pane."""
        self._enter_pane(PANES[(PANES.index(self.pane) + 1) % len(PANES)])

    def action_previous_pane(self) -> None:
        """Go to the pane before."""
        self._enter_pane(PANES[(PANES.index(self.pane) - 1) % len(PANES)])

    @work(group="dialogue")
    async def action_jump(self) -> None:
        """Jump to a pane by its letter."""
        pane = await self.app.push_screen_wait(JumpScreen())
        if pane is not None:
            self._enter_pane(pane)

    def action_next_tab(self) -> None:
        """Bring the next tab below to the front."""
        self._enter_pane("live")
        self.live.next_tab()

    def _move(self, by: int) -> None:
        pane = self._pane_widget(self.pane)
        if isinstance(pane, ItemList | RowsView | TextLog):
            pane.move_cursor(by)

    def action_cursor_down(self) -> None:
        """Move the cursor down."""
        self._move(1)

    def action_cursor_up(self) -> None:
        """Move the cursor up."""
        self._move(-1)

    def action_page_down(self) -> None:
        """Move the cursor a page down."""
        self._move(max(1, self._pane_widget(self.pane).size.height - 1))

    def action_page_up(self) -> None:
        """Move the cursor a page up."""
        self._move(-max(1, self._pane_widget(self.pane).size.height - 1))

    def action_first(self) -> None:
        """Move the cursor to the beginning."""
        self._move(-(10**9))

    def action_last(self) -> None:
        """Move the cursor to the end."""
        self._move(10**9)

    def action_pan_up(self) -> None:
        """Scroll up without moving the cursor."""
        self._pane_widget(self.pane).scroll_relative(y=-1, animate=False)

    def action_pan_down(self) -> None:
        """Scroll down without moving the cursor."""
        self._pane_widget(self.pane).scroll_relative(y=1, animate=False)

    # -- taking things along ---------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what is focused."""
        pane = self._pane_widget(self.pane)
        if self.pane == "live":
            what, text = self.live.copy_text()
        elif isinstance(pane, ItemList | RowsView):
            what, text = pane.copy_text()
        else:
            return
        self.app.copy_to_clipboard(text)
        self.notify(f"Copied the {what}: {len(text):,} characters.", markup=False, timeout=3)

    def action_about(self) -> None:
        """Show licence, origin, citation and defects of the collection."""
        if self.desk is not None:
            self.app.push_screen(
                TextScreen("About this collection", text=about_text(self.desk.collection))
            )

    def help_topic(self) -> str:
        """What the focused pane says about itself, in Markdown."""
        widget: object = self.live if self.pane == "live" else self._pane_widget(self.pane)
        return cleandoc(getattr(widget, "HELP", "") or "")
