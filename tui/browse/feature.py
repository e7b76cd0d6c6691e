"""Features of an item screen, and the screen as they use it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from core.contract.benchmark import Benchmark
from core.contract.rungs import Rung
from core.contract.view import View
from core.layout.graph.mentions import mentioned_nodes
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from tui.browse.asking import Asking
from tui.browse.item_list import ItemList
from tui.browse.ladder_pane import LadderPane
from tui.browse.live_pane import LivePane
from tui.browse.state import BrowseState
from tui.browse.view_pane import ViewPane
from tui.shell.command import Place
from tui.shell.program import Program, program_of
from tui.widgets.graph_view import GraphView

WIDE, HIGH = 118, 34
"""Cells from which on a screen shows every pane, and translations unless the person hides them."""


class ItemHost(Screen[None]):
    """The screen that features belong to: the open item, its panes, the program."""

    benchmark: Benchmark
    path: Path
    state: BrowseState | None
    """The open collection and item; None before a collection is open."""
    asking: Asking
    pane: str
    """The name of the pane in front."""
    plugged_in: Sequence[type[Feature]]
    """The features that the program added to those of every item screen."""

    def call_after_refresh(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Call a function after the next paint, unless the screen has been closed by then."""

        def call_if_open() -> object:
            # The widgets of a screen are removed one by one while it is being closed.
            return callback(*args, **kwargs) if self in self.app.screen_stack else None

        return super().call_after_refresh(call_if_open)

    @property
    def program(self) -> Program:
        """The program, which holds the model and the runs."""
        return program_of(self.app)

    def key(self, command: str) -> str:
        """The key of a browsing command, as a person reads it."""
        return self.program.key(f"{Place.BROWSE}.{command}")

    @property
    def items(self) -> ItemList:
        """The list of items."""
        return self.query_one(ItemList)

    @property
    def graph(self) -> GraphView:
        """The pane that draws a graph."""
        return self.query_one(GraphView)

    @property
    def graph_shown(self) -> bool:
        """Whether the open item is drawn as a graph."""
        return self.has_class("-graph")

    @property
    def text_beside(self) -> bool:
        """Whether the item's text stands below the list, beside the ladder."""
        return self.has_class("-medium")

    @property
    def item_text(self) -> ViewPane:
        """The pane that shows the item as text."""
        return self.query_one("#beside" if self.text_beside else "#view", ViewPane)

    @property
    def ladder(self) -> LadderPane:
        """The pane of task layers."""
        return self.query_one(LadderPane)

    @property
    def live(self) -> LivePane:
        """The pane below: the model at work, the prompt, the log."""
        return self.query_one(LivePane)

    @property
    def stacked(self) -> bool:
        """Whether only one pane is in sight at a time."""
        return self.has_class("-narrow")

    def pane_widget(self, pane: str) -> Widget:
        """The widget that has the focus in a pane."""
        if pane == "view":
            return self.item_text
        return self.live.tab(self.live.current) if pane == "live" else self.query_one(f"#{pane}")

    def enter_pane(self, pane: str, *, focus: bool = True) -> None:
        """Bring a pane to the front, where not all fit, and focus it."""
        raise NotImplementedError

    def mount_pane(self, pane: Widget) -> None:
        """Add a pane in the place of the live pane."""
        self.query_one("#middle").mount(pane, before="#live")

    def point_out_text(self, text: str) -> None:
        """Highlight the statements and nodes that a part of a prompt names; none if it is empty."""
        self.item_text.point(self.item_text.statements_in(text))
        graph = self.graph.graph if self.graph_shown else None
        if graph is not None:
            self.graph.light(mentioned_nodes(text, graph.nodes) if text else ())

    def show_note(self, title: str, text: str) -> None:
        """Show a note in the place of an item, and no ladder."""
        raise NotImplementedError

    def refresh_item(self) -> None:
        """Draw the open item and its ladder again."""
        raise NotImplementedError

    def refresh_ladder(self) -> None:
        """Draw the ladder, its marks in the list, and the prompt again."""
        raise NotImplementedError

    def name_keys(self) -> None:
        """Name the keys of the pane in front below it."""
        raise NotImplementedError

    def light_up(self, written: str) -> None:
        """Light the nodes that the last sentence of a text names; none for an empty text."""
        raise NotImplementedError

    def ladder_ended(self) -> None:
        """Draw the result of a ladder that has ended, answered or not."""
        raise NotImplementedError


class Feature:
    """Something that a person can do on an item screen.

    A command that names the feature (`Command.feature`) is done by the method with the command's
    id. A method that waits for a dialogue is a coroutine, and runs as a worker. The methods below
    are called when something happens on the screen.
    """

    NAME: ClassVar[str]
    """The name by which commands refer to it (`Command.feature`)."""

    def __init__(self, host: ItemHost) -> None:
        self.host = host

    def warn(self, message: str) -> None:
        """Tell the person why something cannot be done."""
        self.host.notify(escape_control_characters(message), severity="warning", markup=False)

    def mounted(self) -> None:
        """Begin; the panes are there."""

    def item_opened(self) -> None:
        """Called when another item was opened."""

    def decorate_view(self, view: View) -> View:
        """A view of the open item, with what this feature draws on it."""
        return view

    def decorate_rung(self, rung: Rung) -> Rung:
        """A rung of the ladder, with what this feature changes of it."""
        return rung

    def ladder_changed(self) -> None:
        """Called when the ladder, or the rung under its cursor, is another one."""

    def asking_changed(self) -> None:
        """Called when asking the ladder begins or ends."""

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        """Called when a worker of the screen failed because of a defect."""

    def escape(self) -> bool:
        """Take something back when escape is pressed; False where there was nothing."""
        return False


class PaneFeature(Feature):
    """A feature with panes of its own, one of them open at most, in the place of the live pane."""

    @property
    def open_name(self) -> str:
        """The name of the pane that is open; empty where none is."""
        raise NotImplementedError

    def toggle_pane(self, name: str) -> None:
        """Open a pane, or close it."""
        raise NotImplementedError
