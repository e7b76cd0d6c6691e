"""Opens regular files only, also to add to them, so that no file name can make the program wait.

Opening a pipe waits for a writer that may never come, reading a device need not end, a sparse file
can have any size and consist of zeros, and one that the system computes, as those in /proc, has no
size and may not end.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedRandom, BufferedReader, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any

from core.files.atomic import make_private
from core.files.database_file import is_beside_database, is_database
from core.system.file_lock import NO_FOLLOW, OPEN_FLAGS
from core.text.errors import CommonsenseError, DataError
from core.text.language import N_, _

_THIS_FILE = N_("This file")
_BLOCK = 2**20
_HEAD = 100
"""Bytes at the beginning that say what a file is."""
_SPARSE_SIZE = 16 * 2**20
"""Bytes up to which a file may be sparse."""
_SPARSE_RATIO = 2
"""A sparse file is refused if it is this many times larger than its space on the disk."""


def open_regular_file(
    path: Path, failure: type[CommonsenseError], *, name: str = _THIS_FILE, hint: str = ""
) -> BufferedReader:
    """Open a regular file for reading.

    Args:
        path: the file; links are followed.
        failure: the error to raise in every case but that of a file that does not exist.
        name: the name of the file in the message, such as "The draft".
        hint: what the person can do about it.

    Raises:
        FileNotFoundError: for a file that does not exist, also for want of a folder, which the
            caller handles.
        failure: for anything but a regular file, for a large sparse file, for one that the system
            computes, and for a file that may not be read. Reading raises it too.
    """
    try:
        raw = _GuardedFile(path, lambda why: _failed(path, failure, name, why, hint))
    except FileNotFoundError:
        raise
    except NotADirectoryError as error:  # What should be a folder is a file: it holds none.
        raise FileNotFoundError(error.errno, error.strerror, str(path)) from error
    except IsADirectoryError as error:
        raise _failed(path, failure, name, _("it is a folder"), hint) from error
    except OSError as error:
        raise _failed(path, failure, name, str(error.strerror), hint) from error
    except ValueError as error:  # a null character in the path
        raise _failed(path, failure, name, str(error), hint) from error
    handle: BufferedReader = BufferedReader(raw)
    try:
        if why := _refusal(handle):
            raise _failed(path, failure, name, why, hint)
    except BaseException:
        handle.close()
        raise
    return handle


@contextmanager
def opened(path: Path, *, name: str = _THIS_FILE) -> Iterator[BufferedReader]:
    """A regular file open for reading; raises `DataError`, also while it is read."""
    try:
        with open_regular_file(path, DataError, name=name) as handle:
            yield handle
    except FileNotFoundError:
        raise DataError(_("There is no such file."), where=path) from None
    except OSError as error:
        raise _failed(path, DataError, name, str(error.strerror), "") from error


def read_regular(
    path: Path,
    limit: int,
    failure: type[CommonsenseError],
    *,
    name: str = _THIS_FILE,
    hint: str = "",
) -> bytes:
    """The bytes of a regular file, at most `limit`; raises as `open_regular_file` does."""
    with open_regular_file(path, failure, name=name, hint=hint) as handle:
        if os.fstat(handle.fileno()).st_size > limit:
            raise _failed(
                path, failure, name, _("it is larger than {limit:,} bytes", limit=limit), hint
            )
        try:
            raw = b"".join(_blocks(handle, limit + 1))
        except OSError as error:
            raise _failed(path, failure, name, str(error.strerror), hint) from error
    if len(raw) > limit:
        raise _failed(
            path, failure, name, _("it is larger than {limit:,} bytes", limit=limit), hint
        )
    return raw


def read_text(path: Path, limit: int, *, name: str = _THIS_FILE) -> str:
    """The UTF-8 text of a regular file without a byte order mark; raises `DataError`."""
    try:
        raw = read_regular(path, limit, DataError, name=name)
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError(_("There is no such file."), where=path) from None
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(_("The file is not UTF-8 text."), where=f"{path}:{line}") from error


def open_to_append(path: Path, beginning: bytes, *, errors: str = "strict") -> TextIOWrapper:
    """Open a regular file to add UTF-8 text to it; one that is not there is made private.

    Args:
        path: the file.
        beginning: a pattern that what is in the file has to begin with, so that nothing is added
            to a file of another kind.
        errors: what is done about characters that UTF-8 has not.

    Raises `OSError`, whose `strerror` says it too where the file is no regular one, belongs to a
    database or begins otherwise, and `ValueError` for a null character in the path.
    """
    if is_database(path) or is_beside_database(path):
        raise OSError(
            errno.EINVAL, _("it belongs to a database, such as a store of runs"), str(path)
        )
    make_private(path)
    # The caller closes it.
    file = open(path, "a+", encoding="utf-8", errors=errors, opener=_regular_alone)  # noqa: SIM115
    file.seek(0)
    head = file.buffer.read(_HEAD)
    if head and not re.match(beginning, head):
        file.close()
        raise OSError(errno.EINVAL, _("it holds something else"), str(path))
    file.seek(0, os.SEEK_END)
    return file


def open_to_append_bytes(path: Path) -> FileIO:
    """Open a regular file to add bytes to it, or make it; no link is followed.

    Raises `OSError`, whose `strerror` says it too where the file is no regular one.
    """
    return FileIO(path, "a", opener=lambda name, flags: _regular_alone(name, flags | NO_FOLLOW))


def open_own(path: Path, *, private: bool = False) -> BufferedRandom:
    """Open a regular file to read and to change it, or make it; no link is followed.

    A `private` one that is made may be read and written by its owner only. Raises `OSError`, whose
    `strerror` says it too where the file is no regular one.
    """
    if private:
        make_private(path, through_links=False)
    flags = os.O_CREAT | NO_FOLLOW
    return open(path, "r+b", opener=lambda name, mode: _regular_alone(name, mode | flags))


def _regular_alone(path: str, flags: int) -> int:
    """Open a regular file to write; raises `OSError`."""
    try:
        descriptor = os.open(path, flags | OPEN_FLAGS, 0o666)
    except OSError as error:
        # A pipe that nobody reads or a socket; a link.
        if error.errno in (errno.ENXIO, errno.ELOOP):
            raise not_regular(path) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise not_regular(path)
    return descriptor


def not_regular(path: str | Path) -> OSError:
    """The error for what is to be written and is no regular file."""
    return OSError(errno.EINVAL, _("it is not a regular file"), str(path))


class _GuardedFile(FileIO):
    """A file that raises the caller's own error where the disk or the network fails.

    It is read as far as it went when it was opened: another program may be adding to it faster than
    it is read.
    """

    def __init__(self, path: Path, failed: Callable[[str], CommonsenseError]) -> None:
        super().__init__(path, "rb", opener=_without_waiting)
        self._failed = failed
        status = os.fstat(self.fileno())
        # What has no size is refused, when it is seen that it holds something.
        self._end = status.st_size if status.st_size else 1

    def readinto(self, buffer: Any, /) -> int | None:
        """Read into a buffer."""
        try:
            left = max(0, self._end - self.tell())
            return super().readinto(memoryview(buffer)[:left])
        except OSError as error:
            raise self._failed(str(error.strerror)) from error

    def readall(self) -> bytes:
        """All that is left."""
        parts = []
        try:
            while part := super().read(max(0, self._end - self.tell())):
                parts.append(part)
        except OSError as error:
            raise self._failed(str(error.strerror)) from error
        return b"".join(parts)


def _refusal(handle: BufferedReader) -> str:
    """Why a file that was opened is not read; empty for one that is."""
    status = os.fstat(handle.fileno())
    if not stat.S_ISREG(status.st_mode):
        return _("it is not a regular file")
    if _is_sparse(handle, status):
        return _("it is a sparse file: most of its {size:,} bytes are gaps", size=status.st_size)
    # One that was empty a moment ago and is written just now has a size by then.
    if not status.st_size and handle.peek(1) and not os.fstat(handle.fileno()).st_size:
        return _("it has no size: the system computes it while it is read")
    return ""


def _is_sparse(handle: BufferedReader, status: os.stat_result) -> bool:
    """Whether a file is large and at least half of it is gaps."""
    if status.st_size <= _SPARSE_SIZE or not hasattr(os, "SEEK_HOLE"):
        return False
    if status.st_blocks * 512 * _SPARSE_RATIO > status.st_size:
        return False
    # A compressed file, or one that was just written, may have few blocks, but it has no gap.
    has_gap = os.lseek(handle.fileno(), 0, os.SEEK_HOLE) < status.st_size
    os.lseek(handle.fileno(), 0, os.SEEK_SET)
    return has_gap


def _blocks(handle: BufferedReader, most: int) -> Iterator[bytes]:
    """At most `most` bytes; a file that grows while it is read takes no more memory than that."""
    while most and (block := handle.read(min(most, _BLOCK))):
        yield block
        most -= len(block)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | OPEN_FLAGS)


def _failed(
    path: Path, failure: type[CommonsenseError], name: str, why: str, hint: str
) -> CommonsenseError:
    return failure(_("{name} cannot be read: {why}.", name=_(name), why=why), where=path, hint=hint)
