"""Work in the background that fails in a way nobody foresaw: said, logged, and survived."""

from __future__ import annotations

from traceback import format_exception
from typing import Protocol, cast

from textual.worker import Worker, WorkerState

from core.text.language import _


class Logs(Protocol):
    """An app that keeps a log a person can read."""

    def log_line(self, line: str) -> None:
        """Add lines to the log."""
        ...

    def notify(self, message: str, *, severity: str, timeout: float, markup: bool) -> None:
        """Tell the person."""
        ...


class TellsDefects:
    """For an app or a screen whose workers do not end the program when they fail."""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Tell the person that there is a defect, and put the traceback into the log."""
        error = event.worker.error
        if event.state is not WorkerState.ERROR or error is None:
            return
        app = cast(Logs, getattr(self, "app", self))
        app.log_line("".join(format_exception(error)))
        app.notify(
            _("A defect of this program ({name}); the Log tab has it.", name=type(error).__name__),
            severity="error",
            timeout=12,
            markup=False,
        )
