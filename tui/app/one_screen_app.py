"""A program of one screen: an annotator's questions, or what the speaker of a lesson sees."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from core.files.config import Config
from core.text.errors import ConfigError
from tui.shell.app import Shell


class OneScreenApp(Shell):
    """Shows one screen and ends when the person leaves it; holds no model and no answers."""

    TITLE = "commonsense-tui"

    def __init__(
        self,
        screen: Screen[None],
        config: Config | None = None,
        *,
        problems: Sequence[ConfigError] = (),
    ) -> None:
        """`problems` are what is wrong with the configuration."""
        super().__init__(config, problems=problems)
        self._only_screen = screen

    def on_mount(self) -> None:
        """Show the screen, in the person's theme and with the person's keys."""
        self.end_cleanly()
        self.take_settings()
        self.push_screen(self._only_screen, self._end)

    def _end(self, _: None) -> None:
        self.exit(return_code=0)
