"""Measures that the scripts about large stores on disk share."""

from __future__ import annotations

import os
import resource
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

_Argument = TypeVar("_Argument")


def call_ms(ask: Callable[[_Argument], object], arguments: Iterable[_Argument]) -> float:
    """Median of the milliseconds of a call."""
    times = []
    for argument in arguments:
        started = time.perf_counter()
        ask(argument)
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def peak_mb() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def forget(path: Path) -> None:
    """Have the system forget what it keeps of a file, so that it comes from the disk."""
    handle = os.open(path, os.O_RDONLY)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(handle)
