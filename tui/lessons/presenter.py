"""Presenting a lesson to a room: the projector theme, one pane at a time, the key just pressed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.timer import Timer
from textual.widgets import Static

from tui.browse.item_screen import ItemScreen
from tui.shell.command import Command, Place, shown_key
from tui.shell.commands import OUTSIDE_LESSONS

THEME = "podium"
"""The theme made for projectors."""
_ONE_PANE = [(0, "-narrow")]
_SECONDS = 1.2
"""Seconds for which a key is shown."""


class Pressed(Static):
    """Shows the key that was pressed last and what it does, for a moment.

    It has a line of its own, so that it hides nothing.
    """

    DEFAULT_CSS = """
    Pressed {
        dock: bottom;
        width: 100%;
        height: 1;
        padding: 0 2;
        text-align: right;
        color: $cs-key;
        text-style: bold;
        display: none;
    }
    """

    def __init__(self) -> None:
        super().__init__("", id="pressed", markup=False)
        self.shown = ""
        """What is shown now; empty for nothing."""
        self._timer: Timer | None = None

    def show_key(self, key: str, command: Command) -> None:
        """Show a key, by Textual's name, with its command."""
        self.shown = f"{shown_key(key)}  {command.shown_label}"
        self.update(self.shown)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_SECONDS, self._hide)

    def _hide(self) -> None:
        self.shown = ""
        self.update("")


class Presenter:
    """Switches a lesson's screen to the layout for a room, and back."""

    def __init__(self, screen: ItemScreen, *, presenting: bool, theme: str) -> None:
        """Prepare to present.

        Args:
            screen: the screen of the lesson.
            presenting: whether to present from the beginning.
            theme: the theme after presenting; the one before it where this is empty.
        """
        self._screen = screen
        self.presenting = presenting
        self._theme = theme

    def start(self) -> None:
        """Lay out the screen for a room, if it presents from the beginning."""
        if self.presenting:
            self._arrange()

    def toggle(self) -> None:
        """Present, or stop presenting."""
        self.presenting = not self.presenting
        if not self.presenting:
            self._restore_theme()
        self._arrange()

    def end(self) -> None:
        """Restore the previous theme."""
        if self.presenting:
            self._restore_theme()

    def show_pressed(self, key: str) -> None:
        """While presenting, show a key, by Textual's name, and what it does."""
        screen = self._screen
        if not self.presenting:
            return
        command = command_of(key, screen.program.commands, screen.pane, screen.offers)
        if command is not None:
            screen.query_one(Pressed).show_key(key, command)

    def _arrange(self) -> None:
        app, screen = self._screen.app, self._screen
        if self.presenting:
            self._theme = self._theme or app.theme
            if THEME in app.available_themes:
                app.theme = THEME
        breakpoints = _ONE_PANE if self.presenting else ItemScreen.HORIZONTAL_BREAKPOINTS
        # Textual asks the screen for them whenever its size changes.
        screen.HORIZONTAL_BREAKPOINTS = breakpoints
        fitting = [name for least, name in breakpoints if app.size.width >= least][-1]
        for _, name in ItemScreen.HORIZONTAL_BREAKPOINTS:
            screen.set_class(name == fitting, name)
        screen.set_class(self.presenting, "-present")

    def _restore_theme(self) -> None:
        """Restore the previous theme, unless another one was chosen meanwhile."""
        app = self._screen.app
        if app.theme == THEME and self._theme in app.available_themes:
            app.theme = self._theme
        self._theme = ""


def command_of(
    key: str,
    commands: Callable[[Place], Sequence[Command]],
    pane: str,
    offers: frozenset[str],
) -> Command | None:
    """The command that a key runs in a lesson, of those that need nothing or what is offered.

    `commands` gives those of a place. Enter goes to the next step, except in the pane of a trace.
    """
    lesson = commands(Place.LESSON)
    browse = [each for each in commands(Place.BROWSE) if each.id not in OUTSIDE_LESSONS]
    for command in (*lesson, *browse, *commands(Place.APP)):
        if key in command.keys and (not command.needs or command.needs in offers):
            if command.id == "retype" and pane != "trace":
                return next(each for each in lesson if each.id == "next_step")
            return command
    return None
