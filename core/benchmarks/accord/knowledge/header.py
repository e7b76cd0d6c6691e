"""The file of a compiled knowledge base: what stands in it, and where.

    8 bytes   b"ACCORDKB"
    3 × u32   format version, length of the header, its CRC-32
    header    JSON, padded with spaces to a multiple of four bytes
    body      for each language, in the header's order, arrays of little-endian u32:
                starts of the keys in the text (terms + 1)
                for each relation by source: keys' ids, starts of their rows (+ 1), targets
                             and by target: keys' ids, starts of their rows (+ 1), sources
              then the text: all keys, sorted, without anything between them, padded with nulls

An id is the place of a key in the sorted text. All sizes follow from the counts in the header.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Annotated, BinaryIO

import msgspec

from core.benchmarks.accord.knowledge.readers import Tally
from core.benchmarks.accord.trees.skills import End

MAGIC = b"ACCORDKB"
VERSION = 1
WORD = 4
"""Bytes of an entry of an array."""
_FIXED = struct.Struct("<8s3I")
_MOST_HEADER = 16 * 2**20


Count = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]


class HeaderError(ValueError):
    """The beginning of a file is not that of a knowledge base that can be read here."""


class Columns(msgspec.Struct, frozen=True):
    """A relation: how many assertions, and distinct terms at each end."""

    name: str
    assertions: Count
    sources: Count
    targets: Count

    def size(self, end: End) -> int:
        """Distinct terms at an end."""
        return self.sources if end is End.SOURCE else self.targets


class Language(msgspec.Struct, frozen=True):
    """The assertions of a language."""

    code: str
    terms: Count
    text: Count
    """Bytes of all keys."""
    relations: tuple[Columns, ...]

    @property
    def assertions(self) -> int:
        """Of all relations."""
        return sum(columns.assertions for columns in self.relations)


class Header(msgspec.Struct, frozen=True):
    """What is known of a knowledge base without looking anything up."""

    source: str
    """Name of the file or folder that it was made of."""
    layout: str
    sha256: str
    """Of the source: `sources.LineReader.sha256`."""
    languages: Annotated[tuple[Language, ...], msgspec.Meta(min_length=1)]
    tally: Tally
    checksum: Count
    """CRC-32 of the body."""


@dataclass(frozen=True, slots=True)
class Section:
    """Where an array or the text is in the body, in bytes."""

    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Grouped:
    """The rows of a relation, grouped by the term at one end."""

    keys: Section
    starts: Section
    partners: Section


@dataclass(frozen=True, slots=True)
class Places:
    """Where a language is in the body."""

    starts: Section
    by: dict[tuple[str, End], Grouped]
    text: Section


def places(languages: tuple[Language, ...]) -> tuple[tuple[Places, ...], int]:
    """Where each language is, and the length of the body."""
    found, at = [], 0

    def take(length: int) -> Section:
        nonlocal at
        section = Section(at, length)
        at += length + -length % WORD
        return section

    for language in languages:
        starts = take((language.terms + 1) * WORD)
        by = {
            (columns.name, end): Grouped(
                take(columns.size(end) * WORD),
                take((columns.size(end) + 1) * WORD),
                take(columns.assertions * WORD),
            )
            for columns in language.relations
            for end in End
        }
        found.append(Places(starts, by, take(language.text)))
    return tuple(found), at


def encode(header: Header) -> bytes:
    """The bytes in front of the body."""
    text = msgspec.json.encode(header)
    text += b" " * (-len(text) % WORD)
    return _FIXED.pack(MAGIC, VERSION, len(text), zlib.crc32(text)) + text


def is_ours(beginning: bytes) -> bool:
    """Whether a file that begins like this is a knowledge base, of whatever version."""
    return beginning.startswith(MAGIC)


def decode(handle: BinaryIO, size: int) -> tuple[Header, int]:
    """The header of a file of `size` bytes, and where its body begins.

    Raises `HeaderError` if it is no knowledge base, or one of another version or length.
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
        header = msgspec.json.decode(text, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HeaderError("The header of the knowledge base is damaged.") from error
    begin = _FIXED.size + length
    if begin + places(header.languages)[1] != size:
        raise HeaderError("The knowledge base is cut off, or something was added to it.")
    return header, begin
