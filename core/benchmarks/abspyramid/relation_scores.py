"""Scores of predictions, over all relations and for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.benchmarks.abspyramid.tuples import ALL, Relation
from core.contract.summary import Figure

_Prediction = TypeVar("_Prediction")


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
    predictions: Sequence[_Prediction],
    relation_of: Callable[[_Prediction], Relation | None],
    score: Callable[[Sequence[_Prediction]], Scores],
) -> dict[str, Scores]:
    """The scores of all predictions under `ALL`, then those of each relation that occurs."""
    scores = {ALL: score(predictions)}
    for relation in Relation:
        own = [each for each in predictions if relation_of(each) is relation]
        if own:
            whole = len(own) == len(predictions)
            scores[relation.value] = scores[ALL] if whole else score(own)
    return scores
