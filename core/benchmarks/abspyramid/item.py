"""Items of AbsPyramid: an instance in a head event with its pyramid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.benchmarks.abspyramid.pyramids import Pyramid
from core.benchmarks.abspyramid.tuples import AbstractTuple, rewritten


@dataclass(frozen=True, slots=True)
class CoveredTuples:
    """Other tuples that a concept covers."""

    first: tuple[AbstractTuple, ...] = ()
    count: int = 0
    """Total number, including those not in `first`."""


def _no_contexts(pyramid: Pyramid) -> Sequence[Pyramid]:
    return ()


def _nothing_covered(concept: str, pyramid: Pyramid, most: int) -> CoveredTuples:
    return CoveredTuples()


@dataclass(frozen=True, slots=True)
class CollectionLookup:
    """Queries to the rest of the collection; empty results for a single item."""

    contexts: Callable[[Pyramid], Sequence[Pyramid]] = _no_contexts
    """The pyramids of the same instance in other head events."""
    covered: Callable[[str, Pyramid, int], CoveredTuples] = _nothing_covered
    """Other tuples that a concept covers, given concept, pyramid and their largest number."""


@dataclass(frozen=True, slots=True)
class ConceptCounts:
    """Upper bounds for the concepts of an item, known without reading it."""

    held: int
    false: int
    references: int


@dataclass(frozen=True, slots=True)
class HeadEventInstances:
    """All instances of a head event."""

    components: tuple[Pyramid, ...]
    names: tuple[str, ...]
    """The part of the item id for each of `components`."""
    references: tuple[tuple[str, ...], ...]
    """Reference concepts for generation, for each of `components`."""


class AbsItem:
    """An instance in a head event, read on first access. Compares by identity."""

    def __init__(
        self,
        item_id: str,
        index: int,
        counts: ConceptCounts,
        lookup: CollectionLookup,
        family: Callable[[], HeadEventInstances],
    ) -> None:
        """`family` reads the head event; `index` is the position of the instance in it."""
        self.id = item_id
        self.index = index
        self.counts = counts
        self.lookup = lookup
        self._read = family

    @cached_property
    def family(self) -> HeadEventInstances:
        """All instances of the head event; raises `DataError` if the files changed."""
        return self._read()

    @property
    def pyramid(self) -> Pyramid:
        """The pyramid of the instance."""
        return self.family.components[self.index]

    @property
    def references(self) -> tuple[str, ...]:
        """Reference concepts for a generated concept."""
        return self.family.references[self.index]


def tail(pyramid: Pyramid, concept: str) -> str:
    """The tail event: the head event with the instance abstracted to a concept."""
    return rewritten(pyramid.head, pyramid.start, pyramid.end, pyramid.relation, concept)
