"""The installed command in a pseudo-terminal, driven by keys and read as a person reads it."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyte
from ptyprocess import PtyProcess

COMMAND = str(Path(sys.executable).with_name("commonsense-tui"))

# What the terminal that the tests run in would tell the program about itself.
_OUTSIDE = frozenset({"NO_COLOR", "COLORTERM", "TEXTUAL_COLOR_SYSTEM", "COLUMNS", "LINES"})
Size = tuple[int, int]
"""Columns and lines."""


class Terminal:
    """The command, and the screen that it draws."""

    def __init__(self, words: Sequence[str], size: Size, env: dict[str, str]) -> None:
        kept = {name: value for name, value in os.environ.items() if name not in _OUTSIDE}
        self.process = PtyProcess.spawn(
            [COMMAND, *words],
            dimensions=(size[1], size[0]),
            env={**kept, "TERM": "xterm-256color", **env},
        )
        self.raw = b""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def shown(self) -> str:
        """The screen now, line by line."""
        return "\n".join(self._screen.display)

    def press(self, keys: str) -> None:
        """Send what a terminal sends for some keys."""
        self.process.write(keys.encode())

    def until(self, *texts: str, gone: str | None = None, seconds: float = 60) -> None:
        """Read until all of some texts, and not that one, stand on the screen.

        All are waited for together: what is read may end in the middle of a picture, with its
        first lines new and its last ones old.
        """
        end = time.monotonic() + seconds
        while not self._stands(texts, gone):
            left = max(0.0, end - time.monotonic())
            assert self._drawn_within(left), (texts, gone, self.shown)
            self._read()

    def rests(self, seconds: float, within: float) -> bool:
        """Whether a time in which nothing is drawn begins before another time is over."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            if not self._drawn_within(seconds):
                return True
            self._read()
        return False

    def finish(self, seconds: float = 60) -> int | None:
        """Read to the end; the exit status."""
        end = time.monotonic() + seconds
        try:
            while True:
                assert self._drawn_within(max(0.0, end - time.monotonic())), self.shown
                self._read()
        except EOFError:
            self.process.wait()
        return self.process.exitstatus

    def workers(self) -> list[int]:
        """Processes that the program started and that are still there."""
        pids = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in pids.split()]

    def shut(self) -> None:
        """End the program, if it has not ended, and let go of its terminal."""
        while self.process.isalive():
            self.process.kill(signal.SIGKILL)
            time.sleep(0.02)
        self.process.close()

    def _stands(self, texts: tuple[str, ...], gone: str | None) -> bool:
        shown = self.shown
        return all(text in shown for text in texts) and (gone is None or gone not in shown)

    def _drawn_within(self, seconds: float) -> bool:
        return bool(select.select([self.process.fd], [], [], seconds)[0])

    def _read(self) -> None:
        data = self.process.read(65536)
        self.raw += data
        self._stream.feed(data)


@contextmanager
def terminal_of(*words: str | Path, size: Size = (80, 24), **env: str) -> Iterator[Terminal]:
    """The command with some words, in a terminal that is gone afterwards."""
    opened = Terminal(tuple(map(str, words)), size, env)
    try:
        yield opened
    finally:
        opened.shut()
