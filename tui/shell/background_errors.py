"""Reports workers that fail because of a defect.

A class whose workers do not end the program (`exit_on_error=False`) calls `report_worker_error`
from `on_worker_state_changed`.
"""

from __future__ import annotations

from traceback import format_exception
from typing import Any

from textual.app import App
from textual.worker import Worker, WorkerState

from core.text.language import _
from tui.shell.program import program_of


def report_worker_error(app: App[Any], event: Worker.StateChanged) -> None:
    """Tell the person that a worker hit a defect, and put the traceback into the log."""
    error = event.worker.error
    if event.state is not WorkerState.ERROR or error is None:
        return
    program_of(app).log_line("".join(format_exception(error)))
    app.notify(
        _("A defect of this program ({name}); the Log tab has it.", name=type(error).__name__),
        severity="error",
        timeout=12,
        markup=False,
    )
