"""A screen of text to read: help, licence and citation, an error in full."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.clipboard import copy
from tui.shell.dialogue import Dialogue


class TextScreen(Dialogue[None]):
    """Shows prose of ours (Markdown) and text from elsewhere (never markup), and closes."""

    HELP = N_("""
    ## A text to read

    **j** and **k** or the arrows scroll, **y** copies it, **esc** closes it.
    """)

    DEFAULT_CSS = """
    TextScreen {
        align: center middle;
        background: $background 60%;
        & > VerticalScroll {
            width: 90;
            max-width: 96%;
            height: auto;
            max-height: 92%;
            border: round $primary;
            border-title-color: $cs-key;
            background: $surface;
            padding: 0 2;
            scrollbar-size-vertical: 1;
        }
        & Static { margin-bottom: 1; padding-right: 1; color: $cs-plain; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark,f1", "close", N_("close")),
        Binding("y", "copy", N_("copy"), show=False),
        Binding("j,down", "scroll(1)", N_("down"), show=False),
        Binding("k,up", "scroll(-1)", N_("up"), show=False),
        Binding("pagedown", "scroll(10)", N_("down"), show=False),
        Binding("pageup", "scroll(-10)", N_("up"), show=False),
    ]

    def __init__(self, title: str, prose: str = "", text: str = "") -> None:
        super().__init__()
        self._title = title
        self.prose = prose
        self._text = text

    def compose(self) -> ComposeResult:
        """A scrolling box."""
        with VerticalScroll() as box:
            box.border_title = self._title
            box.border_subtitle = _("esc closes · y copies")
            if self._text:
                yield Static(
                    escape_control_characters(self._text, lines=True, limit=20000), markup=False
                )
            if self.prose:
                # Its parser is not needed for the first paint.
                from tui.shell.prose import Prose

                yield Static(Prose(self.prose, self.app.theme_variables))

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy the text."""
        copy(self.app, N_("text"), self._text or self.prose)

    def action_scroll(self, by: int) -> None:
        """Scroll the text."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)
