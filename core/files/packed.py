"""Unpacks compressed files, and refuses decompression bombs."""

from __future__ import annotations

import bz2
import io
import tempfile
from pathlib import Path
from typing import IO, cast

from core.text.errors import DataError
from core.text.language import _

MOST_UNPACKED = 4 * 2**30
"""Most bytes that a packed file may hold when it is unpacked to a temporary file."""
MOST_RATIO = 100
"""Largest ratio of unpacked to packed bytes. Texts of rows have 5 to 30, a bomb a million."""
SMALL = 64 * 2**20
"""Unpacked bytes up to which the ratio does not matter."""
BLOCK = 2**20
"""Bytes that are unpacked at once."""
_MOST_A_BLOCK = 4 * BLOCK
"""Most packed bytes that one block may come from. Texts take less than they have."""


class PackedInput:
    """The bytes of a packed file, for the library that unpacks it a block at a time.

    Raises `DataError` where a block takes far more bytes than it has: a file may have millions of
    parts without anything in them, or end in a gigabyte of zeros.
    """

    def __init__(self, handle: IO[bytes], path: Path) -> None:
        self._handle, self._path, self._taken = handle, path, 0

    def block_came(self) -> None:
        """Count from here: a block was unpacked."""
        self._taken = 0

    def read(self, size: int = -1) -> bytes:
        """Up to so many bytes."""
        data = self._handle.read(size)
        self._taken += len(data)
        if self._taken > _MOST_A_BLOCK:
            raise DataError(
                _("This file is packed in too many parts with next to nothing in them."),
                where=self._path,
                hint=_("Unpack it, and pack it again in one part."),
            )
        return data

    def seekable(self) -> bool:
        """Whether it can be read again; it cannot."""
        return False


def is_bomb(unpacked: int, packed: int) -> bool:
    """Whether the ratio of unpacked to packed bytes is that of a decompression bomb."""
    return unpacked > SMALL and unpacked > MOST_RATIO * packed


def check_size(unpacked: int, packed: int, path: Path, most: int = MOST_UNPACKED) -> None:
    """Check a file while it is unpacked; raises `DataError` when it is too large.

    Args:
        unpacked: how many bytes were unpacked so far.
        packed: how many bytes of the packed file they come from.
        path: the file.
        most: most bytes that may be unpacked.
    """
    if unpacked > most:
        what = _("This file holds more than {most} GiB.", most=most // 2**30)
    elif is_bomb(unpacked, packed):
        what = _("This file unpacks to more than {ratio} times its size.", ratio=MOST_RATIO)
    else:
        return
    raise DataError(
        what,
        where=path,
        hint=_("Unpack it, and take a part of it."),
    )


def unpacked_bzip2(packed: IO[bytes], path: Path) -> IO[bytes]:
    """The content of a bzip2 file, in a temporary file without a name; raises `DataError`."""
    target = tempfile.TemporaryFile()  # noqa: SIM115
    size = 0
    try:
        given = PackedInput(packed, path)
        with bz2.BZ2File(cast("IO[bytes]", given)) as source:
            while block := source.read(BLOCK):
                given.block_came()
                size += len(block)
                check_size(size, packed.tell(), path)
                target.write(block)
    except (OSError, EOFError, ValueError) as error:
        target.close()
        raise DataError(
            _("This file cannot be unpacked: {error}.", error=error),
            where=path,
            hint=_("The download may have been cut off."),
        ) from error
    except DataError:
        target.close()
        raise
    target.seek(0, io.SEEK_SET)
    return target
