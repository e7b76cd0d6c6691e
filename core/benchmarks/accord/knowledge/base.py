"""What the rest of the package asks of a knowledge base."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from core.benchmarks.accord.trees.skills import End


class KnowledgeBase(Protocol):
    """Assertions of one language: a source and a target for each relation.

    Relations have ConceptNet's names ("AtLocation"), terms are normalised (`terms.normalise`).
    A term given without a sense takes in all of its senses. Every order is that of `terms.order`,
    whatever order the assertions were read in. All but `relations` raise `NotFoundError` for a
    relation that the knowledge base does not have; a term it does not have has no facts.
    """

    @property
    def relations(self) -> Sequence[str]:
        """Names of the relations, sorted."""
        ...

    def facts(self, relation: str, end: End, partner: str) -> Sequence[str]:
        """The terms that stand at `end` where the other end is `partner`; sorted."""
        ...

    def holds(self, relation: str, source: str, target: str) -> bool:
        """Whether the assertion is in the knowledge base."""
        ...

    def stands(self, relation: str, end: End, term: str) -> bool:
        """Whether any assertion of the relation has `term` at `end`."""
        ...

    def column_size(self, relation: str, end: End) -> int:
        """How many distinct terms stand at that end."""
        ...

    def column_term(self, relation: str, end: End, index: int) -> str:
        """The term of a column at a place from 0, in constant time. Raises `IndexError`."""
        ...

    def draw(
        self,
        relation: str,
        end: End,
        count: int,
        rng: random.Random,
        *,
        avoid: Callable[[str], bool],
    ) -> Iterator[str]:
        """Draw distinct terms of a column, each equally likely, that are not to be avoided.

        Yields `count` of them, or as many as there are. Constant time for a draw.
        """
        ...
