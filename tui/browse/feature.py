"""What a feature of an item screen is, and what it may use of the screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual.app import App
from textual.widget import Widget

from core.contract.benchmark import Benchmark
from core.contract.rungs import RungState
from core.contract.view import View
from core.text.escaping import escape_control_characters
from tui.browse.asking import Asking
from tui.browse.item_list import ItemList
from tui.browse.ladder_pane import LadderPane
from tui.browse.live_pane import LivePane
from tui.browse.state import BrowseState
from tui.browse.view_pane import ViewPane
from tui.shell.program import Program
from tui.widgets.graph_view import GraphView

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel
    from textual.worker import Worker


class ItemHost(Protocol):
    """The screen that a feature belongs to: the open item, the panes, the program."""

    benchmark: Benchmark
    path: Path
    state: BrowseState | None
    """The open collection and item; None before a collection is open."""
    asking: Asking

    @property
    def app(self) -> App[Any]:
        """The app, to open dialogues with."""
        ...

    @property
    def program(self) -> Program:
        """The program, which holds the model and the runs."""
        ...

    @property
    def is_current(self) -> bool:
        """Whether the screen is in front."""
        ...

    @property
    def features(self) -> Sequence[Feature]:
        """Every feature of the screen."""
        ...

    @property
    def plugged_in(self) -> Sequence[type[Feature]]:
        """The features that the program plugged into the screen."""
        ...

    @property
    def graph(self) -> GraphView:
        """The pane that draws a graph."""
        ...

    @property
    def graph_shown(self) -> bool:
        """Whether the open item is drawn as a graph."""
        ...

    @property
    def items(self) -> ItemList:
        """The list of items."""
        ...

    @property
    def item_text(self) -> ViewPane:
        """The pane that shows the item as text."""
        ...

    @property
    def ladder(self) -> LadderPane:
        """The pane of task layers."""
        ...

    @property
    def live(self) -> LivePane:
        """The pane below: the model at work, the prompt, the log."""
        ...

    @property
    def pane(self) -> str:
        """The name of the pane in front."""
        ...

    @property
    def stacked(self) -> bool:
        """Whether only one pane is in sight at a time."""
        ...

    def enter_pane(self, pane: str, *, focus: bool = True) -> None:
        """Bring a pane to the front and focus what is in it."""
        ...

    def pane_widget(self, pane: str) -> Widget:
        """What has the focus in a pane."""
        ...

    def mount_pane(self, pane: Widget) -> None:
        """Place a new pane where the live pane is."""
        ...

    def show_note(self, title: str, text: str) -> None:
        """Show a note in the place of an item, and no ladder."""
        ...

    def point_out_text(self, text: str) -> None:
        """Highlight what of the item stands in this part of a prompt; nothing where it is empty."""
        ...

    def refresh_item(self) -> None:
        """Draw the open item and its ladder again."""
        ...

    def refresh_ladder(self) -> None:
        """Draw the ladder again."""
        ...

    def name_keys(self) -> None:
        """Name the keys of the pane in front below it."""
        ...

    def key(self, command: str) -> str:
        """The key of a browsing command, as a person reads it."""
        ...

    def notify(
        self,
        message: str,
        *,
        severity: SeverityLevel = ...,
        timeout: float | None = ...,
        markup: bool = ...,
    ) -> None:
        """Tell the person something."""
        ...

    def run_worker(
        self,
        work: Awaitable[None] | Callable[[], None],
        *,
        group: str = ...,
        exit_on_error: bool = ...,
        exclusive: bool = ...,
        thread: bool = ...,
    ) -> Worker[None]:
        """Do something in the background."""
        ...

    def add_class(self, *names: str) -> object:
        """Give the screen a style class."""
        ...

    def remove_class(self, *names: str) -> object:
        """Take a style class from the screen."""
        ...

    def has_class(self, *names: str) -> bool:
        """Whether the screen has a style class."""
        ...

    def query(self, selector: str) -> Any:
        """Every widget of the screen that matches."""
        ...

    def query_one(self, selector: str) -> Widget:
        """The one widget of the screen that matches."""
        ...


class Feature:
    """Something that a person can do on an item screen.

    `Command.does` names the feature and the method that does a command. A method that waits for a
    dialogue is a coroutine, and runs as a worker. The hooks below tell a feature what happens on
    the screen.
    """

    NAME: ClassVar[str]
    """What `Command.does` calls it."""

    def __init__(self, host: ItemHost) -> None:
        self.host = host

    def warn(self, message: str) -> None:
        """Tell the person why something cannot be done."""
        self.host.notify(escape_control_characters(message), severity="warning", markup=False)

    def mounted(self) -> None:
        """Begin; the panes are there."""

    def item_opened(self) -> None:
        """Hear that another item was opened."""

    def decorate_view(self, view: View) -> View:
        """A view of the open item, with what this feature draws on it."""
        return view

    def decorate_rung(self, rung: RungState) -> RungState:
        """A rung of the ladder, with what this feature changes of it."""
        return rung

    def ladder_changed(self) -> None:
        """Hear that the ladder or the rung under its cursor is another one."""

    def asking_changed(self) -> None:
        """Hear that the ladder is asked now, or no longer."""

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
