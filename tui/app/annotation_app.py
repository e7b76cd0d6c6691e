"""The program as an annotator sees it: questions, and nothing that could tell an answer."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from core.files.config import Config
from core.text.errors import ConfigError
from tui.shell.app import Shell


class AnnotatingApp(Shell):
    """Shows one screen, and ends when that is left."""

    TITLE = "commonsense-tui"

    def __init__(
        self,
        screen: Screen[None],
        config: Config | None = None,
        *,
        problems: Sequence[ConfigError] = (),
    ) -> None:
        """`problems` are what is wrong with the configuration that was to be used."""
        super().__init__(config, problems=problems)
        self._only = screen

    def on_mount(self) -> None:
        """Show the screen."""
        self.end_cleanly()
        self.take_settings()
        self.push_screen(self._only, self._left)

    def _left(self, _: None) -> None:
        self.exit(return_code=0)
