"""Files of lines that are only appended to: each line is whole, whatever interrupts its writing."""

from __future__ import annotations

import os

_CHUNK = 2**16


def append_line(file: int, line: bytes, *, sync: bool = False) -> None:
    """Append a line, given without its line break, to an open file.

    With `sync` it is on the disk when this returns. Raises `OSError`; the file is then unchanged.
    """
    at = os.lseek(file, 0, os.SEEK_END)
    left = line + b"\n"
    try:
        while left:
            left = left[os.write(file, left) :]
        if sync:
            os.fsync(file)
    except OSError:
        os.ftruncate(file, at)
        raise


def incomplete_line(file: int) -> bytes:
    """What stands behind the last line break of an open file, left by a killed process."""
    start, tail = os.lseek(file, 0, os.SEEK_END), b""
    while start and b"\n" not in tail:
        end, start = start, max(0, start - _CHUNK)
        os.lseek(file, start, os.SEEK_SET)
        tail = os.read(file, end - start) + tail
    return tail.rpartition(b"\n")[2]


def cut_incomplete_line(file: int) -> None:
    """Cut off what stands behind the last line break of an open file; raises `OSError`."""
    os.ftruncate(file, os.lseek(file, 0, os.SEEK_END) - len(incomplete_line(file)))
