"""The program in a real terminal: it comes, it goes, and it leaves nothing behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyte
import pytest
from ptyprocess import PtyProcess

COMMAND = str(Path(sys.executable).with_name("commonsense-tui"))


class Terminal:
    """The installed command in a pseudo-terminal."""

    def __init__(self) -> None:
        self.process = PtyProcess.spawn(
            [COMMAND], dimensions=(24, 80), env={**os.environ, "TERM": "xterm-256color"}
        )
        self.raw = b""
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)

    def until(self, text: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not any(text in line for line in self._screen.display):
            assert time.monotonic() < end, "\n".join(self._screen.display)
            data = self.process.read(65536)
            self.raw += data
            self._stream.feed(data)

    def finish(self) -> int | None:
        """Read to the end; the exit status."""
        try:
            while True:
                self.raw += self.process.read(65536)
        except EOFError:
            self.process.wait()
        return self.process.exitstatus

    def workers(self) -> list[int]:
        """Processes that the program started and that are still there."""
        pids = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in pids.split()]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    opened = Terminal()
    yield opened
    opened.process.close(force=True)


def alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def left_clean(terminal: Terminal) -> bool:
    """Whether the alternate screen and the mouse were given back after they were last taken."""
    raw = terminal.raw
    return all(
        raw.rfind(off) > raw.rfind(on)
        for on, off in ((b"?1049h", b"?1049l"), (b"?1000h", b"?1000l"))
    )


def ends(pids: list[int]) -> bool:
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(alive(pid) for pid in pids)


def test_q_leaves_the_terminal_as_it_was_and_no_process(terminal: Terminal) -> None:
    terminal.until("space asks")
    workers = terminal.workers()
    assert workers
    terminal.process.write(b"q")
    assert terminal.finish() == 0
    assert left_clean(terminal)
    assert ends(workers)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_leaves_the_terminal_as_it_was(
    terminal: Terminal, number: signal.Signals
) -> None:
    terminal.until("space asks")
    workers = terminal.workers()
    terminal.process.kill(number)
    assert terminal.finish() == 128 + number
    assert left_clean(terminal)
    assert ends(workers)


def test_being_killed_leaves_no_process(terminal: Terminal) -> None:
    terminal.until("space asks")
    workers = terminal.workers()
    terminal.process.kill(signal.SIGKILL)
    assert ends(workers)
