"""The threads that do what would make the screen wait."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context
from typing import Any

from core.system.heap import share_one_heap

THREADS = min(32, (os.cpu_count() or 1) + 4)
"""Most threads, as many as asyncio itself would start."""


class ThreadPool(ThreadPoolExecutor):
    """Threads that hold on to nothing from their last job.

    Textual notes in the context of a thread which worker it serves. It would stay there until the
    next one comes, with its screen and its collection, whose files would stay open.
    """

    def __init__(self) -> None:
        share_one_heap()
        super().__init__(THREADS, thread_name_prefix="pool")

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function in a thread, in a context of its own."""
        return super().submit(Context().run, fn, *args, **kwargs)
