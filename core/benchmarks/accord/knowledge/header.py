"""The file format of a compiled knowledge base.

    8 bytes   b"ACCORDKB"
    3 × u32   format version, length of the header, its CRC-32
    header    JSON, padded with spaces to a multiple of four bytes
    body      for each language, in the header's order, arrays of little-endian u32:
                starts of the keys in the text (terms + 1)
                for each relation by source: keys' ids, starts of their rows (+ 1), targets
                             and by target: keys' ids, starts of their rows (+ 1), sources
              then the text: all keys, sorted, without anything between them, padded with nulls

An id is the index of a key in the sorted text. All sizes follow from the counts in the header.
"""

from __future__ import annotations

import struct
import zlib
from typing import Annotated, BinaryIO

import msgspec

from core.benchmarks.accord.knowledge.readers import Tally
from core.benchmarks.accord.trees.skills import End
from core.system.typed_values import ready

MAGIC = b"ACCORDKB"
VERSION = 1
WORD = 4
"""Bytes of an entry of an array."""
_FIXED = struct.Struct("<8s3I")
_MOST_HEADER = 16 * 2**20


Count = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]


class HeaderError(ValueError):
    """The file is not a compiled knowledge base that this program can read."""


class Columns(msgspec.Struct, frozen=True):
    """Number of assertions of a relation, and of distinct terms at each end."""

    name: str
    assertions: Count
    sources: Count
    targets: Count

    def size(self, end: End) -> int:
        """Number of distinct terms at an end."""
        return self.sources if end is End.SOURCE else self.targets


class Language(msgspec.Struct, frozen=True):
    """Sizes of the assertions of one language."""

    code: str
    terms: Count
    text: Count
    """Bytes of all keys together."""
    relations: tuple[Columns, ...]

    @property
    def assertions(self) -> int:
        """Number of assertions of all relations."""
        return sum(columns.assertions for columns in self.relations)

    @property
    def length(self) -> int:
        """Bytes of its arrays and text in the body."""
        entries = self.terms + 1
        for columns in self.relations:
            entries += 2 * (columns.assertions + 1) + 2 * (columns.sources + columns.targets)
        return entries * WORD + self.text + -self.text % WORD


class Header(msgspec.Struct, frozen=True):
    """The metadata of a knowledge base."""

    source: str
    """Name of the file or folder from which it was compiled."""
    layout: str
    sha256: str
    """Of the source: `source_files.LineReader.sha256`."""
    languages: Annotated[tuple[Language, ...], msgspec.Meta(min_length=1)]
    tally: Tally
    checksum: Count
    """CRC-32 of the body."""


def encode(header: Header) -> bytes:
    """The bytes before the body."""
    text = msgspec.json.encode(header)
    text += b" " * (-len(text) % WORD)
    return _FIXED.pack(MAGIC, VERSION, len(text), zlib.crc32(text)) + text


def is_ours(beginning: bytes) -> bool:
    """Whether a file that begins like this is a knowledge base of any version."""
    return beginning.startswith(MAGIC)


def decode(handle: BinaryIO, size: int) -> tuple[Header, int]:
    """The header of a file of `size` bytes, and the position of its body.

    Raises `HeaderError` if it is not a knowledge base, or has another version or length.
    """
    fixed = handle.read(_FIXED.size)
    if not is_ours(fixed):
        raise HeaderError("This is no compiled knowledge base.")
    if len(fixed) < _FIXED.size:
        raise HeaderError("The knowledge base is cut off.")
    _, version, length, checksum = _FIXED.unpack(fixed)
    if version != VERSION:
        raise HeaderError(f"The knowledge base has format {version}; this program reads {VERSION}.")
    if length > min(size, _MOST_HEADER):
        raise HeaderError("The knowledge base is cut off.")
    text = handle.read(length)
    if len(text) < length or zlib.crc32(text) != checksum:
        raise HeaderError("The header of the knowledge base is damaged.")
    try:
        header = msgspec.json.decode(text, type=ready(Header))
    except (ValueError, RecursionError) as error:
        raise HeaderError("The header of the knowledge base is damaged.") from error
    begin = _FIXED.size + length
    if begin + sum(language.length for language in header.languages) != size:
        raise HeaderError("The knowledge base is cut off, or something was added to it.")
    return header, begin
