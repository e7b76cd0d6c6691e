"""Limits the memory, the processor time and the processors of this process."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

try:
    import resource
except ImportError:
    _HAS_LIMITS = False
else:
    _HAS_LIMITS = True
_HAS_TIMER = hasattr(signal, "setitimer") and hasattr(signal, "SIGPROF")
TIMED_OUT = -signal.SIGPROF if _HAS_TIMER else 124
"""The return code of a process that `ProcessorTimer` has ended."""
_CHECK_SECONDS = 0.02
_FILES_ELSEWHERE = 512
"""Open files where the system does not say how many it allows: the fewest that any does."""


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


def most_open_files() -> int:
    """How many files and sockets this process may have open."""
    if not _HAS_LIMITS:
        return _FILES_ELSEWHERE
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if most == resource.RLIM_INFINITY else most


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


def take_share_of_processors(number: int, of: int) -> None:
    """Run this process, and what it starts, on its share of the processors; one at least."""
    if hasattr(os, "sched_setaffinity"):
        every = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, every[number % of :: of] or every)
