"""A knowledge base on sorted arrays, in memory or mapped from a compiled file."""

from __future__ import annotations

import mmap
import random
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.benchmarks.accord.knowledge import terms
from core.benchmarks.accord.knowledge.header import WORD, Header
from core.benchmarks.accord.trees.skills import End
from core.text.errors import DataError, NotFoundError
from core.text.escaping import escape_control_characters
from core.text.suggestions import suggestion

Body = bytes | mmap.mmap
Ids = npt.NDArray[np.uint32]
STORED = np.dtype(f"<u{WORD}")
_REMEMBERED = 2**16
_DAMAGED = "The knowledge base is damaged."
_BUILD = "Build it again: accord kb build."


class _Column:
    """The rows of a relation, grouped by the term at one end."""

    def __init__(self, keys: Ids, starts: Ids, partners: Ids) -> None:
        self.keys = keys
        self._starts = starts
        self._partners = partners

    def partners(self, span: Ids) -> Ids:
        """Ids of the partners of the terms in a span, sorted and distinct."""
        first, last = self.keys.searchsorted(span)
        partners = self._partners[self._starts.item(first) : self._starts.item(last)]
        return partners if last - first < 2 else np.unique(partners)

    def any_in(self, span: Ids) -> bool:
        """Whether a term of a span occurs at this end."""
        first, last = self.keys.searchsorted(span)
        return bool(first < last)


class Index:
    """The assertions of one language: a `KnowledgeBase` with lookup by binary search."""

    def __init__(self, header: Header, body: Body, begin: int, language: str, where: Path) -> None:
        """Use a body that begins at byte `begin`.

        `where` names it in messages. Raises `NotFoundError` for a language that it does not have.
        """
        codes = [each.code for each in header.languages]
        if language not in codes:
            raise NotFoundError(
                "The knowledge base holds nothing of the language "
                f"“{escape_control_characters(language)}”.",
                where=where,
                hint=suggestion("Languages", codes, language),
            )
        self.header = header
        self.language = language
        self._where = where
        self._body = body
        self._begin = begin
        earlier, own = codes.index(language), header.languages[codes.index(language)]
        position = begin + sum(each.length for each in header.languages[:earlier])

        def array(length: int) -> Ids:
            nonlocal position
            position += length * WORD
            return np.frombuffer(body, STORED, length, position - length * WORD)

        self._starts = array(own.terms + 1)
        self._columns = {
            (columns.name, end): _Column(
                array(columns.size(end)), array(columns.size(end) + 1), array(columns.assertions)
            )
            for columns in own.relations
            for end in End
        }
        self._text_begin = position
        self._relations = tuple(sorted({columns.name for columns in own.relations}))
        self._span = lru_cache(_REMEMBERED)(self._find)

    @property
    def relations(self) -> Sequence[str]:
        """Names of the relations, sorted."""
        return self._relations

    def facts(self, relation: str, end: End, partner: str) -> tuple[str, ...]:
        """The terms at `end` of the assertions whose other end is `partner`; sorted."""
        partners = self._column(relation, end.other).partners(self._span(partner))
        return tuple(map(self._term, partners.tolist()))

    def holds(self, relation: str, source: str, target: str) -> bool:
        """Whether the assertion is in the knowledge base."""
        targets = self._column(relation, End.SOURCE).partners(self._span(source))
        first, last = targets.searchsorted(self._span(target))
        return bool(first < last)

    def stands(self, relation: str, end: End, term: str) -> bool:
        """Whether any assertion of the relation has `term` at `end`."""
        return self._column(relation, end).any_in(self._span(term))

    def column_size(self, relation: str, end: End) -> int:
        """Number of distinct terms at an end of a relation."""
        return len(self._column(relation, end).keys)

    def draw(self, relation: str, end: End, rng: random.Random) -> Iterator[str]:
        """The terms of a column in random order, in constant time per term."""
        keys = self._column(relation, end).keys
        return (self._term(keys.item(index)) for index in shuffled(len(keys), rng))

    def verify(self) -> None:
        """Read all bytes and compare the checksum. Raises `DataError` if it differs."""
        with memoryview(self._body) as whole, whole[self._begin :] as body:
            if zlib.crc32(body) != self.header.checksum:
                raise DataError(_DAMAGED, where=self._where, hint=_BUILD)

    def _column(self, relation: str, end: End) -> _Column:
        try:
            return self._columns[relation, end]
        except KeyError:
            raise NotFoundError(
                f"The knowledge base has no relation “{escape_control_characters(relation)}”.",
                where=self._where,
                hint=suggestion("Relations", self._relations, relation),
            ) from None

    def _find(self, term: str) -> Ids:
        """Ids of a term and all terms that it includes, as a half-open range of two numbers."""
        try:
            key = terms.key(terms.normalise(term))
        except ValueError:
            return np.zeros(2, STORED)
        count = len(self._starts) - 1
        last = first = bisect_left(range(count), key, key=self._key)
        while last < count and _includes(key, self._key(last)):
            last += 1
        return np.array([first, last], STORED)

    def _term(self, index: int) -> str:
        try:
            return terms.text_of(self._key(index))
        except (IndexError, UnicodeDecodeError) as error:
            raise DataError(_DAMAGED, where=self._where, hint=_BUILD) from error

    def _key(self, index: int) -> bytes:
        first, last = self._starts.item(index), self._starts.item(index + 1)
        return self._body[self._text_begin + first : self._text_begin + last]


def _includes(key: bytes, other: bytes) -> bool:
    return other == key or other.startswith(key + b"\0")


def shuffled(size: int, rng: random.Random) -> Iterator[int]:
    """The numbers below `size` in random order, in constant time and memory per number.

    A Fisher-Yates shuffle that stores the swapped positions only.
    """
    moved: dict[int, int] = {}
    for position in range(size):
        other = rng.randrange(position, size)
        number = moved.get(other, other)
        moved[other] = moved.pop(position, position)
        yield number
