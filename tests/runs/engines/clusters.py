"""Schedulers and workers of dask.distributed in processes of their own, on this machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import distributed

ROOT = Path(__file__).parents[3]
_SCHEDULER = ("distributed.cli.dask_scheduler", "--port", "0", "--dashboard-address", "127.0.0.1:0")
_WORKER = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
_PATIENCE = 120.0
_SELDOM = {
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
"""Nobody looks at what they measure of themselves, and they stay while other tests run."""


@dataclass(frozen=True, slots=True)
class Workers:
    """A running scheduler and its workers."""

    address: str
    scheduler: subprocess.Popen[str]
    start_worker: Callable[[], subprocess.Popen[str]]
    """Start another one."""
    workers: Sequence[subprocess.Popen[str]]
    """Those that were started at first."""


@contextmanager
def running(folder: Path, workers: int = 2, *, without: str = "") -> Iterator[Workers]:
    """Start them with the library's own commands, and end them.

    The "scheduler", or the "workers", may be in an environment `without` this program.
    """
    with ExitStack() as stack:
        log = folder / "scheduler.log"

        def start(module: str, *words: str, said: Path) -> subprocess.Popen[str]:
            command = [sys.executable, "-m", module]
            if said.stem == without:
                # Installed packages, but for what others installed them by a link.
                path = (
                    f"import sys; sys.path.append({str(Path(distributed.__file__).parents[1])!r})"
                )
                command = [sys.executable, "-S", "-c", f"{path}; from {module} import main; main()"]
            process = subprocess.Popen(
                [*command, *words],
                cwd=folder,
                env=os.environ
                | _SELDOM
                | {"PYTHONPATH": "" if said.stem == without else str(ROOT)},
                stdout=subprocess.DEVNULL,
                stderr=stack.enter_context(said.open("w")),
                text=True,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        def start_worker() -> subprocess.Popen[str]:
            more = ("--host", "127.0.0.1", "--local-directory", str(folder))
            return start(*_WORKER, address, *more, said=folder / "workers.log")

        scheduler = start(*_SCHEDULER, "--host", "127.0.0.1", said=log)
        address = _said(log, scheduler, r"Scheduler at:\s+(tcp://\S+)")
        started = [start_worker() for _ in range(workers)]
        yield Workers(address, scheduler, start_worker, started)


def _said(log: Path, process: subprocess.Popen[str], pattern: str) -> str:
    """What a process says, once it has said it."""
    end = time.monotonic() + _PATIENCE
    while (match := re.search(pattern, log.read_text())) is None:
        assert time.monotonic() < end, log.read_text()
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)
    return match[1]
