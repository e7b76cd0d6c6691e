"""Whether the file beside a store, which holds what was recorded last, is whole.

SQLite reads such a file (https://www.sqlite.org/fileformat2.html#walformat) up to the first frame
that does not have its checksum, because a killed program may leave half a frame at the end. It says
nothing where committed frames follow.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_BIG_ENDIAN = 0x377F0683
_LARGEST_PAGE = 65_536


def has_damaged_frame(wal: Path) -> bool:
    """Whether a damaged frame hides committed ones behind it; raises `OSError`."""
    # A program may just be writing: what it had half written at first is whole then.
    return all(_has_damaged_frame(wal) for _attempt in range(2))


def _has_damaged_frame(wal: Path) -> bool:
    if not wal.is_file():
        return False
    with wal.open("rb") as file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return False
        magic, _version, size, _round, *salts, first, second = _HEADER.unpack(header)
        order = ">" if magic == _BIG_ENDIAN else "<"
        if _checksum(header[:-8], order, (0, 0)) != (first, second):
            # After it nothing is read.
            frame = file.read(_FRAME.size)
            return len(frame) == _FRAME.size and [*_FRAME.unpack(frame)[2:4]] == salts
        if size > _LARGEST_PAGE:
            return False
        sums = first, second
        while len(frame := file.read(_FRAME.size + size)) == _FRAME.size + size:
            *_page, first_salt, second_salt, first, second = _FRAME.unpack_from(frame)
            if [first_salt, second_salt] != salts:
                # What is left of an earlier round.
                return False
            sums = _checksum(frame[:8] + frame[_FRAME.size :], order, sums)
            if sums != (first, second):
                return _commit_follows(file, salts, size)
    return False


def _commit_follows(file: BinaryIO, salts: list[int], size: int) -> bool:
    """Whether the frames that come next, of the same round, belong to a committed transaction.

    Frames of a transaction that was rolled back, or whose program was killed, stay in the file
    until they are overwritten.
    """
    while len(frame := file.read(_FRAME.size)) == _FRAME.size:
        _page, pages_after_commit, *found, _first, _second = _FRAME.unpack(frame)
        if found != salts:
            return False
        if pages_after_commit:
            return True
        file.seek(size, os.SEEK_CUR)
    return False


def _checksum(content: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """The two sums over pairs of words, modulo 2^32, that go on from those before."""
    first, second = sums
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
