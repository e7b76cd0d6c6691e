"""A scrolling pane that paints rows of spans and moves a cursor over the things they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from core.contract.view import Role
from core.layout.rows import Ink, Row, Span, plain
from core.text.language import N_
from tui.widgets.pane_styles import SCROLLBAR_CSS, PaneStyles

_MOST_STYLES = 10_000
"""Cached styles of spans before all are dropped."""


class RowsView(ScrollView, can_focus=True, inherit_bindings=False):
    """Paints rows; subclasses say which rows. A cursor steps over the refs the rows name."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--cursor"}
    DEFAULT_CSS = f"""
    RowsView {{
{SCROLLBAR_CSS}
        & > .rows--cursor {{ background: $cs-cursor; }}
    }}
    """

    cursor: reactive[str] = reactive("", repaint=False)
    """The ref under the cursor; empty when the rows name none."""

    @dataclass
    class CursorMoved(Message):
        """The cursor stands on another ref."""

        pane: RowsView
        ref: str

        @property
        def control(self) -> RowsView:
            """The pane it happened in."""
            return self.pane

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.inks = PaneStyles(self)
        self._rows: list[Row] = []
        self._refs: list[str] = []
        self._first_row: dict[str, int] = {}
        self.pointed: frozenset[str] = frozenset()
        """The refs that another pane points at."""
        self._span_styles: dict[tuple[Role | Ink, str, bool], Style] = {}
        """Cached styles of spans, by ink, ref and whether the row is marked."""
        self._strips: dict[int, tuple[Row, bool, Strip]] = {}
        """The painted rows by index: the row, whether it was marked, its strip."""
        self.pinned = 0
        """Rows at the top that do not scroll."""

    def point(self, refs: Iterable[str]) -> None:
        """Show the refs that another pane points at as if the cursor stood on them."""
        before, self.pointed = self.pointed, frozenset(refs)
        self._repaint(self._with(*(before ^ self.pointed)))

    def draw(self, width: int) -> list[Row]:
        """The rows for a pane `width` cells wide."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draw the rows again; a hidden pane keeps its cursor, and is drawn once it is shown."""
        if not self.size.width:
            return
        before, pinned = self._rows, self.pinned
        self._rows = self.draw(max(8, self.size.width - 1))
        self._first_row = {}
        for y, row in enumerate(self._rows):
            for span in row:
                if span.ref:
                    self._first_row.setdefault(span.ref, y)
        self._refs = list(self._first_row)
        if self.cursor not in self._first_row:
            self.cursor = self._refs[0] if self._refs else ""
        size = Size(self.size.width, len(self._rows))
        if size != self.virtual_size:
            self.virtual_size = size
        if len(before) != len(self._rows) or pinned != self.pinned:
            self._strips.clear()
            self.refresh()
        else:
            pairs = enumerate(zip(before, self._rows, strict=True))
            self._repaint([y for y, (old, new) in pairs if old != new])

    def _repaint(self, rows: Iterable[int]) -> None:
        """Paint some rows again."""
        top, width = self.scroll_offset.y, self.size.width
        regions = [Region(0, y if y < self.pinned else y - top, width, 1) for y in rows]
        if regions:
            self.refresh(*regions)

    def _with(self, *refs: str) -> list[int]:
        """The indices of the rows with one of these refs."""
        return [
            y
            for y, row in enumerate(self._rows)
            if any(span.ref and span.ref in refs for span in row)
        ]

    def on_resize(self, event: events.Resize) -> None:
        """Rows depend on the width."""
        self.redraw()

    def watch_cursor(self, old: str, new: str) -> None:
        """Repaint both rows, scroll to the cursor, and post `CursorMoved`."""
        self._repaint(self._with(old, new))
        if new:
            self.reveal(new)
        if old != new:
            self.post_message(self.CursorMoved(self, new))

    def reveal(self, ref: str) -> None:
        """Scroll to the rows of a ref, as many as there is room for, without moving the cursor.

        What stands above the first ref comes with it. The first row in sight is then the first of a
        ref, so that none stands under the heading of another.
        """
        top = self._first_row.get(ref, 0)
        end = min((y for y in self._first_row.values() if y > top), default=len(self._rows))
        top = 0 if ref == next(iter(self._refs), "") else top
        now, height = self.scroll_offset.y, self.size.height
        if now + self.pinned <= top and end <= now + height:
            return
        at = top
        if now + self.pinned <= top:
            beginnings = sorted(y for y in self._first_row.values() if y <= top)
            at = next((y for y in beginnings if end <= y - self.pinned + height), top)
        self.scroll_to(y=max(0, at - self.pinned), animate=False, force=True, immediate=True)

    def move_cursor(self, by: int) -> None:
        """Step the cursor over the refs, or scroll where there are none."""
        if not self._refs:
            self.scroll_relative(y=by, animate=False)
            return
        at = self._refs.index(self.cursor) if self.cursor in self._refs else 0
        self.cursor = self._refs[min(len(self._refs) - 1, max(0, at + by))]

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows as they are drawn now."""
        return tuple(self._rows)

    def copy_text(self) -> tuple[str, str]:
        """The text to copy, after a word for it."""
        return N_("pane"), plain(self._rows)

    def render_line(self, y: int) -> Strip:
        """One row of the visible part."""
        at = y if y < self.pinned else y + self.scroll_offset.y
        base = self.inks.ground
        width = self.size.width
        if at >= len(self._rows):
            return Strip.blank(width, base)
        row = self._rows[at]
        marked = self.pointed | {self.cursor} if self.has_focus else self.pointed
        on_cursor = any(span.ref and span.ref in marked for span in row)
        painted = self._strips.get(at)
        if painted is None or painted[:2] != (row, on_cursor) or painted[2].cell_length != width:
            painted = self._strips[at] = row, on_cursor, self._strip(row, on_cursor, width)
        return painted[2]

    def _strip(self, row: Row, on_cursor: bool, width: int) -> Strip:
        base = self.inks.ground
        if on_cursor:
            mark = self.inks.style("rows--cursor")
            base += Style(bgcolor=mark.bgcolor, reverse=mark.reverse)
        segments = [Segment(span.text, self._span_style(span, on_cursor, base)) for span in row]
        strip = Strip(segments).adjust_cell_length(width, base)
        return strip.apply_style(base) if not segments else strip

    def _span_style(self, span: Span, on_cursor: bool, base: Style) -> Style:
        key = span.ink, span.ref, on_cursor
        style = self._span_styles.get(key)
        if style is None:
            if len(self._span_styles) >= _MOST_STYLES:
                self._span_styles.clear()
            style = base + self.inks.ink(span.ink)
            if on_cursor:
                style += Style(bgcolor=base.bgcolor)
            if span.ref:
                style += Style(meta={"ref": span.ref})
            self._span_styles[key] = style
        return style

    def notify_style_update(self) -> None:
        """Rows have the colours of the theme."""
        self.inks.clear()
        self._strips.clear()
        self._span_styles.clear()
        super().notify_style_update()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on what was clicked; a second click acts on it."""
        ref = event.style.meta.get("ref")
        if isinstance(ref, str):
            again, self.cursor = ref == self.cursor, ref
            if again:
                self.clicked_again()

    def clicked_again(self) -> None:
        """Called when what is under the cursor was clicked."""
