"""Draws what stands in a field without control characters; the text itself stays as it is."""

from __future__ import annotations

from rich.highlighter import Highlighter
from rich.text import Text
from textual.widgets import Input

from core.text.escaping import escape_control_characters

_STANDS_FOR = "�"
"""What is drawn for a character whose own sign takes more than one."""


class WithoutControls(Highlighter):
    """Replaces each control character by one sign, so that the cursor stands where it should."""

    def __call__(self, text: str | Text) -> Text:
        """The text as it may be drawn."""
        plain = text if isinstance(text, str) else text.plain
        shown = "".join(map(_sign, plain))
        return Text(shown, no_wrap=True, overflow="ignore", end="")

    def highlight(self, text: Text) -> None:
        """Nothing is coloured."""


class FilterLine(Input):
    """The line in which a list is filtered; hidden except meanwhile."""

    DEFAULT_CSS = """
    FilterLine#filter {
        height: 1;
        border: none;
        padding: 0 1;
        background: $panel;
        display: none;
    }
    """

    def __init__(self, placeholder: str) -> None:
        super().__init__(
            highlighter=WithoutControls(), placeholder=placeholder, id="filter", compact=True
        )

    def open(self) -> None:
        """Ask for a text that what is listed must contain."""
        self.display = True
        self.screen.set_focus(self)

    def close(self) -> bool:
        """Hide the line and list everything again; False where it is hidden already."""
        if not self.display:
            return False
        self.display = False
        self.value = ""
        return True


def _sign(character: str) -> str:
    escaped = escape_control_characters(character)
    return escaped if len(escaped) == 1 else _STANDS_FOR
