"""What was pressed while the collection or the model is loading, and is done when it is there."""

from __future__ import annotations

from collections.abc import Callable

from core.text.language import _
from tui.browse.feature import Feature, ItemHost
from tui.shell.model_holder import ModelPhase


class Waiting(Feature):
    """Keeps the command that was given last, once, until it can be done.

    Escape, another item and another collection drop it.
    """

    NAME = "waiting"

    def __init__(self, host: ItemHost) -> None:
        super().__init__(host)
        self.opening = False
        """Whether the collection is being read."""
        self._command: Callable[[], object] | None = None
        self._asks = False
        """Whether the command asks the model."""
        self._item = ""
        """The item that the command is about; empty where none is open yet."""

    def postpones(self, command: Callable[[], object], *, asks: bool) -> bool:
        """Keep a command for later; False where it can be done now, or is refused now.

        One that `asks` waits for the model too, unless a run does.
        """
        state = self.host.state
        if not self._must_wait(asks) or (asks and self.host.program.collection_runs.wanted):
            self._command = None
            return False
        self._command, self._asks = command, asks
        self._item = state.item.id if state is not None and state.is_open else ""
        if self.opening:
            message = _("Done as soon as the collection is open; esc cancels that.")
            self.host.notify(message, markup=False, timeout=3)
        return True

    def _must_wait(self, asks: bool) -> bool:
        return self.opening or (asks and self.host.program.model_state.is_pending)

    def hint(self) -> str:
        """What is waited for, and how to drop it; empty where nothing waits."""
        if self._command is None:
            return ""
        return _("Asked as soon as the model is loaded; esc cancels that")

    def go_on(self) -> None:
        """Do what waits, where it can be done now; drop it where there will be no model."""
        if self._asks and self.host.program.model_state.phase is ModelPhase.FAILED:
            self.escape()
        command = self._command
        if command is not None and self.host.is_current and not self._must_wait(self._asks):
            self._command = None
            command()

    def item_opened(self) -> None:
        """Drop a command about another item."""
        state = self.host.state
        if self._item and state is not None and state.item.id != self._item:
            self._command = None

    def escape(self) -> bool:
        """Drop what waits."""
        waited, self._command = self._command is not None, None
        if waited:
            self.host.refresh_ladder()
        return waited
