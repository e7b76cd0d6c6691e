"""Sends what a program draws, and the files that it offers, to the server of a browser's tab."""

from __future__ import annotations

import os
from functools import partial
from threading import Lock
from typing import Any

from textual.drivers.web_driver import WebDriver


class WholePacketsDriver(WebDriver):
    """Textual's driver for browsers, which never writes a packet into another.

    One thread draws and another sends parts of files. While the pipe to the server is full, a write
    waits in the middle of its packet, and without a lock the other thread goes on there. The server
    would take the rest for the length of a packet that never ends.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._writing = Lock()
        self._write = partial(self._write_whole)

    def _write_whole(self, packet: bytes) -> int:
        rest = memoryview(packet)
        with self._writing:
            while rest:
                rest = rest[os.write(self.fileno, rest) :]
        return len(packet)
