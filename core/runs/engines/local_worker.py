"""What is done in each worker that was started on this machine; imported late."""

from __future__ import annotations

import signal
from typing import Any

from distributed.diagnostics.plugin import WorkerPlugin

from core.system.process_limits import take_share_of_processors


class LocalWorker(WorkerPlugin):
    """Gives each worker its share of the processors, and closes its page of figures."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def setup(self, worker: Any) -> None:
        """Prepare a worker that has just been started, the first time or after its end."""
        # One that is started again hears of Ctrl-C, which is for the program.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        worker.http_server.stop()
        # A model takes as many threads as its worker has processors.
        take_share_of_processors(int(worker.name), self._workers)
