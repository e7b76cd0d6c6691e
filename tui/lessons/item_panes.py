"""Draws the item of a lesson, without what the present step still hides."""

from __future__ import annotations

from collections.abc import Callable, Set

from core.contract.view import View
from core.lessons.hiding import without
from core.lessons.lesson import Hidden
from tui.browse.feature import ItemHost
from tui.browse.item_panes import ItemPanes


class LessonItemPanes(ItemPanes):
    """Draws the open item; `hidden` says what is not shown yet."""

    def __init__(self, host: ItemHost, hidden: Callable[[], Set[Hidden]]) -> None:
        super().__init__(host, signs=True)
        self._hidden = hidden

    def show(self, view: View) -> None:
        """Draw a view, with its title and badges in the border."""
        super().show(without(view, self._hidden()))
