"""A screen with one pane of rows, through which the keys move."""

from __future__ import annotations

from textual.widgets import Static

from core.text.escaping import escape_control_characters
from tui.shell.clipboard import copy
from tui.shell.dialogue import DismissedOnce
from tui.shell.program import Program, program_of
from tui.widgets.rows_view import RowsView


class RowsScreen(DismissedOnce[None]):
    """Has the actions that move through its rows, copy them, and close it.

    The rows stand between two bars, alone or in a box with the widget `#detail` below them.
    """

    DEFAULT_CSS = """
    RowsScreen {
        background: $background;
        & > RowsView, & > Vertical {
            height: 1fr;
            border: round $primary;
            border-title-color: $cs-key;
            border-subtitle-color: $cs-muted;
            background: $background;
        }
        & > Vertical > RowsView { height: 1fr; background: $background; }
        & #detail {
            height: auto;
            max-height: 5;
            padding: 0 1;
            color: $cs-muted;
            background: $panel;
            &.-bad { color: $cs-bad; }
        }
    }
    """

    @property
    def program(self) -> Program:
        """The running program."""
        return program_of(self.app)

    @property
    def pane(self) -> RowsView:
        """The rows."""
        return self.query_one(RowsView)

    def say(self, text: str, *, bad: bool = False) -> None:
        """Show a text below the rows; nothing where it is empty."""
        line = self.query_one("#detail", Static)
        line.update(escape_control_characters(text, lines=True))
        line.set_class(bad, "-bad")
        line.display = bool(text)

    def action_cursor_down(self) -> None:
        """Move the cursor one down."""
        self.pane.move_cursor(1)

    def action_cursor_up(self) -> None:
        """Move the cursor one up."""
        self.pane.move_cursor(-1)

    def action_first(self) -> None:
        """Move the cursor to the beginning."""
        self.pane.move_cursor(-len(self.pane.rows))

    def action_last(self) -> None:
        """Move the cursor to the end."""
        self.pane.move_cursor(len(self.pane.rows))

    def action_page_down(self) -> None:
        """Scroll a page down."""
        self.pane.scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        """Scroll a page up."""
        self.pane.scroll_page_up(animate=False)

    def action_copy(self) -> None:
        """Copy what the pane gives to copy."""
        copy(self.app, *self.pane.copy_text())

    def action_close(self) -> None:
        """Close the screen."""
        self.dismiss()
