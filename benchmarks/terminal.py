"""Measures a program in a pseudo-terminal: when it first paints, when a key is seen to act."""

from __future__ import annotations

import os
import select
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte
from ptyprocess import PtyProcess

COLUMNS, ROWS = 140, 40
PROGRAM = [str(Path(sys.executable).with_name("commonsense-tui"))]


class Terminal:
    """A process in a pseudo-terminal of 140 by 40 cells, with the screen it has painted."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self.started = time.perf_counter()
        self._process = PtyProcess.spawn(
            list(command),
            dimensions=(ROWS, COLUMNS),
            env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(env or {})},
        )
        self.pid = self._process.pid
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def lines(self) -> list[str]:
        """The screen's rows as text."""
        return list(self._screen.display)

    def send(self, keys: bytes) -> None:
        """Type."""
        self._process.write(keys)

    def until(self, seen: Callable[[list[str]], bool], seconds: float) -> float:
        """Read until the screen satisfies `seen`; return when that was, on `perf_counter`'s clock.

        Raises `TimeoutError` after `seconds`, with the screen in its message.
        """
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            ready, _, _ = select.select([self._process.fd], [], [], 0.05)
            if not ready:
                continue
            data = os.read(self._process.fd, 65536)
            now = time.perf_counter()
            self._stream.feed(data)
            if seen(self.lines):
                return now
        raise TimeoutError("\n".join(self.lines))

    def settle(self, seconds: float) -> None:
        """Read for a while, so that what was painted earlier does not delay what comes next."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            if select.select([self._process.fd], [], [], left)[0]:
                self._stream.feed(os.read(self._process.fd, 65536))

    def resident_bytes(self) -> int:
        """Resident memory of the process, without its children."""
        pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def close(self) -> None:
        """End the process."""
        self._process.close(force=True)


def painted(text: str) -> Callable[[list[str]], bool]:
    """A test for `text` standing anywhere on the screen."""
    return lambda lines: any(text in line for line in lines)


def median_ms(seconds: Sequence[float]) -> float:
    """The median in milliseconds."""
    return statistics.median(seconds) * 1000


def percentile_ms(seconds: Sequence[float], share: float) -> float:
    """A percentile in milliseconds, by the nearest rank."""
    ranked = sorted(seconds)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))] * 1000
