"""Takes values out of a JSON file that is read in blocks, so that one value at a time is held.

Only strings and signs are looked at; a value that is taken out is decoded by whoever takes it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import BinaryIO

from core.text.errors import RunError

_BLOCK = 2**20
_TOKEN = re.compile(
    rb'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|(?P<open>"(?:[^"\\]++|\\.)*+\\?\Z)', re.DOTALL
)
"""A string, a sign, or a string whose end is not read yet."""
_Token = tuple[bytes, int, int]
"""What it is, and where it begins and ends in the file."""


class JsonStream:
    """A JSON file whose values are found where they stand."""

    def __init__(self, handle: BinaryIO, where: str, most: int) -> None:
        """`most` is the most bytes that are held: of one value, or of a string beside it."""
        self._handle = handle
        self._where = where
        self._most = most
        self._text = b""
        self._start = 0
        """Where the text that is held begins in the file."""
        self._keep = 0
        """What begins there or later is still needed."""

    def members(self, names: Collection[str], leave: str) -> tuple[dict[str, bytes], int | None]:
        """Values of the object in the file, undecoded, and where that of a key to leave begins.

        A key that is there twice has its last value; the place is None where its key is missing.
        Raises `RunError` for a file that is no object.
        """
        values: dict[str, bytes] = {}
        place: int | None = None
        key, value = "", None
        depth = 0
        for sign, start, stop in self._tokens(0):
            if depth == 0 and (sign != b"{" or self._between(0, start).strip()):
                raise self._damaged("it is no object")
            if depth == 1 and value is None and sign[:1] == b'"':
                key = sign[1:-1].decode("utf-8", "replace")
            elif depth == 1 and value is None and sign == b":":
                value = stop
            elif depth == 1 and sign in (b",", b"}"):
                if value is not None and key in names:
                    values[key] = self._between(value, start)
                elif value is not None and key == leave:
                    place = value
                key, value = "", None
            depth += _step(sign)
            if depth == 0:
                self._check_end(sign, stop)
                return values, place
            self._keep = value if value is not None and key in names else stop
        raise self._damaged("it ends too early")

    def rows(self, place: int = 0) -> Iterator[bytes]:
        """The elements of the array at a place, undecoded; none where null stands there.

        Raises `RunError` where something else does.
        """
        depth, begin = 0, place
        for sign, start, stop in self._tokens(place):
            if depth == 0:
                before = self._between(place, start).strip()
                if before == b"null" and sign in (b",", b"}"):
                    return
                if before or sign != b"[":
                    break
            depth += _step(sign)
            if (sign == b"," and depth == 1) or depth == 0:
                row = self._between(begin, start)
                if sign == b"," or row.strip():
                    yield row
            elif not (depth == 1 and begin == place):
                continue
            if depth == 0:
                return
            begin = self._keep = stop
        raise RunError("This log is damaged: its samples cannot be read.", where=self._where)

    def _tokens(self, place: int) -> Iterator[_Token]:
        """The strings and signs from a place on; what is before `_keep` is let go of."""
        self._handle.seek(place)
        self._text, self._start, self._keep = b"", place, place
        at = 0
        while block := self._handle.read(max(_BLOCK, len(self._text))):
            self._text += block
            end = len(self._text)
            for token in _TOKEN.finditer(self._text, at):
                if token["open"] is not None:
                    end = token.start()
                    break
                yield token.group(), self._start + token.start(), self._start + token.end()
            keep = min(self._keep - self._start, end)
            self._text = self._text[keep:]
            self._start += keep
            at = end - keep
            if len(self._text) > self._most:
                raise RunError(
                    f"A part of this log has more than {self._most // 2**20} MB.",
                    where=self._where,
                    hint="Import a log that was written without its events.",
                )

    def _between(self, start: int, stop: int) -> bytes:
        return self._text[start - self._start : stop - self._start]

    def _check_end(self, sign: bytes, stop: int) -> None:
        """Raise `RunError` unless the file ends here with its object."""
        rest = self._text[stop - self._start :]
        while sign == b"}" and not rest.strip():
            rest = self._handle.read(_BLOCK)
            if not rest:
                return
        raise self._damaged("something stands behind its end")

    def _damaged(self, why: str) -> RunError:
        return RunError(f"This is not JSON as Inspect writes it: {why}.", where=self._where)


def _step(sign: bytes) -> int:
    """How much deeper one is behind a sign."""
    return (sign in (b"{", b"[")) - (sign in (b"}", b"]"))
