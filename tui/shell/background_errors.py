"""Workers that fail in a way nobody foresaw: the person is told, the log has the traceback.

A class whose workers do not end the program (`exit_on_error=False`) hands
`on_worker_state_changed` on to `report_worker_error`.
"""

from __future__ import annotations

from traceback import format_exception
from typing import Any, Protocol, cast

from textual.app import App
from textual.worker import Worker, WorkerState

from core.text.language import _


class _Log(Protocol):
    """An app that keeps a log which a person can read."""

    def log_line(self, line: str) -> None:
        """Add lines to the log."""
        ...


def report_worker_error(app: App[Any], event: Worker.StateChanged) -> None:
    """Tell the person that a worker hit a defect, and put the traceback into the log."""
    error = event.worker.error
    if event.state is not WorkerState.ERROR or error is None:
        return
    cast(_Log, app).log_line("".join(format_exception(error)))
    app.notify(
        _("A defect of this program ({name}); the Log tab has it.", name=type(error).__name__),
        severity="error",
        timeout=12,
        markup=False,
    )
