"""Scores of predictions, over all relations and for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from typing import TypeVar

from core.benchmarks.abspyramid.tuples import ALL, Relation
from core.contract.summary import Figure

_Predictions = TypeVar("_Predictions", bound=Sized)


@dataclass(frozen=True, slots=True)
class Scores:
    """The figures of one relation, or of all."""

    figures: tuple[Figure, ...]
    counts: Mapping[str, int]
    """Numbers of labels, unreadable or empty answers, head events and so on."""

    @property
    def n(self) -> int:
        """Number of predictions, in detection of those with a label."""
        return self.figures[0].n


def score_by_relation(
    predictions: _Predictions,
    of_relation: Callable[[Relation], _Predictions],
    score: Callable[[_Predictions], Scores],
) -> dict[str, Scores]:
    """The scores of all predictions under `ALL`, then those of each relation that occurs."""
    scores = {ALL: score(predictions)}
    for relation in Relation:
        own = of_relation(relation)
        if len(own):
            whole = len(own) == len(predictions)
            scores[relation.value] = scores[ALL] if whole else score(own)
    return scores
