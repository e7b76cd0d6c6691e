"""The ladder: an item's verdicts from first layer to last, and where the model first fails."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.contract.question import Verdict, shares


@dataclass(frozen=True, slots=True)
class Rung:
    """A verdict and whether it counts: a rung after the first failure does not."""

    verdict: Verdict
    counted: bool


@dataclass(frozen=True, slots=True)
class Ladder:
    """An item's rungs in layer order."""

    rungs: tuple[Rung, ...]
    first_failure: str | None
    """The first layer with a wrong answer; None while every known answer is right."""


def climb(verdicts: Sequence[Verdict], aside: Collection[str] = ()) -> Ladder:
    """Put verdicts, given in layer order, on a ladder.

    Rungs above the first failure are kept, because a right answer there is right for the wrong
    reason, which is what one wants to see; they are not counted. A rung without gold neither
    fails nor counts, and neither does one of a layer that is asked `aside`.
    """
    rungs = []
    failure: str | None = None
    for verdict in verdicts:
        if verdict.layer in aside:
            rungs.append(Rung(verdict, counted=False))
            continue
        rungs.append(Rung(verdict, counted=failure is None and verdict.right is not None))
        if verdict.right is False and failure is None:
            failure = verdict.layer
    return Ladder(tuple(rungs), failure)


def probabilities(verdict: Verdict) -> tuple[float, ...]:
    """The options' probabilities against each other; empty when there are no scores."""
    return shares(verdict.scores)
