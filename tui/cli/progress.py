"""Progress of a command, on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from core.layout.plain_text import cells
from core.layout.rows import fit
from core.text.errors import LostStoreError, ModelError, SettingError
from tui.cli.output import WorkFailedError, is_quiet, log, say, write_error

SECONDS = 5.0
"""Least time between two lines where there is no terminal."""
_LIVE_SECONDS = 0.1
_COLUMNS = 80
"""Where a terminal does not say how wide it is."""


class ProgressLine:
    """One line that changes on a terminal; elsewhere a line every few seconds."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty() and not is_quiet()
        self._seconds = _LIVE_SECONDS if self._live else SECONDS
        self._due = time.monotonic() + (0.0 if self._live else SECONDS)
        self._pending: dict[str, str] = {}
        self._text = ""
        self._written = False
        self._log_due = time.monotonic()

    def show(self, text: str, *, part: str = "", now: bool = False) -> None:
        """Show how far the work is, if it is time to or if it is to be shown `now`.

        Several parts of the work, named by `part`, share a line where there is no terminal.
        """
        self._pending[part] = text
        # Elsewhere than on a terminal the line is a remark, and remarks are logged.
        if self._live and time.monotonic() >= self._log_due:
            self._log_due = time.monotonic() + SECONDS
            log("info", text)
        if now or time.monotonic() >= self._due:
            self._write()

    def next_part(self) -> None:
        """On a terminal, leave the line as it stands and begin another."""
        if self._live:
            self.end()

    def end(self) -> None:
        """Show the last state, whole, and leave the line as it stands."""
        self._write()
        if self._written:
            write_error(f"\r\x1b[K{self._text}\n")
            self._written = False

    def clear(self) -> None:
        """Take the line away."""
        self._pending.clear()
        if self._written:
            write_error("\r\x1b[K")
            self._written = False

    def _write(self) -> None:
        if not self._pending:
            return
        self._due = time.monotonic() + self._seconds
        if self._live:
            self._text = list(self._pending.values())[-1]
            # A longer one would go on in the next row, which the next text does not take away.
            write_error(f"\r\x1b[K{fit(self._text, _columns() - 1, cells)}")
            self._written = True
        else:
            say("; ".join(self._pending.values()))
        self._pending.clear()


def _columns() -> int:
    """Columns of the terminal that shows the line; stdout may go elsewhere."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
    except OSError:
        return _COLUMNS


@contextmanager
def resumable_progress(kept: str) -> Iterator[ProgressLine]:
    """A line for work that can be resumed; it says what is `kept` where the work ends early.

    Raises `WorkFailedError` for a `ModelError`.
    """
    line = ProgressLine()
    try:
        yield line
    except ModelError as error:
        line.end()
        say(kept)
        raise WorkFailedError(error) from error
    except (SettingError, LostStoreError):
        line.end()
        raise
    except BaseException:
        line.end()
        say(f"Stopped. {kept}")
        raise
    line.end()
