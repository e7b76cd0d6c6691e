"""Shows the address at which a room votes, as a code for phones."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from core.layout.qr_code import qr_rows
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.dialogue import Dialogue


class RoomScreen(Dialogue[None]):
    """The code and the address in the middle of the screen."""

    HELP = N_("""
    ## Votes from the room

    Phones that read the code open a page on which they vote on what the lesson asks. The counts
    appear beside the hands. No names are asked, and nothing is kept when the lesson ends.
    """)
    DEFAULT_CSS = """
    RoomScreen {
        align: center middle;
        & > VerticalScroll { width: auto; max-width: 100%; height: auto; max-height: 100%; }
        & Static { width: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,space,enter,f8", "close", N_("close"), tooltip=N_("Go on.")),
    ]

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def compose(self) -> ComposeResult:
        """The code, the address, and how to go on."""
        rows = qr_rows(self._address, dark=self.app.current_theme.dark)
        with VerticalScroll():
            yield Static("\n".join(rows), markup=False, id="code")
            yield Static(escape_control_characters(self._address), markup=False)
            yield Static(_("esc goes on"), markup=False)

    def action_close(self) -> None:
        """Go back to the lesson."""
        self.dismiss(None)
