"""The program as the speaker's second screen."""

from __future__ import annotations

from textual.screen import Screen

from tui.app.opening import need_terminal
from tui.lessons.follow_screen import FollowScreen
from tui.shell.app import Shell
from tui.shell.interrupts import ended_by_interrupt


class FollowApp(Shell):
    """Follows a lesson; holds no model."""

    TITLE = "commonsense-tui"

    def __init__(self, name: str = "", language: str | None = None) -> None:
        from core.files import config
        from tui.shell.language_choice import speak

        chosen = config.read()
        super().__init__(chosen, problems=speak(language, chosen))
        self._wanted = name

    def get_default_screen(self) -> Screen[None]:
        """What is followed."""
        return FollowScreen(self._wanted)

    def on_mount(self) -> None:
        """End cleanly, and take the person's themes and keys."""
        self.end_cleanly()
        self.take_settings()


def follow(name: str = "", language: str | None = None) -> int:
    """Follow a lesson, any where the name is empty; the exit code. Raises `CommonsenseError`."""
    need_terminal("Open a second terminal beside the one in which the lesson runs.")
    with ended_by_interrupt():
        app = FollowApp(name, language)
    app.run()
    return app.return_code or 0
