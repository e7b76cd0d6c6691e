"""Ends the program when it is told to, its terminal was closed, or the server of its tab has died.

Nobody may read the output then, and Textual may block for ever in the event loop while it writes.
So a thread ends the process if the loop does not.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from core.system.signals import signals

_PATIENCE = 3.0
"""Seconds for the program to leave by itself."""
_LAST_PATIENCE = 1.0
"""Seconds to give the terminal back once it has not."""
_CHECK_PERIOD = 1.0
"""Seconds between two checks that the server is alive."""

SERVER = "COMMONSENSE_TUI_SERVER"
"""The environment variable with the process id of the server of a tab."""

Leave = Callable[[int], object]
"""Leaves the program with an exit code."""


def end_when_told(
    leave: Leave, *, at_once: Callable[[], object], at_last: Callable[[], object]
) -> None:
    """End when the process is terminated, or the terminal is closed.

    `at_once` is called in the signal's handler, and `at_last` in a thread before the process ends
    without having left by itself.

    The event loop's own handlers of signals would not do: they are told through a pipe that is full
    while many keys wait, and the signal is lost.
    """
    loop = asyncio.get_running_loop()

    def told(number: int, _frame: FrameType | None) -> None:
        at_once()
        _end(loop, leave, 128 + number, at_last)

    for number in signals("SIGTERM", "SIGHUP"):
        signal.signal(number, told)


def end_without_server(leave: Leave) -> None:
    """End when the server that started this program ends, or has ended already."""
    loop, server = asyncio.get_running_loop(), int(os.environ.get(SERVER) or os.getppid())

    def watch() -> None:
        while os.getppid() == server:
            time.sleep(_CHECK_PERIOD)
        _end(loop, leave, 1)

    threading.Thread(target=watch, daemon=True).start()


def _end(
    loop: asyncio.AbstractEventLoop,
    leave: Leave,
    code: int,
    at_last: Callable[[], object] = lambda: None,
) -> None:
    last = threading.Timer(_PATIENCE, _end_now, (code, at_last))
    last.daemon = True
    last.start()
    if not loop.is_closed():
        loop.call_soon_threadsafe(leave, code)


def _end_now(code: int, at_last: Callable[[], object]) -> None:
    # It may block where nobody reads the output.
    last = threading.Thread(target=at_last, daemon=True)
    last.start()
    last.join(_LAST_PATIENCE)
    os._exit(code)
