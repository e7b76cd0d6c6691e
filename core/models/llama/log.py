"""llama.cpp's log in lines, at most so many a second."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from llama_cpp import llama_cpp as c

from core.text.quantities import counted

_ERROR, _DEBUG, _CONTINUED = 4, 1, 5
_LINE = 500
"""Most characters of a line."""
_PER_SECOND = 500
"""Most lines in a second; the others are counted."""


class Log:
    """Receives llama.cpp's log for as long as the process lives."""

    def __init__(self, send: Callable[[str], None]) -> None:
        """Take over from the callback that the Python package installs, which prints."""
        self._send = send
        self._part = ""
        self._level = 0
        self._errors: deque[str] = deque(maxlen=3)
        self._second = 0.0
        self._sent = 0
        self._left_out = 0
        # Referenced here because C code calls it until the process ends.
        self._callback = c.llama_log_callback(self._receive)
        c.llama_log_set(self._callback, None)

    def last_errors(self) -> str:
        """The last logged errors, in one line."""
        return " / ".join(self._errors)

    def _receive(self, level: int, text: bytes, _: object) -> None:
        self._level = self._level if level == _CONTINUED else level
        if self._level == _DEBUG:
            return
        *lines, self._part = (self._part + text.decode("utf-8", "replace")).split("\n")
        self._part = self._part[:_LINE]
        for line in lines:
            if self._level == _ERROR:
                self._errors.append(line[:_LINE])
            self._pass_on(line[:_LINE])

    def _pass_on(self, line: str) -> None:
        now = time.monotonic()
        if now - self._second >= 1:
            if self._left_out:
                self._send(f"({counted(self._left_out, 'line')} left out)")
            self._second, self._sent, self._left_out = now, 0, 0
        if self._sent < _PER_SECOND:
            self._sent += 1
            self._send(line)
        else:
            self._left_out += 1
