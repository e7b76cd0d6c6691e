"""An app that shows one screen and remembers how it was dismissed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.screen import Screen
from textual.signal import Signal
from textual.widgets import Static

from tests.pilots import screen_rows
from tui.shell import themes
from tui.shell.command import Command
from tui.shell.commands import commands
from tui.shell.keymap import first_key
from tui.shell.model_holder import ModelState

_OPEN = "still open"


class ScreenHost(App[None]):
    """Opens the screen that `make` makes; with the program's own tokens."""

    def __init__(self, make: Callable[[], Screen[Any]]) -> None:
        super().__init__()
        self.model_signal: Signal[ModelState] = Signal(self, "model")
        self.model_state = ModelState()
        self._make = make
        self.result: Any = _OPEN

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The tokens of ours, as the program gives them."""
        return themes.variable_defaults()

    def commands(self, where: str) -> tuple[Command, ...]:
        """The commands, as the program gives them."""
        return commands(where)

    def key(self, name: str) -> str:
        """A command's key, as the program gives it."""
        return first_key(name, {})

    def on_mount(self) -> None:
        """Open the screen."""
        self.push_screen(self._make(), self._dismissed)

    def _dismissed(self, result: Any) -> None:
        self.result = result

    @property
    def open(self) -> bool:
        """Whether the screen was not dismissed yet."""
        return bool(self.result == _OPEN)

    def shown(self, selector: str) -> str:
        """What a line of the front screen says."""
        return str(self.screen.query_one(selector, Static).content)

    def text(self) -> str:
        """Every cell of the terminal, as text."""
        width, height = self.size
        return "\n".join(row[:width] for row in screen_rows(self)[:height])
