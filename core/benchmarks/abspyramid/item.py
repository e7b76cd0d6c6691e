"""Items of AbsPyramid: an instance in a head event with its pyramid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from core.benchmarks.abspyramid.pyramids import Pyramid
from core.benchmarks.abspyramid.tuples import AbstractTuple


@dataclass(frozen=True, slots=True)
class CoveredTuples:
    """Other tuples that a concept covers."""

    first: tuple[AbstractTuple, ...]
    count: int
    """Total number, including those not in `first`."""


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


@dataclass(frozen=True, eq=False)
class AbsItem:
    """An instance in a head event, read on first access. Compares by identity."""

    id: str
    index: int
    """Position of the instance in the head event."""
    counts: ConceptCounts
    read_family: Callable[[], HeadEventInstances]
    find_contexts: Callable[[Pyramid], tuple[Pyramid, ...]]
    covered: Callable[[str, Pyramid, int], CoveredTuples]
    """Other tuples of the collection that a concept covers, given concept, pyramid and their
    largest number."""

    @cached_property
    def family(self) -> HeadEventInstances:
        """All instances of the head event; raises `DataError` if the files changed."""
        return self.read_family()

    @property
    def pyramid(self) -> Pyramid:
        """The pyramid of the instance."""
        return self.family.components[self.index]

    @property
    def references(self) -> tuple[str, ...]:
        """Reference concepts for a generated concept."""
        return self.family.references[self.index]

    @cached_property
    def contexts(self) -> tuple[Pyramid, ...]:
        """The pyramids of the same instance in other head events; raises `DataError`."""
        return self.find_contexts(self.pyramid)
