"""An event loop in a thread of its own, for callers that must wait although their loop runs."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Thread
from typing import Any, TypeVar

from core.text.errors import ModelError

_Result = TypeVar("_Result")


class EventLoopThread:
    """Runs coroutines for a caller that waits.

    In a notebook a loop runs already, which `asyncio.run` refuses. A model also belongs to the loop
    in which it was loaded, so its loop lives as long as it does.
    """

    def __init__(self) -> None:
        # With a factory the runner does not make its loop that of the thread that calls.
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._thread = Thread(target=self._serve, name="commonsense-tui model", daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        """Whether it can still run something."""
        return not self._loop.is_closed()

    def run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """The result of `work`; if the wait is interrupted, `work` is cancelled."""
        if not self.is_open:
            work.close()
            raise ModelError("This model was closed.")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """Cancel what still runs and end the thread."""
        if self.is_open:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _serve(self) -> None:
        with self._runner:
            self._loop.run_forever()
