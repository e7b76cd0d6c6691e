"""The list of items: all of them, those that contain a text, those that failed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import get_current_worker

from core.contract.view import Role
from core.files.unreadable import count_errors
from core.text.errors import DataError, NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import _, ngettext
from tui.browse.feature import Feature
from tui.browse.state import BrowseState
from tui.browse.verdict_filter import VerdictFilter
from tui.shell.typed_text import FilterLine

if TYPE_CHECKING:
    from tui.runs.running import Running

_UNREAD = "answer:unread"
"""The filter for items with an answer that could not be read."""


class _Criteria(NamedTuple):
    """Which items of a collection are listed."""

    state: BrowseState
    text: str
    failed_only: bool


class ListFilter(Feature):
    """Lists the open collection, or the items that a search found."""

    NAME = "list"
    _failed_only = False
    """Whether only failed items are listed."""
    _before = -1
    """The position of the item that was open when the filter was opened."""
    first_item = ""
    """The id of the item that is shown first when the collection is open; empty for its first."""

    @property
    def _box(self) -> Widget:
        return self.host.query_one("#list-box")

    @property
    def _line(self) -> FilterLine:
        """The line to type in; hidden except while filtering."""
        return self._box.query_one(FilterLine)

    def mounted(self) -> None:
        """Name the list, and say there while a run is asking about it."""
        self._box.border_title = _("Items")
        self.host.program.collection_runs.signal.subscribe(self.host, self._show_in_title)

    def _show_in_title(self, running: Running) -> None:
        state = self.host.state
        asked = running.busy and state is not None and running.collection is state.collection
        self._box.border_title = _("Items, being asked") if asked else _("Items")

    def list_all(self) -> None:
        """List the whole collection."""
        self._failed_only = False
        if self.host.state is not None:
            self.list_positions(range(len(self.host.state.collection)), keep=self.host.state.index)

    def clear(self, why: str) -> None:
        """List no item: the collection is still being read, or cannot be."""
        self._box.border_subtitle = ""
        self.host.items.clear(why)

    def go_to(self, item_id: str) -> None:
        """List the whole collection with the cursor on an item; empty for where it is."""
        line = self._line
        with line.prevent(Input.Changed):
            line.value = ""
        self._hide(line)
        self.list_all()
        state = self.host.state
        if state is None or not item_id:
            return
        try:
            position = state.collection.find(item_id)
        except (NotFoundError, DataError) as error:
            self.warn(str(error))
            return
        self.list_positions(range(len(state.collection)), keep=position)
        if self.host.stacked:
            self.host.enter_pane("ladder")

    def list_positions(self, positions: Sequence[int], *, keep: int = -1) -> None:
        """List these positions; `keep` is the position to stay on if it is among them."""
        state = self.host.state
        if state is None:
            return
        items = self.host.items
        items.show(state.collection, positions, keep=keep)
        total, listed = len(state.collection), len(positions)
        count = f"{listed:,}"
        if self._failed_only:
            count = _("{n:,} of {all:,} failed", n=listed, all=total)
        elif listed != total:
            count = _("{n:,} of {all:,}", n=listed, all=total)
        unreadable = count_errors(state.collection.errors)
        if unreadable:
            count = ngettext(
                "{count}, {n} unreadable ({key})",
                "{count}, {n} unreadable ({key})",
                unreadable,
                count=count,
                n=unreadable,
                key=self.host.key("about"),
            )
        self._box.border_subtitle = Content(count)
        items.empty = ""
        if not listed:
            items.empty = self._why_empty(total)
            self.host.show_note(_("Nothing found"), items.empty)

    def _why_empty(self, total: int) -> str:
        """Why none of the items of a collection is listed, and what to press."""
        if not total:
            return _(
                "This collection holds no items. Press {others} to open another, or {new} to make "
                "an item.",
                others=self.host.key("collections"),
                new=self.host.key("new_item"),
            )
        if ":" in self._line.value:
            return _(
                "No item contains this, and no answer fits it: only items that were asked have "
                "answers. Press esc to see all again."
            )
        return _("No item contains this. Press esc to see all again.")

    def filter(self) -> None:
        """Ask for a text that the listed items must contain."""
        self.host.enter_pane("list", focus=False)
        line, state = self._line, self.host.state
        if not line.display and state is not None:
            self._before = state.index
        fields = self._fields()
        line.suggester = FieldSuggester(fields)
        names = " ".join(f"{name}:" for name in fields.names)
        line.placeholder = _("contains… or {names}", names=escape_control_characters(names))
        line.open()

    def parts(self, state: BrowseState) -> tuple[Sequence[int], Sequence[int]]:
        """The positions in the list, where it leaves some out, and those that failed."""
        count, listed = len(state.collection), self.host.items.positions
        failed = [p for p in range(count) if _failed(state, p)] if state.failed_any else []
        return listed if 0 < len(listed) < count else (), failed

    def failures(self) -> None:
        """List only the items that failed, as far as they were asked; or all again."""
        state = self.host.state
        if state is None:
            return
        if not self._failed_only and not state.failed_any:
            message = _(
                "Nothing has failed, as far as items were asked. {key} asks them all.",
                key=self.host.key("run_all"),
            )
            self.host.notify(message, markup=False)
            return
        self._failed_only = not self._failed_only
        self.host.enter_pane("list")
        self.find()

    def unread(self) -> None:
        """List only the items with an answer that could not be read, or all again."""
        state = self.host.state
        if state is None:
            return
        if self._line.value == _UNREAD:
            self.close()
            return
        if not state.unread_any:
            self.host.notify(_("Every written answer could be read."), markup=False)
            return
        self.filter()
        self._line.value = _UNREAD
        self.host.enter_pane("list")

    def _fields(self) -> VerdictFilter:
        state = self.host.state
        if state is None:
            return VerdictFilter(self.host.benchmark, (), lambda _item: False)
        return VerdictFilter(state.benchmark, state.verdicts(), state.right_at_every_layer)

    def find(self, keep: int | None = None) -> None:
        """List the items that contain what is typed, found in the background.

        A later call replaces it. `keep` is the position to stay on if it is among them; by default
        that of the open item.
        """
        if (criteria := self._criteria) is not None:
            self.host.run_worker(
                partial(self._search, criteria, keep),
                thread=True,
                exclusive=True,
                group="find",
                exit_on_error=False,
            )

    @property
    def _criteria(self) -> _Criteria | None:
        """What is asked for now; None while no collection is open."""
        state = self.host.state
        if state is None:
            return None
        return _Criteria(state, self._line.value, self._failed_only)

    def _search(self, criteria: _Criteria, keep: int | None) -> None:
        worker, state = get_current_worker(), criteria.state
        positions: Sequence[int] = range(len(state.collection))
        fields = VerdictFilter(state.benchmark, state.verdicts(), state.right_at_every_layer)
        query = fields.parse(criteria.text)
        if query.text:
            positions = state.collection.matching(query.text)
        if query.fields:
            positions = [
                position
                for position in positions
                if fields.holds(state.collection.entry(position).id, query.fields)
            ]
        if criteria.failed_only:
            positions = [position for position in positions if _failed(state, position)]
        if not worker.is_cancelled:
            keep = state.index if keep is None else keep
            self.host.app.call_from_thread(self._found, criteria, positions, keep)

    def _found(self, criteria: _Criteria, positions: Sequence[int], keep: int) -> None:
        """List what was found, unless something else is asked for by now."""
        if criteria == self._criteria:
            self.list_positions(positions, keep=keep)

    def close(self) -> None:
        """Close the filter and list everything again."""
        line = self._line
        if not line.display and not self._failed_only:
            return
        self._failed_only = False
        with line.prevent(Input.Changed):
            line.value = ""
        # If nothing was found, return to the item that was open before.
        self.find(keep=None if self.host.items.positions else self._before)
        self._hide(line)
        self.host.items.focus()

    @staticmethod
    def _hide(line: FilterLine) -> None:
        """Hide the line, and keep nothing of the answers that it completed from."""
        line.display = False
        line.suggester = None


class FieldSuggester(Suggester):
    """Completes the fields of answers in the filter; the right arrow accepts."""

    def __init__(self, fields: VerdictFilter) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._fields = fields

    async def get_suggestion(self, value: str) -> str | None:
        """What is typed, completed."""
        return self._fields.completion(value)


def _failed(state: BrowseState, position: int) -> bool:
    try:
        mark = state.mark(state.collection.entry(position).id)
    except DataError:
        return False
    return mark is not None and mark.role is Role.BAD
