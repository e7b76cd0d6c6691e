"""A pane of plain lines that grows at its end, and stays put while a person reads further up."""

from __future__ import annotations

from collections import deque

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from core.contract.view import Role
from core.layout.rows import wrap
from core.text.escaping import escape_control_characters
from tui.widgets.pane_styles import SCROLLBAR_CSS, PaneStyles

LINES = 2000
"""Most lines kept; the oldest go first."""
_PERIOD = 0.05
"""Seconds between two redraws of streamed text; keys are handled in between."""


class TextLog(ScrollView, can_focus=True, inherit_bindings=False):
    """Wrapped lines of text; control characters in them are escaped."""

    DEFAULT_CSS = f"""
    TextLog {{
{SCROLLBAR_CSS}
    }}
    """

    def __init__(self, *, id: str | None = None, empty: str = "") -> None:  # noqa: A002
        super().__init__(id=id)
        self.inks = PaneStyles(self)
        self._lines: deque[str] = deque(maxlen=LINES)
        self._drawn: deque[tuple[str, ...]] = deque(maxlen=LINES)
        self._flat: list[str] = []
        self._open = False
        self._follows = True
        self._behind = False
        self.empty = empty
        """The text shown while there are no lines."""

    def notify_style_update(self) -> None:
        """Look styles up again after the theme or a class has changed."""
        self.inks.clear()
        super().notify_style_update()

    @property
    def text(self) -> str:
        """All lines, as they came."""
        return "\n".join(self._lines)

    def add(self, line: str) -> None:
        """Add a whole line."""
        self._follows = self._follows or self.scroll_y >= self.max_scroll_y
        self._open = False
        self._lines.append(line)
        self._drawn.append(self._wrapped(line))
        self._changed()

    def begin(self, piece: str) -> None:
        """Begin a line that `stream` goes on with."""
        self._open = False
        self.stream(piece)

    def stream(self, piece: str) -> None:
        """Add to the last line, as it comes; line feeds begin new lines."""
        for i, part in enumerate(piece.split("\n")):
            if i or not self._open:
                self._lines.append("")
                self._drawn.append(())
                self._open = True
            self._lines[-1] += part
            self._drawn[-1] = self._wrapped(self._lines[-1])
        if not self._behind:
            self._behind = True
            self.set_timer(_PERIOD, self._changed)

    def replace(self, text: str) -> None:
        """Show another text, from its beginning."""
        self._lines.clear()
        self._lines.extend(text.split("\n") if text else ())
        self._open = False
        self._follows = False
        self._rewrap()
        self.scroll_home(animate=False)

    def move_cursor(self, by: int) -> None:
        """Scroll."""
        self.scroll_relative(y=by, animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the end until the person scrolls up, and again once they are back there."""
        super().watch_scroll_y(old_value, new_value)
        # A move up that stops at the end is not the person's: there is more room, or less text.
        if new_value < old_value and new_value < self.max_scroll_y:
            self._follows = False
        elif new_value > old_value and new_value >= self.max_scroll_y:
            self._follows = True

    def on_resize(self, event: events.Resize) -> None:
        """Lines are wrapped to the width; a pane without room keeps them for when it has some."""
        if self.size:
            self._rewrap()
            self._keep_to_end()

    def _wrapped(self, line: str) -> tuple[str, ...]:
        width = self.size.width - 3
        return tuple(wrap(escape_control_characters(line), width, cell_len)) if width > 0 else ()

    def _rewrap(self) -> None:
        self._drawn = deque((self._wrapped(line) for line in self._lines), maxlen=LINES)
        self._changed()

    def _changed(self) -> None:
        self._behind = False
        self._flat = [row for rows in self._drawn for row in rows]
        size = Size(self.size.width, len(self._flat))
        grown = size != self.virtual_size
        self.virtual_size = size
        if grown:
            self._keep_to_end()
        self.refresh()

    def _keep_to_end(self) -> None:
        if self._follows:
            # The end is known only after the layout has taken the new size.
            self.call_after_refresh(self.scroll_end, animate=False)

    def render_line(self, y: int) -> Strip:
        """One row of the visible part."""
        at = y + self.scroll_offset.y
        base = self.inks.ground
        style = base + self.inks.ink(Role.PLAIN)
        if not self._flat:
            text = self.empty if y == 0 else ""
        else:
            text = self._flat[at] if at < len(self._flat) else ""
        return Strip([Segment(f" {text}", style)]).adjust_cell_length(self.size.width, base)
