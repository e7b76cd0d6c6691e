"""The ladder: an item's verdicts from the first layer to the last, and the first failure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.contract.question import Verdict


@dataclass(frozen=True, slots=True)
class CountedVerdict:
    """A verdict and whether it counts: a rung after the first failure does not."""

    verdict: Verdict
    counted: bool


@dataclass(frozen=True, slots=True)
class Ladder:
    """An item's rungs in layer order."""

    rungs: tuple[CountedVerdict, ...]
    first_failure: str | None
    """The first layer with a wrong answer; None while every known answer is right."""


def climb(verdicts: Sequence[Verdict], aside: Collection[str] = ()) -> Ladder:
    """Put verdicts, given in layer order, on a ladder.

    Rungs after the first failure are kept, because they show answers that are right for the wrong
    reason, but they do not count. A rung without gold, or of a layer in `aside`, neither fails nor
    counts.
    """
    rungs = []
    failure: str | None = None
    for verdict in verdicts:
        if verdict.layer in aside:
            rungs.append(CountedVerdict(verdict, counted=False))
            continue
        rungs.append(CountedVerdict(verdict, counted=failure is None and verdict.right is not None))
        if verdict.right is False and failure is None:
            failure = verdict.layer
    return Ladder(tuple(rungs), failure)
