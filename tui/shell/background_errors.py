"""Reports workers that fail because of a defect.

A class whose workers do not end the program (`exit_on_error=False`) calls `report_worker_error`
from `on_worker_state_changed`, and shows what it returns where the worker's result was awaited.
"""

from __future__ import annotations

from traceback import format_exception
from typing import Any

from textual.app import App
from textual.worker import Worker, WorkerState

from core.text.errors import CommonsenseError
from core.text.language import _
from tui.shell.program import program_of


def report_worker_error(app: App[Any], event: Worker.StateChanged) -> CommonsenseError | None:
    """Tell the person why a worker failed, and put the traceback of a defect into the log.

    Returns the failure in words, for the pane that waits for the worker; None for any other event.
    """
    error = event.worker.error
    if event.state is not WorkerState.ERROR or error is None:
        return None
    if isinstance(error, CommonsenseError):
        # No defect: a file that is open was changed by another program, say.
        failure = error
    else:
        program_of(app).log_line("".join(format_exception(error)))
        failure = CommonsenseError(
            _("A defect of this program ({name}); the Log tab has it.", name=type(error).__name__)
        )
    app.notify(str(failure), severity="error", timeout=12, markup=False)
    return failure
