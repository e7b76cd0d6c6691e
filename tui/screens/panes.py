"""A screen of panes: which one is in front, and moving and copying in it."""

from __future__ import annotations

from inspect import cleandoc

from textual import events, work
from textual.screen import Screen
from textual.widget import Widget

from core.visible import visible
from tui.widgets.bars import KeyBar
from tui.widgets.item_list import ItemList
from tui.widgets.live_pane import LivePane
from tui.widgets.rows_view import RowsView
from tui.widgets.text_log import TextLog

PANES = ("list", "view", "ladder", "live")


class PanesScreen(Screen[None]):
    """Moves between the four panes and inside each; where not all fit, shows the one in front."""

    def __init__(self) -> None:
        super().__init__(classes="-pane-list")
        self.pane = "list"

    @property
    def live(self) -> LivePane:
        """The pane below."""
        return self.query_one(LivePane)

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

    def name_keys(self) -> None:
        """Name the keys of the pane in front below it."""
        self.query_one(KeyBar).show(self.pane, stacked=self.stacked)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keep track of the pane a click went into."""
        for name in PANES:
            if event.widget is self.pane_widget(name):
                self.pane = name
                self.name_keys()

    def action_next_pane(self) -> None:
        """Go to the next pane."""
        self.enter_pane(PANES[(PANES.index(self.pane) + 1) % len(PANES)])

    def action_previous_pane(self) -> None:
        """Go to the pane before."""
        self.enter_pane(PANES[(PANES.index(self.pane) - 1) % len(PANES)])

    @work(group="dialogue", exit_on_error=False)
    async def action_jump(self) -> None:
        """Jump to a pane by its letter."""
        from tui.screens.jump import JumpScreen

        pane = await self.app.push_screen_wait(JumpScreen())
        if pane is not None:
            self.enter_pane(pane)

    def action_next_tab(self) -> None:
        """Bring the next tab below to the front."""
        self.enter_pane("live")
        self.live.next_tab()

    def _move(self, by: int) -> None:
        pane = self.pane_widget(self.pane)
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
        self.pane_widget(self.pane).scroll_relative(y=-1, animate=False)

    def action_pan_down(self) -> None:
        """Scroll down without moving the cursor."""
        self.pane_widget(self.pane).scroll_relative(y=1, animate=False)

    def action_copy(self) -> None:
        """Copy what is focused."""
        pane = self.pane_widget(self.pane)
        if self.pane == "live":
            what, text = self.live.copy_text()
        elif isinstance(pane, ItemList | RowsView):
            what, text = pane.copy_text()
        else:
            return
        self.app.copy_to_clipboard(text)
        said = visible(text) if len(text) <= 40 else f"{len(text):,} characters"
        self.notify(f"Copied the {what}: {said}", markup=False, timeout=3)

    def help_topic(self) -> str:
        """What the focused pane says about itself, in Markdown."""
        widget: object = self.live if self.pane == "live" else self.pane_widget(self.pane)
        return cleandoc(getattr(widget, "HELP", "") or "")
