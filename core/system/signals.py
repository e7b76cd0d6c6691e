"""Signals of the system: which there are, who hears of them, and when Ctrl-C may wait."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


def signals(*names: str) -> list[signal.Signals]:
    """Those of the named signals that the system has."""
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]


def on_signals(
    loop: asyncio.AbstractEventLoop, names: tuple[str, ...], handler: Callable[[int], object]
) -> None:
    """Call the handler in the event loop, with its number, when one of these signals comes."""
    for number in signals(*names):
        try:
            loop.add_signal_handler(number, handler, number)
        except NotImplementedError:
            signal.signal(number, lambda number, _frame: loop.call_soon_threadsafe(handler, number))


def on_end(loop: asyncio.AbstractEventLoop, handler: Callable[[], object]) -> None:
    """Call the handler in the event loop when a signal is to end the process."""
    on_signals(loop, ("SIGINT", "SIGTERM", "SIGHUP"), lambda _number: handler())


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Hear of Ctrl-C on leaving only; processes that are started inside never hear of it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
