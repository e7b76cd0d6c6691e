"""Draws what stands in a field without control characters; the text itself stays as it is."""

from __future__ import annotations

from rich.highlighter import Highlighter
from rich.text import Text
from textual.message import Message
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


_MOST = 500
"""Most characters of a filter: the work for one more grows with their number."""


class FilterLine(Input):
    """The line in which a list is filtered; hidden except meanwhile.

    What is typed while the screen is drawn is told once, when that is done: a list is searched for
    what stands in the line, and not for each of the keys that wait.
    """

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
            highlighter=WithoutControls(),
            placeholder=placeholder,
            id="filter",
            compact=True,
            max_length=_MOST,
        )
        self._untold: Input.Changed | None = None

    def replace(self, text: str, start: int, end: int) -> None:
        """Put a text in the place of another, as much of it as there is room for."""
        kept = len(self.value) - abs(end - start)
        super().replace(text[: max(0, _MOST - kept)], start, end)

    def post_message(self, message: Message) -> bool:
        """Post a message; of several changes in a row only the last one."""
        if isinstance(message, Input.Changed):
            # A change that nobody is to hear of replaces those that were not told yet.
            before, self._untold = self._untold, None
            if not self.check_message_enabled(message):
                return False
            self._untold = message
            return before is not None or self.call_after_refresh(self._tell)
        if isinstance(message, Input.Submitted):
            self._tell()
        return super().post_message(message)

    def _tell(self) -> None:
        message, self._untold = self._untold, None
        if message is not None:
            super().post_message(message)

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
