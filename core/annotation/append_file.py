"""Files that only grow, a line at a time, of which no finished line is ever lost.

A line is written whole and flushed to the disk before `append` returns. What a kill leaves of an
unfinished line is not read, and is cut off when the file is next written to.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from core.files.regular_file import open_regular_file
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _

LONGEST_LINE = 2**16
"""Most bytes of a line."""
_CLOSED = -1


class AppendedFile:
    """A file that this program alone appends to while it is open."""

    def __init__(self, path: Path, taken: str) -> None:
        """Open or make the file at `path`, with its folder.

        Raises `DataError`, with the message `taken` where another program has it open.
        """
        self.path = path
        new = not path.exists()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o644)
        except OSError as error:
            raise self._failed(error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._mend()
            if new:
                _flush_folder(path.parent)
        except BlockingIOError as error:
            os.close(self._file)
            raise DataError(
                taken, where=escape_control_characters(str(path)), hint=_("Leave it there first.")
            ) from error
        except OSError as error:
            os.close(self._file)
            raise self._failed(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let others write; nothing can be appended any more. Closing again does nothing."""
        if self._file != _CLOSED:
            os.close(self._file)
            self._file = _CLOSED

    def append(self, line: bytes) -> None:
        """Add a line, given without its end; it is on the disk when this returns.

        Raises `DataError`, and then the file is as it was before.
        """
        whole = line + b"\n"
        try:
            at = os.lseek(self._file, 0, os.SEEK_END)
            try:
                written = os.write(self._file, whole)
                while written < len(whole):
                    written += os.write(self._file, whole[written:])
                os.fsync(self._file)
            except OSError:
                os.ftruncate(self._file, at)
                raise
        except OSError as error:
            raise self._failed(error) from error

    def _mend(self) -> None:
        """Cut off an unfinished line at the end; a finished one gets the end that it lacks."""
        size = os.lseek(self._file, 0, os.SEEK_END)
        start = max(0, size - LONGEST_LINE)
        tail = os.pread(self._file, size - start, start)
        last = tail.rpartition(b"\n")[2]
        if not last:
            return
        if is_json(last):
            os.lseek(self._file, 0, os.SEEK_END)
            os.write(self._file, b"\n")
        else:
            os.ftruncate(self._file, size - len(last))

    def _failed(self, error: OSError) -> DataError:
        return DataError(
            _("This cannot be written: {why}.", why=error.strerror),
            where=escape_control_characters(str(self.path)),
        )


def lines_from(path: Path, start: int, line: int) -> Iterator[tuple[int, int, bytes]]:
    """The finished lines of a file from a position on, which is where line `line` begins.

    Each with its number and the position behind it. A last line without an end is finished where
    it is JSON. Raises `DataError`; a file that is not there has no lines.
    """
    try:
        handle = open_regular_file(path, DataError)
    except FileNotFoundError:
        return
    where = escape_control_characters(str(path))
    with handle:
        handle.seek(start)
        while raw := handle.readline(LONGEST_LINE + 1):
            if len(raw) > LONGEST_LINE:
                raise DataError(_("This line is too long."), where=f"{where}:{line}")
            if not raw.endswith(b"\n") and not is_json(raw):
                return
            start += len(raw)
            if not raw.isspace():
                yield line, start, raw
            line += 1


def is_json(line: bytes) -> bool:
    """Whether a line is one JSON value."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (ValueError, RecursionError):
        return False
    return True


def _flush_folder(folder: Path) -> None:
    """Put a new file's name on the disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
