"""Looks at worker processes from outside."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from core.models.llama.client import LlamaModel

LONG = "the cup was open. " * 800
"""A prompt that takes the slow model some seconds."""


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def gone(pid: int) -> bool:
    for _ in range(100):
        if not alive(pid):
            return True
        await asyncio.sleep(0.05)
    return False


def children() -> set[int]:
    """The processes that this one started and that still run."""
    path = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return {pid for pid in map(int, path.read_text().split()) if alive(pid)}


def worker_pid(model: LlamaModel) -> int:
    return model._worker.pid
