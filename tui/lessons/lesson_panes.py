"""Navigation between the panes of a lesson."""

from __future__ import annotations

from collections.abc import Callable

from tui.browse.feature import ItemHost
from tui.browse.panes import PANES, PaneNavigator

LESSON_PANES = ("lesson", *(pane for pane in PANES if pane != "list"))
"""The narration stands where the list would be."""


class LessonPanes(PaneNavigator):
    """Goes through the panes while the narration stays in sight.

    Args of `__init__`:
        host: the screen.
        previous_step: goes to the step before, which the left arrow does in the narration.
    """

    def __init__(self, host: ItemHost, previous_step: Callable[[], None]) -> None:
        super().__init__(host, LESSON_PANES)
        self._previous_step = previous_step

    def enter(self, pane: str, *, focus: bool = True) -> None:
        """Enter a pane; the one before stays beside the narration."""
        narration = pane in {"lesson", "list"}
        self.host.set_class(narration, "-text")
        if not narration:
            super().enter(pane, focus=focus)
            return
        self.host.pane = "lesson"
        if focus:
            self.front.focus()

    def cursor_left(self) -> None:
        """In the narration, go to the step before."""
        if self.host.pane == "lesson":
            self._previous_step()
        else:
            super().cursor_left()

    def move(self, by: int) -> None:
        """Move the cursor, or scroll the narration."""
        if self.host.pane == "lesson":
            self.front.scroll_relative(y=by, animate=False)
        else:
            super().move(by)
