"""Looks at worker processes from outside."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from core.models.llama.client import LlamaModel

LONG = "the cup was open. " * 800
"""A prompt that takes the slow model some seconds of a processor."""


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def gone(pid: int) -> bool:
    """Whether a process ends, within a minute."""
    end = time.monotonic() + 60
    while alive(pid):
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.02)
    return True


def computed(pid: int) -> float:
    """Seconds for which a process has had a processor; 0 for one that is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def computing(pid: int) -> None:
    """Wait until a process that only waited is at work on what it was asked."""
    before = computed(pid)
    while computed(pid) < before + 0.1:
        assert alive(pid)
        await asyncio.sleep(0.01)


def children() -> set[int]:
    """The processes that this one started and that still run."""
    path = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return {pid for pid in map(int, path.read_text().split()) if alive(pid)}


def worker_pid(model: LlamaModel) -> int:
    return model.worker.pid


async def noticed(model: LlamaModel) -> None:
    """Wait until a model knows that its worker has ended, which is later than the end."""
    while model.worker.alive:
        await asyncio.sleep(0.01)
