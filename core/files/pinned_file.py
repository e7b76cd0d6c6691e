"""The file that a collection reads from, held open, and the hash of what was opened."""

from __future__ import annotations

import hashlib
import os
import weakref
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from core.files.regular_file import open_regular_file
from core.text.errors import DataError
from core.text.language import _

_CHUNK = 2**20


class PinnedFile:
    """A file that stays open, so that another one in its place changes nothing.

    It may be read from several threads.
    """

    def __init__(self, path: Path) -> None:
        """Open the file at `path`; raises `FileNotFoundError`, `DataError` for no regular file."""
        self.path = path
        self.handle: BinaryIO = open_regular_file(path, DataError)
        weakref.finalize(self, self.handle.close)
        self._lock = Lock()
        self._opened_as = self._state()
        self._beside: dict[str, bytes] = {}
        self._hash = ""

    def close(self) -> None:
        """Let go of the file."""
        self.handle.close()

    def add(self, beside: Iterable[Path]) -> None:
        """Let the hash tell these files too, as they are now; what cannot be read is no part."""
        for path in beside:
            try:
                with open_regular_file(path, DataError) as handle:
                    self._beside[path.name] = hashlib.file_digest(handle, "sha256").digest()
            except (OSError, DataError):
                continue

    def read(self, start: int, size: int) -> bytes:
        """So many bytes from a position; raises `OSError`."""
        with self._lock:
            self.handle.seek(start)
            return self.handle.read(size)

    def content_hash(self) -> str:
        """SHA-256 over the content, and over name and content of the files beside it.

        Computed when it is first asked for. Raises `DataError` when the file was written to
        since it was opened: what was read of it then and now would not be one collection.
        """
        try:
            if not self._hash and self._state() == self._opened_as:
                self._hash = self._computed()
            unchanged = self._state() == self._opened_as
        except OSError as error:
            raise DataError(
                _("This file cannot be read again: {why}.", why=error.strerror),
                where=str(self.path),
            ) from error
        if not unchanged:
            raise DataError(
                _("This file was changed since it was opened."),
                where=str(self.path),
                hint=_("Open it again."),
            )
        return self._hash

    def _computed(self) -> str:
        content = hashlib.sha256()
        start = 0
        # A piece at a time, so that whoever wants to read a story does not wait for all of it.
        while piece := self.read(start, _CHUNK):
            content.update(piece)
            start += len(piece)
        digest = hashlib.sha256(content.digest())
        for name, own in sorted(self._beside.items()):
            digest.update(name.encode() + b"\0" + own)
        return digest.hexdigest()

    def _state(self) -> tuple[int, int]:
        known = os.fstat(self.handle.fileno())
        return known.st_size, known.st_mtime_ns
