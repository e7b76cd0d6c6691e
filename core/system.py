"""What only POSIX systems have, each with what stands in its place elsewhere.

Nothing else in the program names a lock, a limit or a signal that a system may lack, so that no
import fails for the want of one.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

try:
    import fcntl
except ImportError:
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True
try:
    import resource
except ImportError:
    _HAS_LIMITS = False
else:
    _HAS_LIMITS = True
OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""With these `os.open` waits for nobody at the other end of a pipe, and no line break changes."""
_HAS_TIMER = hasattr(signal, "setitimer") and hasattr(signal, "SIGPROF")
TIMED_OUT = -signal.SIGPROF if _HAS_TIMER else 124
"""The return code of a process that `ProcessorTimer` has ended."""
_CHECK_SECONDS = 0.02


class Lock:
    """A lock on a file or a folder against other programs, until `release` or the process' end.

    Where the system has no such locks a file beside it, or in the folder, is the lock. A process
    that is killed leaves that file behind.
    """

    def __init__(self, path: Path) -> None:
        """Take the lock; raises `BlockingIOError` if another program has it, and `OSError`."""
        self._file: Path | None = None
        if not _HAS_LOCKS:
            self._file = path / ".lock" if path.is_dir() else path.with_name(f".{path.name}.lock")
            try:
                self._descriptor = os.open(self._file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            except FileExistsError as error:
                raise BlockingIOError(error.errno, error.strerror, str(self._file)) from None
            return
        self._descriptor = os.open(path, os.O_RDONLY | OPEN_FLAGS)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        """Let others have it."""
        os.close(self._descriptor)
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def flush_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that the names of new files in it are there too.

    Does nothing where a folder cannot be opened.
    """
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def restrict_process(memory: int) -> None:
    """Let this process have so many bytes of memory, and write neither files nor a core dump.

    Does nothing where the system has no such limits, and leaves out those that it lacks.
    """
    if not _HAS_LIMITS:
        return
    limits = ((resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0))
    for limit, most in limits:
        try:
            resource.setrlimit(limit, (most, most))
        except (OSError, ValueError):
            continue


class ProcessorTimer:
    """Ends this process when it has used too much processor time.

    Where the system has no such timer a thread looks at the clock. It cannot interrupt one long
    operation of the interpreter, such as a multiplication of huge numbers.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = float("inf")
        if _HAS_TIMER:
            # The default action ends the process, even in the middle of a multiplication.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
        else:
            threading.Thread(target=self._watch, daemon=True).start()

    def start(self) -> None:
        """Count from now on."""
        self._end = time.process_time() + self._seconds
        if _HAS_TIMER:
            signal.setitimer(signal.ITIMER_PROF, self._seconds)

    def stop(self) -> None:
        """Count no longer."""
        self._end = float("inf")
        if _HAS_TIMER:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _watch(self) -> None:
        while time.process_time() < self._end:
            time.sleep(_CHECK_SECONDS)
        os._exit(TIMED_OUT)


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


def take_share_of_processors(number: int, of: int) -> None:
    """Run this process, and what it starts, on its share of the processors; one at least."""
    if hasattr(os, "sched_setaffinity"):
        every = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, every[number % of :: of] or every)
