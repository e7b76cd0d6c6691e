"""Ending when nobody is there any more: the terminal was closed, the server of a tab has died.

What was to be drawn has no reader then, and Textual may wait for one for ever, in the middle of the
event loop. So ending is not left to the loop alone.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

_PATIENCE = 3.0
"""Seconds to end in order."""
_LOOK = 1.0
"""Seconds between two looks whether a tab still has its server."""

SERVER = "COMMONSENSE_TUI_SERVER"
"""The variable that tells a tab's program which process its server is."""

Leave = Callable[[int], object]
"""Ends the program in order, with an exit code."""


def end_without_terminal(leave: Leave) -> None:
    """End when the terminal is closed."""
    loop = asyncio.get_running_loop()

    def gone(number: int, _frame: FrameType | None) -> None:
        _end(loop, leave, 128 + number)

    signal.signal(signal.SIGHUP, gone)


def end_without_server(leave: Leave) -> None:
    """End when the server that started this program has ended, maybe before it got here."""
    loop, server = asyncio.get_running_loop(), int(os.environ.get(SERVER) or os.getppid())

    def watch() -> None:
        while os.getppid() == server:
            time.sleep(_LOOK)
        _end(loop, leave, 1)

    threading.Thread(target=watch, daemon=True).start()


def _end(loop: asyncio.AbstractEventLoop, leave: Leave, code: int) -> None:
    last = threading.Timer(_PATIENCE, os._exit, (code,))
    last.daemon = True
    last.start()
    if not loop.is_closed():
        loop.call_soon_threadsafe(leave, code)
