"""How many threads llama.cpp computes with: measured once for a machine and a size of models.

What was chosen lies in the folder of the program's state. No score depends on it: llama.cpp
computes each number in one thread, whichever that is.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from core.files import paths
from core.files.state_file import read_state, write_state

SMALL = 50_000_000
"""Below this number of parameters, one thread is taken: more would mostly wait for each other."""
_SIZES = (
    (500_000_000, "below 0.5 billion parameters"),
    (2_000_000_000, "below 2 billion parameters"),
    (10_000_000_000, "below 10 billion parameters"),
)
MOST_THREADS = 512
"""llama.cpp takes no more."""
_NEARLY = 1.05
"""Fewer threads are taken where they need at most this much more time than the fastest."""
_LARGEST_FILE = 2**16
_PACKAGE = "llama-cpp-python"

Seconds = Mapping[int, float]
"""What a short prompt takes, by the number of threads."""


class ThreadChoice(msgspec.Struct, frozen=True):
    """What was chosen for models of a size."""

    threads: Annotated[int, msgspec.Meta(ge=1, le=MOST_THREADS)]
    seconds: dict[int, float]
    """What was measured."""


def cores() -> int:
    """How many processor cores the program may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usual_threads(parameters: int) -> int:
    """How many threads run a model with this number of parameters where nothing was measured."""
    return 1 if parameters < SMALL else cores()


def size_of(parameters: int) -> str:
    """The sizes of models among which one is; empty where nothing is measured."""
    if parameters < SMALL:
        return ""
    return next((name for most, name in _SIZES if parameters < most), "")


def tried_threads() -> list[int]:
    """The numbers of threads that are compared: as many as cores, the half, the quarter."""
    return sorted({max(1, cores() // part) for part in (1, 2, 4)}, reverse=True)


def fastest(seconds: Seconds) -> int:
    """The number of threads to take, of those that were measured."""
    best = min(seconds.values())
    return min(threads for threads, each in seconds.items() if each <= _NEARLY * best)


def machine() -> str:
    """What a choice holds for: processor, cores and llama.cpp."""
    return f"{_processor()}, {cores()} cores, {_package()}"


def described(count: int) -> str:
    """What computes a model, as runs record it: "llama-cpp-python 0.3.36, 2 threads"."""
    return f"{_package()}, {count} thread{'s' if count > 1 else ''}"


def choices() -> dict[str, ThreadChoice]:
    """What was chosen on this machine, by the sizes of models."""
    return _read().get(machine(), {})


def keep(size: str, choice: ThreadChoice) -> None:
    """Keep a choice for this machine. Where that cannot be written, it is measured again."""
    every = _read()
    every.setdefault(machine(), {})[size] = choice
    with suppress(OSError):
        write_state(_file(), every)


def _file() -> Path:
    return paths.state() / "threads.json"


def _read() -> dict[str, dict[str, ThreadChoice]]:
    """What was chosen on every machine; nothing where the file is no such file."""
    return read_state(_file(), _LARGEST_FILE, dict[str, dict[str, ThreadChoice]]) or {}


def _package() -> str:
    # Help and completion read this module, and need no version.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{_PACKAGE} {version(_PACKAGE)}"
    except PackageNotFoundError:
        return _PACKAGE


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine() or "unknown processor"
