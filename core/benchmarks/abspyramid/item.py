"""AbsPyramid's items as they are browsed: an instance in a head event, with all that covers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.benchmarks.abspyramid.pyramids import Pyramid
from core.benchmarks.abspyramid.tuples import AbstractTuple, rewritten


@dataclass(frozen=True, slots=True)
class Covered:
    """What a concept covers beside the instance that it was asked for."""

    first: tuple[AbstractTuple, ...] = ()
    count: int = 0
    """How many there are, those that are not in `first` among them."""


def _no_contexts(pyramid: Pyramid) -> Sequence[Pyramid]:
    return ()


def _nothing_covered(concept: str, pyramid: Pyramid, most: int) -> Covered:
    return Covered()


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the rest of the collection knows; nothing where an item stands alone."""

    contexts: Callable[[Pyramid], Sequence[Pyramid]] = _no_contexts
    """The pyramids of the same instance in other head events."""
    covered: Callable[[str, Pyramid, int], Covered] = _nothing_covered
    """What a concept covers beside a pyramid's instance, so many of it."""


@dataclass(frozen=True, slots=True)
class Most:
    """How many concepts an item has at most, known without reading it."""

    held: int
    false: int
    references: int


@dataclass(frozen=True, slots=True)
class Family:
    """All instances of a head event."""

    components: tuple[Pyramid, ...]
    names: tuple[str, ...]
    """What tells each of `components` from the others in an item's id."""
    references: tuple[tuple[str, ...], ...]
    """Concepts that a generated one is compared with, of each; empty where none is generated."""


class AbsItem:
    """An instance in a head event, read when it is looked at. Equal only to itself."""

    def __init__(
        self,
        item_id: str,
        place: int,
        most: Most,
        elsewhere: Elsewhere,
        family: Callable[[], Family],
    ) -> None:
        """`family` reads the head event, of which the instance stands at `place`."""
        self.id = item_id
        self.place = place
        self.most = most
        self.elsewhere = elsewhere
        self._read = family

    @cached_property
    def family(self) -> Family:
        """All instances of the head event; raises `DataError` where the files were changed."""
        return self._read()

    @property
    def pyramid(self) -> Pyramid:
        """The instance with what covers it."""
        return self.family.components[self.place]

    @property
    def references(self) -> tuple[str, ...]:
        """What a generated concept is compared with."""
        return self.family.references[self.place]


def tail(pyramid: Pyramid, concept: str) -> str:
    """The tail event: the head event with the instance abstracted to a concept."""
    return rewritten(pyramid.head, pyramid.start, pyramid.end, pyramid.relation, concept)
