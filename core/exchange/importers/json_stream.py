"""Takes values out of a JSON file that is read in blocks, so that one value at a time is held.

Only strings and signs are looked at; a value that is taken out is decoded by whoever takes it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import BinaryIO

from core.text.errors import RunError

_BLOCK = 2**20
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_SIGN = re.compile(rb'[^"{}\[\],:]*+(' + _STRING + rb"|[{}\[\],:])", re.DOTALL)
"""A string or a sign, with what is before it."""
_BRACKET = re.compile(rb'(?:[^"{}\[\]]++|' + _STRING + rb")*+([{}\[\]])", re.DOTALL)
"""The next bracket, whatever is before it: all that counts inside of a value."""
MOST_PART = 64 * 2**20
"""Most bytes of one value, such as a sample, or of a string beside it, which are held at once."""
MOST_FIELD = 2 * 2**20
"""Most bytes of a field that is decoded."""
MOST_KEYS = 10_000
"""Most keys of the object in a file."""
_MANY = 1_000_000
_LEAST_APART = 5
"""Least bytes, on average, from one sign to the next of a file with many signs."""
_ENDS = (b",", b"}", b"]")
_Token = tuple[bytes, int, int]
"""What it is, and where it begins and ends in the file."""


class JsonStream:
    """A JSON file whose values are found where they stand."""

    def __init__(self, handle: BinaryIO, where: str) -> None:
        self._handle = handle
        self._where = where
        self._text = b""
        self._start = 0
        """Where the text that is held begins in the file."""
        self._keep: int | None = None
        """Where the text begins that is still needed; None where what was looked at is not."""

    def members(self, names: Collection[str], leave: str) -> tuple[dict[str, bytes], int | None]:
        """Values of the object in the file, undecoded, and where that of a key to leave begins.

        A key that is there twice has its last value; the place is None where its key is missing.
        Raises `RunError` for a file that is no object, for one with more than `MOST_KEYS` keys, and
        where a value of these names has more than `MOST_FIELD` bytes.
        """
        values: dict[str, bytes] = {}
        place: int | None = None
        key, value = "", None
        inside = False
        keys = 0
        for sign, start, stop in self._tokens(0, MOST_FIELD):
            if not inside:
                if sign != b"{" or self._between(0, start).strip():
                    raise self._damaged("it is no object")
                inside = True
            elif value is None and sign[:1] == b'"':
                key = sign[1:-1].decode("utf-8", "replace")
                keys += 1
                if keys > MOST_KEYS:
                    raise self._damaged(f"it has more than {MOST_KEYS:,} keys")
            elif value is None and sign == b":":
                value = stop
            elif sign in _ENDS:
                if value is not None and key in names:
                    values[key] = self._between(value, start)
                elif value is not None and key == leave:
                    place = value
                if sign != b",":
                    self._check_end(sign, stop)
                    return values, place
                key, value = "", None
            self._keep = value if key in names else None
        raise self._damaged("it ends too early")

    def rows(self, place: int = 0) -> Iterator[bytes]:
        """The elements of the array at a place, undecoded; none where null stands there.

        Raises `RunError` where something else does.
        """
        begin = None
        for sign, start, stop in self._tokens(place, MOST_PART):
            if begin is None:
                before = self._between(place, start).strip()
                if before == b"null" and sign in _ENDS:
                    return
                if before or sign != b"[":
                    break
            elif sign == b"}":
                break
            elif sign in _ENDS:
                row = self._between(begin, start)
                if sign == b"," or row.strip():
                    yield row
                if sign == b"]":
                    return
            else:
                continue
            begin = self._keep = stop
        raise RunError("This log is damaged: its samples cannot be read.", where=self._where)

    def _tokens(self, place: int, most: int) -> Iterator[_Token]:
        """The strings and signs of the object or array at a place, without those inside its values.

        Of a value that is an object or array only the beginning is given. Raises `RunError` where
        more than `most` bytes would have to be held.
        """
        self._handle.seek(place)
        self._text, self._start, self._keep = b"", place, place
        at = depth = seen = 0
        while block := self._handle.read(self._next_size(most)):
            self._text += block
            while token := (_SIGN if depth < 2 else _BRACKET).match(self._text, at):
                sign, at = token[1], token.end()
                if depth < 2:
                    yield sign, self._start + token.start(1), self._start + at
                depth += _step(sign)
                seen += 1
            if seen > _MANY and self._start + at - place < _LEAST_APART * seen:
                raise self._damaged("it has little else than brackets")
            keep = at if self._keep is None else self._keep - self._start
            self._text = self._text[keep:]
            self._start += keep
            at -= keep
            if len(self._text) > most:
                raise RunError(
                    f"A part of this log has more than {most // 2**20} MB.",
                    where=self._where,
                    hint="Import a log that was written without its events.",
                )

    def _next_size(self, most: int) -> int:
        """As much as is held, so that a long value is not copied too often, up to the most."""
        held = len(self._text)
        return min(max(_BLOCK, held), most + 1 - held)

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
