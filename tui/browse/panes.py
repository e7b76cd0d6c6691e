"""A screen of panes: which one is in front, and moving, zooming and copying in it."""

from __future__ import annotations

from functools import partial

from textual import events
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget

from core.contract.benchmark import Benchmark
from core.layout.graph.ways import Heading
from core.text.escaping import escape_control_characters
from core.text.language import N_, _, ngettext
from tui.blocks.block_pane import BlockPane
from tui.browse.item_list import ItemList
from tui.browse.live_pane import TABS, LivePane
from tui.shell.command import BROWSE
from tui.shell.jump import Target
from tui.shell.program import program_of
from tui.widgets.bars import KeyBar
from tui.widgets.graph_view import GraphView
from tui.widgets.rows_view import RowsView
from tui.widgets.text_log import TextLog

PANES = ("list", "graph", "view", "ladder", "xray", "trace", "live")
"""All panes in their order."""
_LETTERS = {
    "list": ("i", N_("items")),
    "lesson": ("n", N_("narration")),
    "graph": ("g", N_("graph")),
    "view": ("v", N_("view")),
    "ladder": ("l", N_("ladder")),
    "xray": ("x", N_("blocks")),
    "trace": ("t", N_("trace")),
}
"""For each pane the letter that jumps to it, and what it is called there."""
_TAB_LETTERS = ("b", "p", "o")
"""The same for the tabs below."""
OPENED = {"graph": "-graph", "xray": "-xray", "trace": "-trace"}
"""Panes that are there only while the screen has a class."""


class PanesScreen(Screen[None]):
    """Moves between the panes and inside each; where not all fit, shows the one in front."""

    benchmark: Benchmark
    """What is browsed."""

    def __init__(self) -> None:
        super().__init__(classes="-pane-list")
        self.pane = "list"

    @property
    def live(self) -> LivePane:
        """The pane below."""
        return self.query_one(LivePane)

    @property
    def graph(self) -> GraphView:
        """The pane that draws a graph."""
        return self.query_one(GraphView)

    @property
    def panes(self) -> tuple[str, ...]:
        """The panes that there are now."""
        return tuple(p for p in PANES if p not in OPENED or self.has_class(OPENED[p]))

    def _key(self, command: str) -> str:
        """The key of a command here, as a person reads it."""
        return program_of(self.app).key(f"{BROWSE}.{command}")

    def pane_widget(self, pane: str) -> Widget:
        """What has the focus when one is in a pane."""
        return self.live.tab(self.live.current) if pane == "live" else self.query_one(f"#{pane}")

    def enter_pane(self, pane: str, *, focus: bool = True) -> None:
        """Bring a pane to the front, where not all fit, and focus what is in it."""
        others = (f"-pane-{name}" for name in PANES if name != pane)
        self.remove_class(*others, update=False)
        self.add_class(f"-pane-{pane}")
        self.pane = pane
        if focus:
            self.pane_widget(pane).focus()
        self.name_keys()

    @property
    def stacked(self) -> bool:
        """Whether only one pane is in sight at a time."""
        return self.has_class("-narrow")

    @property
    def offers(self) -> frozenset[str]:
        """What is on screen offers beyond being shown; see `Command.needs`."""
        return frozenset()

    def name_keys(self) -> None:
        """Name the keys of the pane in front below it."""
        self.query_one(KeyBar).show(self.pane, stacked=self.stacked, offers=self.offers)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keep track of the pane a click went into."""
        # A pane that was only passed through may tell of it late.
        for name in self.panes if event.widget is self.focused else ():
            if event.widget is self.pane_widget(name):
                self.pane = name
                self.name_keys()

    def action_next_pane(self) -> None:
        """Go to the next pane."""
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        """Go to the pane before."""
        self._step_pane(-1)

    def _step_pane(self, by: int) -> None:
        panes = self.panes
        at = panes.index(self.pane) if self.pane in panes else 0
        self.enter_pane(panes[(at + by) % len(panes)])

    def action_cursor_right(self) -> None:
        """Go to the node to the right, or to the next pane."""
        if self.pane == "graph":
            self.graph.step(Heading.RIGHT)
        elif isinstance(pane := self.pane_widget(self.pane), BlockPane):
            pane.sideways(1)
        else:
            self.action_next_pane()

    def action_cursor_left(self) -> None:
        """Go to the node to the left, or to the pane before."""
        if self.pane == "graph":
            self.graph.step(Heading.LEFT)
        elif isinstance(pane := self.pane_widget(self.pane), BlockPane):
            pane.sideways(-1)
        else:
            self.action_previous_pane()

    def jump_targets(self) -> list[Target]:
        """A letter for each pane, and for each tab of the one below."""
        found: list[Target] = []
        for pane in self.panes:
            box = self.query_one("#list-box") if pane == "list" else self.query_one(f"#{pane}")
            at = Offset(box.region.x, box.region.y) if box.region else None
            if pane != "live":
                key, label = _LETTERS[pane]
                go = partial(self.enter_pane, pane)
                found.append(Target(key, _(label), at, go, titled=at is not None))
                continue
            for (tab, label), key in zip(TABS, _TAB_LETTERS, strict=True):
                found.append(Target(key, _(label).lower(), at, partial(self._enter_tab, tab)))
        return found

    def _enter_tab(self, tab: str) -> None:
        """Bring a tab below to the front and focus it."""
        self.live.open_tab(tab)
        self.enter_pane("live")

    def action_next_tab(self) -> None:
        """Bring the next tab below to the front."""
        self.enter_pane("live")
        self.live.next_tab()

    def _move(self, by: int) -> None:
        pane = self.pane_widget(self.pane)
        if isinstance(pane, ItemList | GraphView | RowsView | TextLog):
            pane.move_cursor(by)

    def action_cursor_down(self) -> None:
        """Move the cursor down."""
        self._move(1)

    def action_cursor_up(self) -> None:
        """Move the cursor up."""
        self._move(-1)

    def action_page_down(self) -> None:
        """Move the cursor a page down."""
        self._move(max(1, self.pane_widget(self.pane).size.height - 1))

    def action_page_up(self) -> None:
        """Move the cursor a page up."""
        self._move(-max(1, self.pane_widget(self.pane).size.height - 1))

    def action_first(self) -> None:
        """Move the cursor to the beginning."""
        self._move(-(10**9))

    def action_last(self) -> None:
        """Move the cursor to the end."""
        self._move(10**9)

    def action_pan_up(self) -> None:
        """Scroll up without moving the cursor."""
        self._pan(y=-1)

    def action_pan_down(self) -> None:
        """Scroll down without moving the cursor."""
        self._pan(y=1)

    def action_pan_left(self) -> None:
        """Scroll left without moving the cursor."""
        self._pan(x=-4)

    def action_pan_right(self) -> None:
        """Scroll right without moving the cursor."""
        self._pan(x=4)

    def _pan(self, x: int = 0, y: int = 0) -> None:
        self.pane_widget(self.pane).scroll_relative(x, y, animate=False)

    def action_zoom_in(self) -> None:
        """Draw the graph's nodes larger."""
        if self.has_class("-graph"):
            self.graph.zoom(1)

    def action_zoom_out(self) -> None:
        """Draw the graph's nodes smaller."""
        if self.has_class("-graph"):
            self.graph.zoom(-1)

    def action_fit(self) -> None:
        """Draw the graph as large as it fits, and bring the node under the cursor into sight."""
        if self.has_class("-graph"):
            self.graph.fit()

    def action_turn(self) -> None:
        """Draw the graph from left to right, or from top to bottom."""
        if self.has_class("-graph"):
            self.graph.turn()

    def action_copy(self) -> None:
        """Copy what is focused."""
        pane = self.pane_widget(self.pane)
        if self.pane == "live":
            what, text = self.live.copy_text()
        elif isinstance(pane, ItemList | GraphView | RowsView):
            what, text = pane.copy_text()
        else:
            return
        self.app.copy_to_clipboard(text)
        if len(text) <= 40:
            said = _(
                "Copied the {what}: {text}", what=_(what), text=escape_control_characters(text)
            )
        else:
            said = ngettext(
                "Copied the {what}: {n:,} character",
                "Copied the {what}: {n:,} characters",
                len(text),
                what=_(what),
                n=len(text),
            )
        self.notify(said, markup=False, timeout=3)

    def help_topic(self) -> str:
        """What the benchmark says of what is in the focused pane, then the pane of itself."""
        widget: object = self.live if self.pane == "live" else self.pane_widget(self.pane)
        topics = [getattr(widget, "HELP", "")]
        item, graph = self.benchmark.item_help, self.benchmark.graph_help
        # Statements can be drawn as a graph where there is no other.
        topics.insert(0, {"view": item, "graph": graph or item}.get(self.pane, ""))
        return "\n\n".join(_(topic) for topic in topics if topic)
