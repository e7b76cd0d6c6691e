"""The speaker's second screen."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from core.files.config import Config
from core.text.errors import ConfigError
from tui.lessons.follow_screen import FollowScreen
from tui.shell.app import Shell


class FollowApp(Shell):
    """Follows a lesson that runs in another process; holds no model."""

    TITLE = "commonsense-tui"

    def __init__(
        self,
        name: str = "",
        config: Config | None = None,
        *,
        problems: Sequence[ConfigError] = (),
    ) -> None:
        """Follow the lesson of this name, or any lesson if the name is empty.

        `problems` are what is wrong with the configuration.
        """
        super().__init__(config, problems=problems)
        self._lesson_name = name

    def get_default_screen(self) -> Screen[None]:
        """The speaker's view of the lesson."""
        return FollowScreen(self._lesson_name)

    def on_mount(self) -> None:
        """Take the person's themes and keys."""
        self.end_cleanly()
        self.take_settings()
