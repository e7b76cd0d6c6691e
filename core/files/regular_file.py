"""Opens files that a name from outside leads to, without ever waiting for one.

A pipe, a device or a socket may stand where a small file is expected. Opening such a pipe waits
for a writer that never comes, and reading a device need not end.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters

_BLOCK = 2**20


def open_regular_file(
    path: Path, failure: type[CommonsenseError], *, name: str = "This file", hint: str = ""
) -> BufferedReader:
    """Open a regular file for reading.

    Args:
        path: the file; links are followed.
        failure: what is raised for all but a file that does not exist.
        name: what the message calls the file, such as "The draft".
        hint: what the person can do about it.

    Raises:
        FileNotFoundError: where there is no such file; what that means the caller knows.
        failure: where there is anything but a regular file, or it may not be read.
    """
    try:
        handle = open(path, "rb", opener=_without_waiting)  # noqa: SIM115
    except FileNotFoundError:
        raise
    except IsADirectoryError as error:
        raise _failed(path, failure, name, "it is a folder", hint) from error
    except OSError as error:
        raise _failed(path, failure, name, str(error.strerror), hint) from error
    except ValueError as error:  # a null character in the path
        raise _failed(path, failure, name, str(error), hint) from error
    if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
        handle.close()
        raise _failed(path, failure, name, "it is not a regular file", hint)
    return handle


def read_regular(
    path: Path,
    limit: int,
    failure: type[CommonsenseError],
    *,
    name: str = "This file",
    hint: str = "",
) -> bytes:
    """The bytes of a regular file; raises as `open_regular_file` does, also beyond `limit`
    bytes."""
    with open_regular_file(path, failure, name=name, hint=hint) as handle:
        try:
            raw = b"".join(_blocks(handle, limit + 1))
        except OSError as error:
            raise _failed(path, failure, name, str(error.strerror), hint) from error
    if len(raw) > limit:
        raise _failed(path, failure, name, f"it is larger than {limit:,} bytes", hint)
    return raw


def _blocks(handle: BinaryIO, most: int) -> Iterator[bytes]:
    """At most so many bytes; memory for them is only taken as they come."""
    while most and (block := handle.read(min(most, _BLOCK))):
        yield block
        most -= len(block)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _failed(
    path: Path, failure: type[CommonsenseError], name: str, why: str, hint: str
) -> CommonsenseError:
    return failure(
        f"{name} cannot be read: {why}.", where=escape_control_characters(str(path)), hint=hint
    )
