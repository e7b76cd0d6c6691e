"""Jump mode: one letter for each pane."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

_TARGETS = {
    "i": ("list", "#list-box", "items"),
    "g": ("graph", "#graph", "graph"),
    "v": ("view", "#view", "view"),
    "l": ("ladder", "#ladder", "ladder"),
    "x": ("xray", "#xray", "blocks"),
    "t": ("trace", "#trace", "trace"),
    "b": ("live", "#live", "below"),
}
"""A letter for each pane: its name on the screen, where it is, and what it is called here."""


class JumpScreen(ModalScreen[str | None]):
    """Puts a letter on every pane in sight; pressing it goes there."""

    DEFAULT_CSS = """
    JumpScreen {
        background: $background 50%;
        & Static {
            position: absolute;
            width: auto;
            background: $primary;
            color: $background;
            text-style: bold;
        }
        & #banner { dock: bottom; width: 1fr; text-align: center; position: relative; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+o", "leave", "leave")]

    def compose(self) -> ComposeResult:
        """A label at the corner of each pane."""
        under = self.app.screen_stack[-1] if self.app.screen_stack else None
        screen = self.app.screen_stack[-2] if under is self else under
        for letter, (_, selector, name) in _TARGETS.items():
            found = screen.query(selector) if screen else ()
            for widget in found:
                if not widget.display:
                    continue
                label = Static(f" {letter} {name} ", markup=False)
                if widget.region:
                    label.styles.offset = (widget.region.x + 2, widget.region.y)
                else:
                    label.styles.offset = (2 + 12 * list(_TARGETS).index(letter), 2)
                yield label
        yield Static("Press a letter to jump, esc to stay", id="banner", markup=False)

    def on_key(self, event: events.Key) -> None:
        """Go to the pane with this letter."""
        if event.key in _TARGETS:
            event.stop()
            self.dismiss(_TARGETS[event.key][0])

    def action_leave(self) -> None:
        """Stay where one was."""
        self.dismiss(None)
