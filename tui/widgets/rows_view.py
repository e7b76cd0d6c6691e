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
from textual.strip import Strip

from core.layout.rows import Ink, Row, plain
from core.view import Role
from tui.widgets.line_pane import InkPane


class RowsView(InkPane):
    """Paints rows; subclasses say which rows. A cursor steps over the refs the rows name."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--cursor"}
    DEFAULT_CSS = """
    RowsView {
        & > .rows--cursor { background: $cs-cursor; }
    }
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
        self._rows: list[Row] = []
        self._refs: list[str] = []
        self._first_row: dict[str, int] = {}
        self._pointed: frozenset[str] = frozenset()
        self.pinned = 0
        """How many rows stay at the top whatever is scrolled."""

    def point(self, refs: Iterable[str]) -> None:
        """Show what another pane is about as if the cursor stood on it."""
        if frozenset(refs) != self._pointed:
            self._pointed = frozenset(refs)
            self.refresh()

    def draw(self, width: int) -> list[Row]:
        """The rows for a pane `width` cells wide."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Ask for the rows again: what they show has changed.

        A pane that is out of sight keeps its cursor, and is drawn when it comes into sight.
        """
        if not self.size.width:
            return
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
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Rows depend on the width."""
        self.redraw()

    def watch_cursor(self, old: str, new: str) -> None:
        """Repaint, keep the cursor in sight, and tell."""
        self.refresh()
        if new:
            top = self._first_row.get(new, 0)
            below = [y for y in self._first_row.values() if y > top]
            height = min(below, default=len(self._rows)) - top
            self.scroll_to_region(
                Region(0, top, 1, max(1, height)), animate=False, force=True, immediate=True
            )
        if old != new:
            self.post_message(self.CursorMoved(self, new))

    def move_cursor(self, by: int) -> None:
        """Step the cursor over the refs, or scroll where there are none."""
        if not self._refs:
            self.scroll_relative(y=by, animate=False)
            return
        at = self._refs.index(self.cursor) if self.cursor in self._refs else 0
        self.cursor = self._refs[min(len(self._refs) - 1, max(0, at + by))]

    def copy_text(self) -> tuple[str, str]:
        """What `copy` takes from here: what it is, and the text."""
        return "pane", plain(self._rows)

    def render_line(self, y: int) -> Strip:
        """One row of the visible part."""
        at = y if y < self.pinned else y + self.scroll_offset.y
        base = self.ground
        width = self.size.width
        if at >= len(self._rows):
            return Strip.blank(width, base)
        row = self._rows[at]
        marked = self._pointed | {self.cursor} if self.has_focus else self._pointed
        on_cursor = any(span.ref and span.ref in marked for span in row)
        if on_cursor:
            mark = self.ink("rows--cursor")
            base += Style(bgcolor=mark.bgcolor, reverse=mark.reverse)
        segments = [
            Segment(span.text, self._style(span.ink, on_cursor, base, span.ref)) for span in row
        ]
        strip = Strip(segments).adjust_cell_length(width, base)
        return strip.apply_style(base) if not segments else strip

    def _style(self, ink: Role | Ink, on_cursor: bool, base: Style, ref: str) -> Style:
        style = base + self.ink(f"ink--{ink}")
        if on_cursor:
            style += Style(bgcolor=base.bgcolor)
        return style + Style(meta={"ref": ref}) if ref else style

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on what was clicked."""
        ref = event.style.meta.get("ref")
        if isinstance(ref, str):
            self.cursor = ref
