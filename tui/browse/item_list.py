"""The left pane: a list of any length that draws only the rows on screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from core.contract.collection import Collection, Entry
from core.contract.view import Role
from core.layout.rows import SIGNS, Ink, pad, wrap
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.runs.marks import Mark
from tui.widgets.pane_styles import SCROLLBAR_CSS, PaneStyles

_ID_WIDTH = 7
_MEASURED = 50
"""Entries that decide how wide the column of ids is."""


class ItemList(ScrollView, can_focus=True, inherit_bindings=False):
    """Lists items of a collection; the variants of a family stand together."""

    HELP = N_("""
    ## The list

    Every item of the open collection; the variants of a family stand together. `/` lists only
    those that contain what you type, `!` those that failed, `*` those with a
    written answer that could not be read. In the filter `answer:wrong` (`right`,
    `unread`), `layer:`, `option:`, `gold:` and the tags of the benchmark (`hops:3`, `distractors:`,
    `scenario:`, `state:`, `relation:`) ask for items with such an answer: one answer must fit all
    of them. `reached:` and a layer ask for items whose first wrong answer is there, `reached:end`
    for those right at every layer. **→** completes.

    `✓` right at every layer, `✗2` first wrong at the second. `✓≈` right, but also gave that answer
    where it is wrong.
    """)
    DEFAULT_CSS = f"""
    ItemList {{
{SCROLLBAR_CSS}
    }}
    """

    cursor: reactive[int] = reactive(0, repaint=False)
    """The row under the cursor."""

    class Highlighted(Message):
        """Another item is under the cursor; `take_highlighted` gives its position."""

        @staticmethod
        def can_replace(message: Message) -> bool:
            """Only the last of many quick moves matters."""
            return isinstance(message, ItemList.Highlighted)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.inks = PaneStyles(self)
        self.collection: Collection | None = None
        self.positions: Sequence[int] = ()
        self._newly_highlighted = False
        self._mark_of: Callable[[str], Mark | None] = lambda item_id: None
        self._in_sight: tuple[Mark | None, ...] = ()
        """The marks of the rows on screen, when they were last looked at."""
        self._id_width = _ID_WIDTH
        self.empty = ""
        """The text shown while nothing is listed."""
        self.shown_id = ""
        """The id of the shown item, which may be another variant than the one under the cursor."""

    def notify_style_update(self) -> None:
        """Look styles up again after the theme or a class has changed."""
        self.inks.clear()
        super().notify_style_update()

    def show(self, collection: Collection, positions: Sequence[int], *, keep: int = -1) -> None:
        """List these positions; `keep` is the position to stay on if it is among them."""
        self.collection = collection
        self.positions = positions
        first = [self._entry(at) for at in range(min(len(positions), _MEASURED))]
        # Long ids say nothing that the label does not say better, and would leave it no room.
        labelled = all(entry.label for entry in first)
        long = any(len(entry.id) > _ID_WIDTH for entry in first)
        self._id_width = 0 if labelled and long else _ID_WIDTH
        self.virtual_size = Size(self.size.width, len(positions))
        at = positions.index(keep) if keep in positions else 0
        if self.cursor == at:
            self._highlight()
        self.cursor = at
        self.refresh()

    def clear(self, empty: str) -> None:
        """List nothing, and say why."""
        self.collection, self.positions, self.empty = None, (), empty
        self._newly_highlighted = False
        self.cursor = 0
        self.virtual_size = Size(self.size.width, 0)
        self.refresh()

    def mark(self, mark_of: Callable[[str], Mark | None], shown_id: str) -> None:
        """Show the marks of items, by their ids, and point at the item on screen."""
        self._mark_of = mark_of
        first = self.scroll_offset.y
        rows = range(first, min(len(self.positions), first + self.size.height))
        in_sight = tuple(mark_of(self._entry(at).id) for at in rows)
        if (in_sight, shown_id) != (self._in_sight, self.shown_id):
            self._in_sight, self.shown_id = in_sight, shown_id
            self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Rows are as wide as the pane."""
        self.virtual_size = Size(self.size.width, len(self.positions))

    def watch_cursor(self, old: int) -> None:
        """Repaint both rows, and post `Highlighted`."""
        self.refresh(self._row_region(old))
        self._highlight()

    def _row_region(self, at: int) -> Region:
        return Region(0, at - self.scroll_offset.y, self.size.width, 1)

    def _highlight(self) -> None:
        self.refresh(self._row_region(self.cursor))
        if self.positions:
            self.scroll_to_region(
                Region(0, self.cursor, 1, 1), animate=False, force=True, immediate=True
            )
            self._newly_highlighted = True
            self.post_message(self.Highlighted())

    def take_highlighted(self) -> int | None:
        """The position of the item under the cursor; None where it was taken already."""
        newly, self._newly_highlighted = self._newly_highlighted, False
        return self.positions[self.cursor] if newly and self.positions else None

    def move_cursor(self, by: int) -> None:
        """Step through the list, stopping at its ends."""
        if self.positions:
            self.cursor = min(len(self.positions) - 1, max(0, self.cursor + by))

    def copy_text(self) -> tuple[str, str]:
        """The id of the item under the cursor."""
        if self.collection is None or not self.positions:
            return N_("id"), ""
        return N_("id"), self._entry(self.cursor).id

    def _entry(self, at: int) -> Entry:
        """The line of a listed item; one that can no longer be read says so."""
        assert self.collection is not None
        try:
            return self.collection.entry(self.positions[at])
        except DataError:
            return Entry("?", _("cannot be read"))

    def render_line(self, y: int) -> Strip:
        """One row of the visible part: id, label or variant, and the mark."""
        at = y + self.scroll_offset.y
        base = self.inks.ground
        width = self.size.width
        if self.collection is None or at >= len(self.positions):
            return self._empty_row(at)
        entry = self._entry(at)
        above = self._entry(at - 1).group if at else None
        follows = bool(entry.group) and above == entry.group
        mark = self._mark_of(entry.id)
        if at == self.cursor:
            base += Style(bgcolor=self.inks.colour("cs-cursor"))
            if self.has_focus:
                base += Style(bold=True)
        id_width = self._id_width
        mark_width = 3
        text_width = max(1, width - id_width - mark_width - 2)
        text = entry.detail if follows else (entry.label or entry.detail)
        if follows and entry.short and cell_len(text) >= text_width:
            text = entry.short
        pointer = "▌" if at == self.cursor else "▸" if entry.id == self.shown_id else " "
        segments = [
            Segment(pointer, base + self.inks.ink(Role.PLAIN)),
            Segment(
                pad(escape_control_characters(entry.id), id_width, cell_len) if id_width else "",
                base + self.inks.ink(Ink.NUMBER),
            ),
            Segment(
                pad(
                    (" " if follows else "") + escape_control_characters(text), text_width, cell_len
                ),
                base + self.inks.ink(Role.MUTED if follows else Role.PLAIN),
            ),
            Segment(
                pad(SIGNS[mark.role] + mark.text if mark else "", mark_width, cell_len, right=True),
                base + self.inks.ink(Role.GOOD if mark and mark.role is Role.GOOD else Role.BAD),
            ),
        ]
        meta = Style(meta={"row": at})
        return Strip(
            [Segment(s.text, (s.style or base) + meta) for s in segments]
        ).adjust_cell_length(width, base)

    def _empty_row(self, at: int) -> Strip:
        """A row of the text for an empty list; a blank row below a list."""
        width = self.size.width
        lines = (
            wrap(escape_control_characters(self.empty), max(8, width - 2), cell_len)
            if self.empty
            else []
        )
        text = f" {lines[at]}" if not self.positions and at < len(lines) else ""
        style = self.inks.ground + self.inks.ink(Role.MUTED)
        return Strip([Segment(text, style)]).adjust_cell_length(width, self.inks.ground)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the clicked row."""
        row = event.style.meta.get("row")
        if isinstance(row, int):
            self.cursor = row
