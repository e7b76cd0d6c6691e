"""Locks files against other programs, and flushes the names of new ones to the disk."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import Self

try:
    import fcntl
except ImportError:
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True
OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""With these `os.open` does not wait for the other end of a pipe, and no line break changes."""
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
"""With this `os.open` refuses a link."""

_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}
"""What file systems without locks answer."""


def can_lock(folder: Path) -> bool:
    """Whether the file system of a folder locks files, as databases need it.

    A file of its own is locked, because closing one ends every lock of this process on it. True
    where no file can be made there, which the next one to write learns anyhow.
    """
    if not _HAS_LOCKS:
        return True
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            fcntl.lockf(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _NO_LOCKS
    return True


class Lock:
    """A lock on a file or a folder against other programs, until `release` or the process' end.

    Where the system has no such locks a file beside it, or in the folder, is the lock. A process
    that is killed leaves that file behind.
    """

    def __init__(self, path: Path) -> None:
        """Take the lock; raises `BlockingIOError` if another program has it, and `OSError`."""
        self._file: Path | None = None
        if not _HAS_LOCKS:
            self._file = _file_instead(path)
            try:
                self._descriptor = os.open(self._file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            except FileExistsError as error:
                raise BlockingIOError(error.errno, error.strerror, str(self._file)) from None
            return
        self._descriptor = _opened(path)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise

    def is_of(self, path: Path) -> bool:
        """Whether the path still leads to the file that is locked."""
        if self._file is not None:
            return True
        try:
            there = path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(there, os.fstat(self._descriptor))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.release()

    def release(self) -> None:
        """Let others have it."""
        os.close(self._descriptor)
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def _opened(path: Path) -> int:
    """A descriptor of a file or a folder; raises `OSError`.

    It can write where that is possible, because NFS gives no lock for one program alone otherwise.
    """
    try:
        return os.open(path, os.O_RDWR | OPEN_FLAGS)
    except OSError:
        return os.open(path, os.O_RDONLY | OPEN_FLAGS)


def is_locked(path: Path) -> bool:
    """Whether a program has the lock on a file; never of one that is not there or not readable."""
    if not _HAS_LOCKS:
        return _file_instead(path).exists()
    try:
        descriptor = os.open(path, os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return False
    try:
        # Several programs may ask at once.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def _file_instead(path: Path) -> Path:
    """What stands for a lock where the system has none."""
    return path / ".lock" if path.is_dir() else path.with_name(f".{path.name}.lock")


def flush_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that the names of new files in it are there too.

    Does nothing on systems that cannot open folders; raises `OSError`.
    """
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
