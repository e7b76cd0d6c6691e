"""What a person may do to the open item: variants, moves, retyped statements, undo."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual import work

from core.contract.view import Statements
from core.text.errors import SettingError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.blocks.block_pane import BlockPane
from tui.browse.panes import PanesScreen
from tui.browse.state import BrowseState
from tui.browse.view_pane import ViewPane


class EditingScreen(PanesScreen):
    """Changes the setting of the open item, never the file it came from."""

    def __init__(self) -> None:
        super().__init__()
        self.state: BrowseState | None = None
        self._marked: int | None = None

    @property
    def offers(self) -> frozenset[str]:
        """What the open item offers."""
        return self.state.offers if self.state is not None else frozenset()

    def refresh_item(self) -> None:
        """Draw the open item again."""
        raise NotImplementedError

    def _change(self, change: Callable[[BrowseState], None]) -> None:
        """Change the open item and draw it, or say why it cannot be changed."""
        state = self.state
        if state is None or not state.is_open:
            return
        try:
            change(state)
        except SettingError as error:
            self.notify(escape_control_characters(str(error)), severity="warning", markup=False)
            return
        self.refresh_item()
        if self.stacked and self.pane == "list":
            self.enter_pane("view")

    def action_next_variant(self) -> None:
        """Show the next variant."""
        self._change(BrowseState.next_variant)

    def action_nth_variant(self, number: int) -> None:
        """Imply the answer with this number, or show the variant with it."""
        self._change(lambda state: state.nth(number))

    def action_toggle_last(self) -> None:
        """Jump between the item as it is and the last change."""
        self._change(BrowseState.toggle)

    def action_undo(self) -> None:
        """Undo the last change."""
        self._change(lambda state: self._step(state.history.undo(), _("Nothing to undo.")))

    def action_redo(self) -> None:
        """Redo the change that was undone."""
        self._change(lambda state: self._step(state.history.redo(), _("Nothing to redo.")))

    @staticmethod
    def _step(done: bool, otherwise: str) -> None:
        if not done:
            raise SettingError(otherwise)

    def action_move_back(self) -> None:
        """Move the statement under the cursor one place up."""
        self._move_statement(-1)

    def action_move_forward(self) -> None:
        """Move the statement under the cursor one place down."""
        self._move_statement(1)

    def _here(self) -> tuple[Statements, int]:
        """The section and position of the statement that is to be moved; raises `SettingError`."""
        found = self.query_one(ViewPane).statement()
        if found is None:
            raise SettingError(_("There is no statement under the cursor."))
        section, statement = found
        if not section.order_switch:
            raise SettingError(_("Nothing can be moved here."))
        return section, section.statements.index(statement)

    def _move_statement(self, by: int) -> None:
        def move(state: BrowseState) -> None:
            section, place = self._here()
            state.swap(section.order_switch, place, place + by)

        self._change(move)

    def action_swap(self) -> None:
        """Mark the statement under the cursor, or swap it with the marked one."""

        def swap(state: BrowseState) -> None:
            section, place = self._here()
            state.switch(section.order_switch)
            if self._marked is None:
                self._marked = place
                said = _("Marked. Press {key} on another one to swap the two.")
                self.notify(said.format(key=self._key("swap")), timeout=4, markup=False)
                return
            first, self._marked = self._marked, None
            state.swap(section.order_switch, first, place)

        self._change(swap)

    @work(group="dialogue", exit_on_error=False)
    async def action_retype(self) -> None:
        """Type another statement in place of the one under the cursor."""
        from tui.browse.switches import shown_label
        from tui.shell.prompts import AskText

        state = self.state
        if self.pane == "list":
            self.enter_pane("view")
            return
        if isinstance(pane := self.pane_widget(self.pane), BlockPane):
            pane.enter()
            return
        found = self.query_one(ViewPane).statement()
        if state is None or found is None:
            return
        statement = found[1]
        if not statement.text_switch:
            self.notify(_("This cannot be retyped."), severity="warning", markup=False)
            return
        switch = state.switch(statement.text_switch)
        text = await self.app.push_screen_wait(
            AskText(
                shown_label(switch, state.view()),
                _("Your change is yours alone; the file stays as it is."),
                statement.text,
                switch.parse,
            )
        )
        if text is not None:
            self._change(lambda state: state.set(switch, text))

    @work(group="dialogue", exit_on_error=False)
    async def action_switches(self) -> None:
        """See and set every switch of the item."""
        from tui.browse.switches import arranged, next_value, shown_label, shown_value
        from tui.shell.prompts import AskText, PickOne

        state = self.state
        if state is None or not state.is_open:
            return
        at = 0
        while True:
            view = state.view()
            switches = arranged(state.switches, view)
            now = state.history.now
            lines = [f"{shown_label(s, view)}: {shown_value(s, now)}" for s in switches]
            picked = await self.app.push_screen_wait(
                PickOne(
                    _("Switches"), _("Everything that can be toggled on this item."), lines, at=at
                )
            )
            if picked is None:
                return
            at = picked
            switch = switches[at]
            text = next_value(switch, now)
            if text is None:
                text = await self.app.push_screen_wait(
                    AskText(shown_label(switch, view), "", now.value(switch), switch.parse)
                )
            if text is not None:
                self._change(partial(BrowseState.set, switch=switch, text=text))
