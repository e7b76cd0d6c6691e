"""What lessons add to a browsing screen: one command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.browse.feature import Feature

if TYPE_CHECKING:
    from tui.lessons.lessons_menu import LessonsMenu


class Lessons(Feature):
    """Opens the menu of lessons; nothing of them is imported before that."""

    NAME = "lessons"
    _menu: LessonsMenu | None = None

    async def lessons(self) -> None:
        """Choose a lesson and go through it; or follow one, or record one."""
        if self._menu is None:
            from tui.lessons.lessons_menu import LessonsMenu

            self._menu = LessonsMenu(self.host)
        await self._menu.open()
