"""The interface of a knowledge base."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Protocol

from core.benchmarks.accord.trees.skills import End


class KnowledgeBase(Protocol):
    """Assertions of one language: a source and a target for each relation.

    Relations have ConceptNet's names ("AtLocation"), and terms are normalised (`terms.normalise`).
    A term without a sense includes all of its senses. All sequences are sorted by `terms.order`.
    All methods raise `NotFoundError` for an unknown relation; an unknown term has no facts.
    """

    @property
    def relations(self) -> Sequence[str]:
        """Names of the relations, sorted."""
        ...

    def facts(self, relation: str, end: End, partner: str) -> Sequence[str]:
        """The terms at `end` of the assertions whose other end is `partner`; sorted."""
        ...

    def holds(self, relation: str, source: str, target: str) -> bool:
        """Whether the assertion is in the knowledge base."""
        ...

    def stands(self, relation: str, end: End, term: str) -> bool:
        """Whether any assertion of the relation has `term` at `end`."""
        ...

    def column_size(self, relation: str, end: End) -> int:
        """Number of distinct terms at an end of a relation."""
        ...

    def draw(self, relation: str, end: End, rng: random.Random) -> Iterator[str]:
        """The terms of a column in random order, in constant time per term."""
        ...
