"""The list of a screen that browses: all items, those that contain a text, those that failed."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on, work
from textual.content import Content
from textual.widgets import Input
from textual.worker import get_current_worker

from core.contract.view import Role
from core.text.errors import DataError
from core.text.language import _, ngettext
from tui.browse.item_list import ItemList
from tui.browse.panes import PanesScreen
from tui.browse.state import BrowseState


class ListingScreen(PanesScreen):
    """Lists the open collection, or what is looked for in it."""

    state: BrowseState | None

    def __init__(self) -> None:
        super().__init__()
        self._failed_only = False
        """Whether only items are listed that failed."""

    def nothing_listed(self, why: str) -> None:
        """Say in the panes beside the list that it is empty."""
        raise NotImplementedError

    def list_all(self) -> None:
        """List the whole collection, whatever was looked for before."""
        self._failed_only = False
        if self.state is not None:
            self.list_positions(range(len(self.state.collection)), keep=self.state.index)

    def list_positions(self, positions: Sequence[int], *, keep: int = -1) -> None:
        """List these positions; `keep` is the position to stay on if it is among them."""
        state = self.state
        if state is None:
            return
        items = self.query_one(ItemList)
        items.show(state.collection, positions, keep=keep)
        everything, found = len(state.collection), len(positions)
        count = f"{found:,}"
        if self._failed_only:
            count = _("{n:,} of {all:,} failed", n=found, all=everything)
        elif found != everything:
            count = _("{n:,} of {all:,}", n=found, all=everything)
        troubles = len(state.collection.errors)
        if troubles:
            count = ngettext(
                "{count}, {n} unreadable ({key})",
                "{count}, {n} unreadable ({key})",
                troubles,
                count=count,
                n=troubles,
                key=self._key("about"),
            )
        self.query_one("#list-box").border_subtitle = Content(count)
        items.empty = ""
        if not found:
            items.empty = (
                _("No item contains this. Press esc to see all again.")
                if everything
                else _(
                    "This collection holds no items. Press {others} to open another, or {new} to "
                    "make an item.",
                    others=self._key("collections"),
                    new=self._key("new_item"),
                )
            )
            self.nothing_listed(items.empty)

    def action_filter(self) -> None:
        """Type what the listed items must contain."""
        self.enter_pane("list", focus=False)
        line = self._filter
        line.display = True
        # At once, so that not a key typed after this one goes elsewhere.
        self.set_focus(line)

    def action_failures(self) -> None:
        """List only the items that failed, as far as they were asked; or all again."""
        state = self.state
        if state is None:
            return
        if not self._failed_only and not state.failed_any:
            said = _("Nothing has failed, as far as items were asked. {key} asks them all.")
            self.notify(said.format(key=self._key("funnel")), markup=False)
            return
        self._failed_only = not self._failed_only
        self.enter_pane("list")
        self.find(self._filter.value)

    @property
    def _filter(self) -> Input:
        """The line of the filter, in sight only while one filters."""
        return self.query_one("#filter", Input)

    @on(Input.Changed, "#filter")
    def filter_changed(self, event: Input.Changed) -> None:
        """List what contains the text, found away from the screen."""
        self.find(event.value)

    @work(thread=True, exclusive=True, group="find", exit_on_error=False)
    def find(self, text: str) -> None:
        """Find the items that contain `text`; a later call makes this one moot."""
        state = self.state
        if state is None:
            return
        worker, failed_only = get_current_worker(), self._failed_only
        found: Sequence[int] = range(len(state.collection))
        if text:
            found = state.collection.matching(text)
        if failed_only:
            found = [place for place in found if self._failed(state, place)]
        if not worker.is_cancelled:
            self.app.call_from_thread(self.list_positions, found, keep=state.index)

    def _failed(self, state: BrowseState, position: int) -> bool:
        try:
            mark = state.mark(state.collection.entry(position).id)
        except DataError:
            return False
        return mark is not None and mark.role is Role.BAD

    @on(Input.Submitted, "#filter")
    def filter_done(self) -> None:
        """Go to the list that was found."""
        self.query_one(ItemList).focus()

    def leave_list(self) -> None:
        """Close the filter and list everything again."""
        line = self._filter
        if not line.display and not self._failed_only:
            return
        self._failed_only = False
        if line.value:
            line.value = ""
        else:
            self.find("")
        line.display = False
        self.query_one(ItemList).focus()
