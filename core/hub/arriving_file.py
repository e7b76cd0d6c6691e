"""Files that grow while a server sends them, and that only their owner may read."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.files.atomic import make_private
from core.files.regular_file import open_to_append_bytes
from core.text.errors import HubError
from core.text.language import _

OnBytes = Callable[[int], None]
"""Called with the bytes that are there; what it raises stops the transfer."""


class ArrivingFile(io.BufferedWriter):
    """A file that a server sends; it continues one that is there in part."""

    def __init__(self, path: Path, most: int, where: str, on_bytes: OnBytes) -> None:
        """Open the file, or make a private one; raises `OSError` for what is no regular one.

        Args:
            path: the file.
            most: more bytes than this are refused. A file that has more is begun again.
            where: what the error for it names.
            on_bytes: called after each piece.
        """
        make_private(path, through_links=False)
        super().__init__(open_to_append_bytes(path))
        self._most = most
        self._where = where
        self._on_bytes = on_bytes
        if self.tell() > most:
            self.seek(0)
            self.truncate()

    def write(self, data: Any) -> int:
        """Write; raises `HubError` for more than the file should have."""
        written = super().write(data)
        if self.tell() > self._most:
            raise HubError(_("The server sends more than it announced."), where=self._where)
        self._on_bytes(self.tell())
        return written
