"""Presenting a lesson to a room: one pane at a time, and the key just pressed in a corner."""

from __future__ import annotations

from collections.abc import Iterable

from textual.widgets import Static

from tui.shell.command import Command, shown_key

THEME = "podium"
"""The theme made for projectors."""
_SECONDS = 1.2
"""Seconds for which a key is shown."""


class Pressed(Static):
    """The key that was pressed last and what it does, for a moment; nothing moves."""

    DEFAULT_CSS = """
    Pressed {
        layer: pressed;
        dock: right;
        width: auto;
        height: 1;
        margin: 1 2;
        padding: 0 1;
        background: $cs-key;
        color: $background;
        text-style: bold;
        display: none;
    }
    """

    def __init__(self) -> None:
        super().__init__("", id="pressed", markup=False)
        self.shown = ""
        """What is in sight; empty when nothing is."""
        self._times = 0

    def tell(self, key: str, command: Command) -> None:
        """Show a key, by Textual's name, with its command."""
        self.shown = f"{shown_key(key)}  {command.shown_label}"
        self.update(self.shown)
        self.display = True
        self._times += 1
        times = self._times
        self.set_timer(_SECONDS, lambda: self._hide(times))

    def _hide(self, times: int) -> None:
        """Hide what was shown at the so-manieth time, if nothing was shown since."""
        if times == self._times:
            self.shown = ""
            self.display = False


def command_of(key: str, commands: Iterable[Command], offers: frozenset[str]) -> Command | None:
    """The first of several commands that a key does where so much is offered."""
    for command in commands:
        if key in command.keys and (not command.needs or command.needs in offers):
            return command
    return None
