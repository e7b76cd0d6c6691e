"""The panes of a lesson: its item, its blocks, and how one goes through them."""

from __future__ import annotations

from collections.abc import Callable, Set

from core.contract.view import View
from core.lessons.hiding import without
from core.lessons.lesson import Hidden, Pane
from tui.browse.feature import ItemHost, PaneFeature
from tui.browse.item_panes import ItemPanes
from tui.browse.item_screen import ItemScreen
from tui.browse.panes import PANES, PaneNavigator

LESSON_PANES = ("lesson", *(pane for pane in PANES if pane != "list"))
"""The narration stands where the list would be."""


_NAMES = {Pane.BLOCKS: "xray", Pane.TRACE: "trace"}
TRACE = _NAMES[Pane.TRACE]


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


class LessonItemPanes(ItemPanes):
    """Draws the open item; `hidden` says what is not shown yet."""

    def __init__(self, host: ItemHost, hidden: Callable[[], Set[Hidden]]) -> None:
        super().__init__(host, signs=True)
        self._hidden = hidden

    def show(self, view: View) -> None:
        """Draw a view, with its title and badges in the border."""
        super().show(without(view, self._hidden()))


class StepBlocks:
    """Opens and closes the panes about the model's blocks."""

    def __init__(self, host: ItemScreen) -> None:
        self._host = host

    @property
    def open_name(self) -> str:
        """The name of the open pane; empty where none is open."""
        feature = self._host.feature(PaneFeature)
        return feature.open_name if feature is not None else ""

    def show(self, pane: Pane | None) -> None:
        """Open a pane, or close it."""
        feature, wanted = self._host.feature(PaneFeature), _NAMES[pane] if pane is not None else ""
        if feature is not None and wanted != self.open_name:
            feature.toggle_pane(wanted or self.open_name)
