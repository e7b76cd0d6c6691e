"""Changing the open item: variants, moves, retyped statements, switches, undo."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial

from core.contract.view import Statements
from core.text.errors import DataError, SettingError
from core.text.language import _
from tui.browse.feature import Feature, ItemHost
from tui.browse.panes import HasColumns
from tui.browse.state import BrowseState
from tui.browse.switches import arranged, next_value, shown_label, shown_value
from tui.shell.prompts import AskText, PickOne

Change = Callable[[BrowseState], None]
"""Changes the open item; raises `SettingError` if it cannot."""


def change_item(host: ItemHost, change: Change) -> None:
    """Change the open item and draw it, or say why it cannot be changed."""
    state = host.state
    if state is None or not state.is_open:
        return
    try:
        change(state)
    except (SettingError, DataError) as error:
        Feature(host).warn(str(error))
        return
    host.refresh_item()
    if host.stacked and host.pane == "list":
        host.enter_pane("view")


class ItemEditing(Feature):
    """Changes the setting of the open item, never the file it came from."""

    NAME = "editing"
    _marked: int | None = None
    """The position of the statement that the next swap moves."""

    def item_opened(self) -> None:
        """Forget what was marked in another item."""
        self._marked = None

    def next_variant(self) -> None:
        """Show the next variant."""
        change_item(self.host, BrowseState.next_variant)

    def nth_variant(self, number: int) -> None:
        """Imply the answer with this number, or show the variant with it."""
        change_item(self.host, lambda state: state.nth(number))

    def toggle_last(self) -> None:
        """Jump between the item as it is and the last change."""
        change_item(self.host, BrowseState.toggle)

    def undo(self) -> None:
        """Undo the last change."""
        change_item(self.host, lambda state: _step(state.history.undo(), _("Nothing to undo.")))

    def redo(self) -> None:
        """Redo the change that was undone."""
        change_item(self.host, lambda state: _step(state.history.redo(), _("Nothing to redo.")))

    def move_back(self) -> None:
        """Move the statement under the cursor one place up."""
        self._move_statement(-1)

    def move_forward(self) -> None:
        """Move the statement under the cursor one place down."""
        self._move_statement(1)

    def _movable(self) -> tuple[Statements, int]:
        """The section and position of the statement that is to be moved; raises `SettingError`."""
        under_cursor = self.host.item_text.statement()
        if under_cursor is None:
            raise SettingError(_("There is no statement under the cursor."))
        section, statement = under_cursor
        if not section.order_switch:
            raise SettingError(_("Nothing can be moved here."))
        return section, section.statements.index(statement)

    def _move_statement(self, by: int) -> None:
        def move(state: BrowseState) -> None:
            section, position = self._movable()
            state.swap(section.order_switch, position, position + by)
            self._show_moved()

        change_item(self.host, move)

    def _show_moved(self) -> None:
        """Bring the statement under the cursor, which was moved, into sight."""
        host = self.host
        if host.stacked and host.pane != "view":
            host.enter_pane("view")
        text = host.item_text
        host.call_after_refresh(lambda: text.reveal(text.cursor))

    def swap(self) -> None:
        """Mark the statement under the cursor, or swap it with the marked one."""

        def swap(state: BrowseState) -> None:
            section, position = self._movable()
            state.switch(section.order_switch)
            if self._marked is None:
                self._marked = position
                message = _(
                    "Marked. Press {key} on another one to swap the two.",
                    key=self.host.key("swap"),
                )
                self.host.notify(message, timeout=4, markup=False)
                return
            first, self._marked = self._marked, None
            state.swap(section.order_switch, first, position)
            self._show_moved()

        change_item(self.host, swap)

    def retype(self) -> Coroutine[object, object, None] | None:
        """Go from the list to the item; there, type another statement or do what a pane does."""
        pane = self.host.pane_widget(self.host.pane)
        if self.host.pane == "list":
            self.host.enter_pane("graph" if self.host.graph_shown else "view")
        elif isinstance(pane, HasColumns):
            pane.enter()
        elif self.host.pane in ("view", "graph"):
            return self._retype_statement()
        return None

    async def _retype_statement(self) -> None:
        state = self.host.state
        under_cursor = self.host.item_text.statement()
        if state is None or under_cursor is None:
            return
        statement = under_cursor[1]
        if not statement.text_switch:
            self.warn(_("This cannot be retyped."))
            return
        switch = state.switch(statement.text_switch)
        text = await self.host.app.push_screen_wait(
            AskText(
                shown_label(switch, state.view()),
                _("Your change is yours alone; the file stays as it is."),
                statement.text,
                switch.parse,
            )
        )
        if text is not None:
            change_item(self.host, lambda state: state.set(switch, text))

    async def switches(self) -> None:
        """See and set every switch of the item."""
        state = self.host.state
        if state is None or not state.is_open:
            return
        index = 0
        while True:
            view = state.view()
            switches = arranged(state.switches, view)
            setting = state.history.now
            lines = [f"{shown_label(s, view)}: {shown_value(s, setting)}" for s in switches]
            explanation = _("Everything that can be changed on this item.")
            picked = await self.host.app.push_screen_wait(
                PickOne(_("Switches"), explanation, lines, at=index)
            )
            if picked is None:
                return
            index = picked
            switch = switches[index]
            text = next_value(switch, setting)
            if text is None:
                text = await self.host.app.push_screen_wait(
                    AskText(shown_label(switch, view), "", setting.value(switch), switch.parse)
                )
            if text is not None:
                change_item(self.host, partial(BrowseState.set, switch=switch, text=text))


def _step(done: bool, otherwise: str) -> None:
    if not done:
        raise SettingError(otherwise)
