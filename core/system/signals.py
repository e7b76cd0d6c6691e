"""Signals of the system: which there are, who hears of them, and when they may wait."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from types import FrameType

_PATIENCE = 5.0
"""Seconds for a command to end by itself; a signal that comes later ends it at once."""


def signals(*names: str) -> list[signal.Signals]:
    """Those of the named signals that the system has."""
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]


def on_end(loop: asyncio.AbstractEventLoop, handler: Callable[[], object]) -> None:
    """Call the handler in the event loop when a signal is to end the process."""
    for number in signals("SIGINT", "SIGTERM", "SIGHUP"):
        try:
            loop.add_signal_handler(number, handler)
        except NotImplementedError:
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(handler))


class _Ending:
    """Ends this process on SIGTERM and SIGHUP as on Ctrl-C."""

    def __init__(self) -> None:
        self.number = 0
        """The signal that came."""
        self.waits = False
        """Whether one that comes is heard of later."""
        self.came = False
        """Whether one came meanwhile."""
        self._since = 0.0

    def heard(self, number: int, frame: FrameType | None) -> None:
        """Note a signal, and do what Ctrl-C does; the same may come twice, as from a terminal."""
        if not self.number:
            self.number, self._since = number, time.monotonic()
            if self.waits:
                self.came = True
            else:
                self.interrupt(frame)
        elif time.monotonic() - self._since > _PATIENCE:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def interrupt(self, frame: FrameType | None) -> None:
        """Raise `KeyboardInterrupt`, or cancel the main task of an event loop."""
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal.SIGINT, frame)
        else:  # A shell that starts a command behind it switches Ctrl-C off.
            raise KeyboardInterrupt


_ending = _Ending()


@contextmanager
def signals_end_as_interrupts() -> Iterator[None]:
    """End on SIGTERM and SIGHUP as on Ctrl-C, so that nothing is left behind.

    The exit code is 128 and the number of the signal. A handler that somebody else has set, or sets
    later, stays, and so does a signal that is switched off.
    """
    global _ending
    _ending = ending = _Ending()
    mine = []
    if threading.current_thread() is threading.main_thread():
        mine = [
            number
            for number in signals("SIGTERM", "SIGHUP")
            if signal.getsignal(number) is signal.SIG_DFL
        ]
    for number in mine:
        signal.signal(number, ending.heard)
    try:
        yield
    finally:
        for number in mine:
            if signal.getsignal(number) == ending.heard:
                signal.signal(number, signal.SIG_DFL)
        if ending.number:
            raise SystemExit(128 + ending.number)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Hear of Ctrl-C on leaving only; processes that are started inside never hear of it.

    What `signals_end_as_interrupts` hears of waits too.
    """
    ending = _ending
    ending.waits = True
    before = None
    if hasattr(signal, "pthread_sigmask"):
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        ending.waits = False
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if ending.came:
            ending.came = False
            ending.interrupt(None)
