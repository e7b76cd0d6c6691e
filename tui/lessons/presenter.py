"""Presenting a lesson to a room: the theme for projectors, and one pane at a time."""

from __future__ import annotations

from textual.screen import Screen

from tui.browse.item_screen import ItemScreen
from tui.lessons.presentation import THEME

_ONE_PANE = [(0, "-narrow")]


class Presenter:
    """Lays a lesson's screen out for a room, and back."""

    def __init__(self, screen: Screen[None], *, presenting: bool, theme: str) -> None:
        """Present or not.

        Args:
            screen: of the lesson.
            presenting: whether to begin with it.
            theme: what is put on when the presenting ends; what is on then where it is empty.
        """
        self._screen = screen
        self.presenting = presenting
        self._theme = theme

    def start(self) -> None:
        """Lay out for a room, if that is wanted from the beginning."""
        if self.presenting:
            self._arrange()

    def toggle(self) -> None:
        """Present, or stop presenting."""
        self.presenting = not self.presenting
        if not self.presenting:
            self._restore_theme()
        self._arrange()

    def end(self) -> None:
        """Leave the theme as it was."""
        if self.presenting:
            self._restore_theme()

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
