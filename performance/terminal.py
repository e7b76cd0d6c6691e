"""Measures a program in a pseudo-terminal: when it first paints, when a key is seen to act."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import pyte
from ptyprocess import PtyProcess

COLUMNS, ROWS = 140, 40
PROGRAM = [str(Path(sys.executable).with_name("commonsense-tui"))]


class Terminal:
    """A process in a pseudo-terminal of 140 by 40 cells, with the screen it has painted.

    What it writes is taken from it at once, by a thread, and stamped: emulating the terminal is
    slower than painting, and must neither hold the program up nor be counted.
    """

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
        self._lines = [""] * ROWS
        self._written: Queue[tuple[float, bytes]] = Queue()
        # Else the thread waits for the emulation before it can stamp what has come.
        sys.setswitchinterval(0.0002)
        Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        while True:
            try:
                data = os.read(self._process.fd, 65536)
            except (OSError, ValueError):
                return
            self._written.put((time.perf_counter(), data))

    @property
    def lines(self) -> list[str]:
        """The screen's rows as text; only rows written to since the last call are made again."""
        screen = self._screen
        for y in screen.dirty:
            row = screen.buffer[y]
            self._lines[y] = "".join(row[x].data for x in range(COLUMNS))
        screen.dirty.clear()
        return list(self._lines)

    def send(self, keys: bytes) -> None:
        """Type."""
        self._process.write(keys)

    def until(self, seen: Callable[[list[str]], bool], seconds: float) -> float:
        """Wait for the screen to satisfy `seen`; return when it was written.

        On `perf_counter`'s clock. Raises `TimeoutError` after `seconds`, showing the screen.
        """
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            try:
                written, data = self._written.get(timeout=left)
            except Empty:
                break
            self._stream.feed(data)
            if seen(self.lines):
                return written
        raise TimeoutError("\n".join(self.lines))

    def settle(self, seconds: float) -> None:
        """Read what the program paints for `seconds`, and what is still queued then."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0 or not self._written.empty():
            try:
                self._stream.feed(self._written.get(timeout=max(0.0, left))[1])
            except Empty:
                return

    def resident_bytes(self) -> int:
        """Resident memory of the process, without its children."""
        pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def cpu_seconds(self) -> float:
        """Processor time that the process has taken so far, without its children."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the process."""
        # A busy machine needs longer than a tenth of a second to end one.
        self._process.delayafterterminate = 2.0
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
