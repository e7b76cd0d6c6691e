"""Lock files: made and held while only one program may work, and removed afterwards."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.files.regular_file import open_own
from core.system.file_lock import Lock

_PAUSE = 0.01


@contextmanager
def held(path: Path, *, patience: float = 0) -> Iterator[None]:
    """Hold a lock file, which is made for this and removed at the end.

    `patience` is how many seconds to wait for another program. Raises `BlockingIOError` if that
    still holds it, and `OSError`.
    """
    lock = _taken(path, patience)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        lock.release()


def locked(path: Path, *, private: bool = False) -> Lock:
    """Lock a regular file, which is made where there is none; no link is followed.

    Raises `BlockingIOError` if another program has the lock, and `OSError`. Where nothing can be
    locked, no file is left that was made.
    """
    is_new = not os.path.lexists(path)
    try:
        open_own(path, private=private).close()
        return Lock(path)
    except (BlockingIOError, FileNotFoundError):  # It is another program's.
        raise
    except OSError:
        if is_new:
            with suppress(OSError):
                path.unlink()
        raise


def _taken(path: Path, patience: float) -> Lock:
    patient_until = time.monotonic() + patience
    while True:
        try:
            lock = locked(path, private=True)
        except FileNotFoundError:
            if not path.parent.is_dir():
                raise
        except BlockingIOError:
            if time.monotonic() > patient_until:
                raise
            time.sleep(_PAUSE)
        else:
            # The program that had it may have removed the file before it let go.
            if lock.is_of(path):
                return lock
            lock.release()
