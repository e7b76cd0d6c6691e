"""Append-only files of lines, in which no complete line is ever lost.

A line is written and flushed to the disk before `append` returns. An incomplete last line, left by
a killed process, is not read, and is cut off when the file is next opened for writing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec

from core.files.atomic import make_private, make_private_folder
from core.files.line_file import append_line, cut_incomplete_line, incomplete_line
from core.files.regular_file import not_regular, open_regular_file
from core.files.rows import MOST_BLANK_LINES, too_many_blank_lines
from core.system.file_lock import NO_FOLLOW, OPEN_FLAGS, Lock, flush_folder
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _

LONGEST_LINE = 2**16
"""Most bytes of a line."""
_CLOSED = -1


class AppendedFile:
    """An append-only file, locked against other writers while it is open."""

    def __init__(self, path: Path, taken: str) -> None:
        """Open or create the file at `path`, with its folder; only its owner may read a new one.

        Raises `DataError`, with the message `taken` if another program has it open, and for a link,
        through which any file could be cut and written.
        """
        self.path = path
        new = not path.exists()
        try:
            make_private_folder(path.parent)
            _refuse_all_but_files(path)
            make_private(path)
            self._file = os.open(path, os.O_RDWR | OPEN_FLAGS | NO_FOLLOW)
        except OSError as error:
            raise self._failed(error) from error
        try:
            self._lock = Lock(path)
        except BlockingIOError as error:
            os.close(self._file)
            raise DataError(
                taken, where=error.filename or path, hint=_("Close it in the other program first.")
            ) from error
        except OSError as error:
            os.close(self._file)
            raise self._failed(error) from error
        try:
            self._mend()
            if new:
                flush_folder(path.parent)
        except OSError as error:
            self.close()
            raise self._failed(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close and unlock the file. Closing it again does nothing."""
        if self._file != _CLOSED:
            os.close(self._file)
            self._lock.release()
            self._file = _CLOSED

    def append(self, line: bytes) -> None:
        """Append a line, given without its line break; it is on the disk when this returns.

        Raises `DataError`; the file is then unchanged.
        """
        try:
            append_line(self._file, line, sync=True)
            kept = self._lock.is_of(self.path)
        except OSError as error:
            raise self._failed(error) from error
        if not kept:
            # The line is in a file that has no name any more.
            raise DataError(
                _("The file was removed or replaced while it was open."),
                where=self.path,
                hint=_("Leave, put the file back if there is a copy of it, and begin again."),
            )

    def _mend(self) -> None:
        """Cut off an incomplete last line, or add the line break that a complete one lacks."""
        if is_json(incomplete_line(self._file)):
            append_line(self._file, b"")
        else:
            cut_incomplete_line(self._file)

    def _failed(self, error: OSError) -> DataError:
        return DataError(
            _("This cannot be written: {why}.", why=error.strerror),
            where=self.path,
        )


def _refuse_all_but_files(path: Path) -> None:
    """Raise `OSError` where the path leads to something, and that is no regular file."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise not_regular(path)


def lines_from(path: Path, start: int, line: int) -> Iterator[tuple[int, int, bytes]]:
    """The complete lines of a file from byte `start`, where line number `line` begins.

    Yields (line number, position after the line, line). A last line without a line break is
    complete if it is JSON. Raises `DataError`; a missing file has no lines.
    """
    try:
        handle = open_regular_file(path, DataError)
    except FileNotFoundError:
        return
    where = escape_control_characters(str(path))
    filled = line
    with handle:
        handle.seek(start)
        while raw := handle.readline(LONGEST_LINE + 1):
            if len(raw) > LONGEST_LINE:
                raise DataError(_("This line is too long."), where=f"{where}:{line}")
            if not raw.endswith(b"\n") and not is_json(raw):
                return
            start += len(raw)
            if not raw.isspace():
                filled = line
                yield line, start, raw
            elif line - filled > MOST_BLANK_LINES:
                raise too_many_blank_lines(path, line)
            line += 1


def is_json(line: bytes) -> bool:
    """Whether a line is one JSON value."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (ValueError, RecursionError):
        return False
    return True
