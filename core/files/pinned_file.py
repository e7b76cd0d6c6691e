"""A file that stays open while a collection reads from it, and the hash of its content."""

from __future__ import annotations

import hashlib
import os
import weakref
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import IO

from core.files.packed import unpacked_bzip2
from core.files.regular_file import open_regular_file
from core.text.errors import DataError
from core.text.language import _

PACKED = ".bz2"
"""The suffix of a file that is unpacked when it is opened."""
_CHUNK = 2**20


class PinnedFile:
    """A file that stays open, so that replacing it on disk changes nothing.

    A bzip2 file is unpacked to a temporary file, and positions are those in the unpacked file. It
    may be read from several threads.
    """

    def __init__(self, path: Path) -> None:
        """Open the file at `path`.

        Raises `FileNotFoundError`, and `DataError` if it is not a regular file or cannot be
        unpacked.
        """
        self.path = path
        self._stored: IO[bytes] = open_regular_file(path, DataError)
        weakref.finalize(self, self._stored.close)
        self.handle: IO[bytes] = self._stored
        """The unpacked content."""
        if path.suffix == PACKED:
            self.handle = unpacked_bzip2(self._stored, path)
            weakref.finalize(self, self.handle.close)
        self._lock = Lock()
        self._opened_as = self._state()
        self._beside: dict[str, bytes] = {}
        self._hash = ""

    def close(self) -> None:
        """Close the file."""
        self.handle.close()
        self._stored.close()

    def add(self, beside: Iterable[Path]) -> None:
        """Include the present content of other files in the hash; unreadable ones are left out."""
        for path in beside:
            try:
                with open_regular_file(path, DataError) as handle:
                    self._beside[path.name] = hashlib.file_digest(handle, "sha256").digest()
            except (OSError, DataError):
                continue

    def read(self, start: int, size: int, line: int) -> bytes:
        """The bytes at a position; raises `DataError` naming the line."""
        try:
            with self._lock:
                self.handle.seek(start)
                return self.handle.read(size)
        except OSError as error:
            raise DataError(
                _("This cannot be read again: {why}.", why=error.strerror),
                where=f"{self.path}:{line}",
            ) from error

    def content_hash(self) -> str:
        """SHA-256 of the stored file, and of name and content of the files that were added.

        Computed at the first call. Raises `DataError` if the file was written to since it was
        opened, because rows read before and after would not be one collection.
        """
        try:
            if not self._hash and self._state() == self._opened_as:
                self._hash = self._computed()
            unchanged = self._state() == self._opened_as
        except OSError as error:
            raise DataError(
                _("This file cannot be read again: {why}.", why=error.strerror),
                where=self.path,
            ) from error
        if not unchanged:
            raise DataError(
                _("This file was changed since it was opened."),
                where=self.path,
                hint=_("Open it again."),
            )
        return self._hash

    def _computed(self) -> str:
        content = hashlib.sha256()
        position = 0
        # A block at a time, so that other threads can read items meanwhile.
        while block := self._stored_block(position):
            content.update(block)
            position += len(block)
        digest = hashlib.sha256(content.digest())
        for name, of_content in sorted(self._beside.items()):
            digest.update(name.encode() + b"\0" + of_content)
        return digest.hexdigest()

    def _stored_block(self, position: int) -> bytes:
        with self._lock:
            self._stored.seek(position)
            return self._stored.read(_CHUNK)

    def _state(self) -> tuple[int, int]:
        status = os.fstat(self._stored.fileno())
        return status.st_size, status.st_mtime_ns
