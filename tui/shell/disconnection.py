"""Ends the program when its terminal was closed, or the server of its browser tab has died.

Nobody reads the output then, and Textual may block for ever in the event loop while it writes. So a
thread ends the process if the loop does not.
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
_CHECK_PERIOD = 1.0
"""Seconds between two checks that the server is alive."""

SERVER = "COMMONSENSE_TUI_SERVER"
"""The environment variable with the process id of the server of a tab."""

Leave = Callable[[int], object]
"""Leaves the program with an exit code."""


def end_without_terminal(leave: Leave) -> None:
    """End when the terminal is closed."""
    loop = asyncio.get_running_loop()

    def gone(number: int, _frame: FrameType | None) -> None:
        _end(loop, leave, 128 + number)

    for number in signals("SIGHUP"):
        signal.signal(number, gone)


def end_without_server(leave: Leave) -> None:
    """End when the server that started this program ends, or has ended already."""
    loop, server = asyncio.get_running_loop(), int(os.environ.get(SERVER) or os.getppid())

    def watch() -> None:
        while os.getppid() == server:
            time.sleep(_CHECK_PERIOD)
        _end(loop, leave, 1)

    threading.Thread(target=watch, daemon=True).start()


def _end(loop: asyncio.AbstractEventLoop, leave: Leave, code: int) -> None:
    last = threading.Timer(_PATIENCE, os._exit, (code,))
    last.daemon = True
    last.start()
    if not loop.is_closed():
        loop.call_soon_threadsafe(leave, code)
