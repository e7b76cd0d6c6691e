"""Moves between the panes of an item screen, and moves, zooms and copies in each."""

from __future__ import annotations

from functools import partial
from typing import Protocol, runtime_checkable

from textual.geometry import Offset
from textual.widget import Widget

from core.layout.graph.neighbours import Heading
from core.text.language import N_, _
from tui.browse.feature import Feature, ItemHost
from tui.browse.item_list import ItemList
from tui.browse.live_pane import TABS
from tui.shell.clipboard import copy
from tui.shell.jump import Target
from tui.widgets.graph_view import GraphView
from tui.widgets.rows_view import RowsView
from tui.widgets.text_log import TextLog

PANES = ("list", "graph", "view", "ladder", "xray", "trace", "live")
"""All panes of a browsing screen, in their order."""
_LETTERS = {
    "list": ("i", N_("items")),
    "lesson": ("n", N_("narration")),
    "graph": ("g", N_("graph")),
    "view": ("v", N_("view")),
    "ladder": ("l", N_("ladder")),
    "xray": ("x", N_("blocks")),
    "trace": ("t", N_("trace")),
}
"""The letter that jumps to each pane, and the pane's name."""
_TAB_LETTERS = ("b", "p", "o")
"""The letters of the tabs."""
_OPENED = {"graph": "-graph", "xray": "-xray", "trace": "-trace"}
"""Panes that exist only while the screen has this class."""
_FARTHER = 10**9
"""More rows than any pane has."""


@runtime_checkable
class HasColumns(Protocol):
    """A pane whose cursor moves sideways too, and that handles enter."""

    def sideways(self, by: int) -> None:
        """Move the cursor to the right, or to the left where `by` is negative."""
        ...

    def enter(self) -> None:
        """Do what enter does at the cursor."""
        ...


class PaneNavigator(Feature):
    """Knows which pane is in front, and does what movement keys do in it.

    Args of `__init__`:
        host: the screen.
        order: the names of the panes; the first is in front at first.
    """

    NAME = "panes"

    def __init__(self, host: ItemHost, order: tuple[str, ...]) -> None:
        super().__init__(host)
        self.order = order
        host.pane = order[0]

    @property
    def panes(self) -> tuple[str, ...]:
        """The panes that there are now."""
        return tuple(
            pane for pane in self.order if pane not in _OPENED or self.host.has_class(_OPENED[pane])
        )

    @property
    def front(self) -> Widget:
        """The widget that has the focus in the pane in front."""
        return self.host.pane_widget(self.host.pane)

    def enter(self, pane: str, *, focus: bool = True) -> None:
        """Bring a pane to the front, where not all fit, and focus what is in it."""
        others = (f"-pane-{name}" for name in {*PANES, *self.order} if name != pane)
        self.host.remove_class(*others, update=False)
        self.host.add_class(f"-pane-{pane}")
        self.host.pane = pane
        if focus:
            self.front.focus()

    def focused(self, widget: Widget) -> bool:
        """Take the pane whose widget got the focus as the one in front; False if none has it."""
        for name in self.panes:
            if widget is self.host.pane_widget(name):
                self.host.pane = name
                return True
        return False

    def jump_targets(self) -> list[Target]:
        """A letter for each pane, and for each tab of the one below."""
        targets: list[Target] = []
        for pane in self.panes:
            box = self._box(pane)
            at = Offset(box.region.x, box.region.y) if box.region else None
            if pane != "live":
                key, label = _LETTERS[pane]
                go = partial(self.host.enter_pane, pane)
                targets.append(Target(key, _(label), at, go, titled=at is not None))
                continue
            for (tab, label), key in zip(TABS, _TAB_LETTERS, strict=True):
                targets.append(Target(key, _(label).lower(), at, partial(self._enter_tab, tab)))
        return targets

    def _box(self, pane: str) -> Widget:
        """The widget with the border of a pane."""
        if pane == "view":
            return self.host.item_text
        return self.host.query_one("#list-box" if pane == "list" else f"#{pane}")

    def help_topic(self) -> str:
        """The benchmark's help on the content of the pane in front, then the help on the pane."""
        widget: object = self.host.live if self.host.pane == "live" else self.front
        benchmark = self.host.benchmark
        item, graph = benchmark.item_help, benchmark.graph_help
        # Statements can be drawn as a graph where there is no other.
        content = {"view": item, "graph": graph or item}.get(self.host.pane, "")
        topics = (content, getattr(widget, "HELP", ""))
        return "\n\n".join(_(topic) for topic in topics if topic)

    # -- from pane to pane -----------------------------------------------------------------------

    def next_pane(self) -> None:
        """Go to the next pane."""
        self._step_pane(1)

    def previous_pane(self) -> None:
        """Go to the pane before."""
        self._step_pane(-1)

    def _step_pane(self, by: int) -> None:
        panes = self.panes
        index = panes.index(self.host.pane) if self.host.pane in panes else 0
        self.host.enter_pane(panes[(index + by) % len(panes)])

    def _enter_tab(self, tab: str) -> None:
        self.host.live.open_tab(tab)
        self.host.enter_pane("live")

    def next_tab(self) -> None:
        """Bring the next tab below to the front."""
        self.host.enter_pane("live")
        self.host.live.next_tab()
        self.ladder_changed()

    def ladder_changed(self) -> None:
        """Show the prompt of the layer under the cursor, where the prompt is in front."""
        if self.host.live.current == "prompt":
            rung = self.host.ladder.rung()
            question = rung.question if rung else None
            prompt = self.host.asking.prompt_text(question) if question else ""
            self.host.live.tab("prompt").replace(prompt)

    # -- in the pane in front --------------------------------------------------------------------

    def cursor_right(self) -> None:
        """Go to the node to the right, or to the next pane."""
        self._sideways(1, Heading.RIGHT)

    def cursor_left(self) -> None:
        """Go to the node to the left, or to the pane before."""
        self._sideways(-1, Heading.LEFT)

    def _sideways(self, by: int, heading: Heading) -> None:
        front = self.front
        if self.host.pane == "graph":
            self.host.graph.step(heading)
        elif isinstance(front, HasColumns):
            front.sideways(by)
        else:
            self._step_pane(by)

    def move(self, by: int) -> None:
        """Move the cursor some rows down, or up where `by` is negative."""
        front = self.front
        if isinstance(front, ItemList | GraphView | RowsView | TextLog):
            front.move_cursor(by)

    def cursor_down(self) -> None:
        """Move the cursor down."""
        self.move(1)

    def cursor_up(self) -> None:
        """Move the cursor up."""
        self.move(-1)

    def page_down(self) -> None:
        """Move the cursor a page down."""
        self.move(max(1, self.front.size.height - 1))

    def page_up(self) -> None:
        """Move the cursor a page up."""
        self.move(-max(1, self.front.size.height - 1))

    def first(self) -> None:
        """Move the cursor to the beginning."""
        self.move(-_FARTHER)

    def last(self) -> None:
        """Move the cursor to the end."""
        self.move(_FARTHER)

    def pan_up(self) -> None:
        """Scroll up without moving the cursor."""
        self._pan(y=-1)

    def pan_down(self) -> None:
        """Scroll down without moving the cursor."""
        self._pan(y=1)

    def pan_left(self) -> None:
        """Scroll left without moving the cursor."""
        self._pan(x=-4)

    def pan_right(self) -> None:
        """Scroll right without moving the cursor."""
        self._pan(x=4)

    def _pan(self, x: int = 0, y: int = 0) -> None:
        self.front.scroll_relative(x, y, animate=False)

    def zoom_in(self) -> None:
        """Draw the graph's nodes larger."""
        if self.host.graph_shown:
            self.host.graph.zoom(1)

    def zoom_out(self) -> None:
        """Draw the graph's nodes smaller."""
        if self.host.graph_shown:
            self.host.graph.zoom(-1)

    def fit(self) -> None:
        """Draw the graph as large as it fits, and bring the node under the cursor into sight."""
        if self.host.graph_shown:
            self.host.graph.fit()

    def turn(self) -> None:
        """Draw the graph from left to right, or from top to bottom."""
        if self.host.graph_shown:
            self.host.graph.turn()

    def copy(self) -> None:
        """Copy from the pane in front."""
        front = self.front
        if self.host.pane == "live":
            what, text = self.host.live.copy_text()
        elif isinstance(front, ItemList | GraphView | RowsView):
            what, text = front.copy_text()
        else:
            return
        copy(self.host.app, what, text)
