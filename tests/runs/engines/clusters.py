"""Schedulers and workers of dask.distributed in processes of their own, on this machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[3]
_SCHEDULER = ("distributed.cli.dask_scheduler", "--port", "0", "--dashboard-address", "127.0.0.1:0")
_WORKER = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
_PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Workers:
    """A running scheduler and its workers."""

    address: str
    scheduler: subprocess.Popen[str]
    workers: list[subprocess.Popen[str]] = field(default_factory=list)


@contextmanager
def running(
    folder: Path, workers: int = 2, protocol: str = "tcp", env: Mapping[str, str] | None = None
) -> Iterator[Workers]:
    """Start them with the library's own commands, and end them."""
    given = os.environ | {"PYTHONPATH": str(ROOT)} | dict(env or {})
    with ExitStack() as stack:

        def start(*words: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=folder,
                env=given,
                stdout=subprocess.DEVNULL,
                stderr=(folder / f"{time.monotonic_ns()}.log").open("w"),
                text=True,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        before = set(folder.glob("*.log"))
        scheduler = start(*_SCHEDULER, "--host", "127.0.0.1", "--protocol", protocol)
        (log,) = set(folder.glob("*.log")) - before
        address = _said(log, scheduler, rf"Scheduler at:\s+({protocol}://\S+)")
        started = [
            start(*_WORKER, address, "--host", "127.0.0.1", "--local-directory", str(folder))
            for _ in range(workers)
        ]
        yield Workers(address, scheduler, started)


def _said(log: Path, process: subprocess.Popen[str], pattern: str) -> str:
    """What a process says, once it has said it."""
    end = time.monotonic() + _PATIENCE
    while (match := re.search(pattern, log.read_text())) is None:
        assert time.monotonic() < end, log.read_text()
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)
    return match[1]
