"""How far several answerers, people or models, agree on the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.contract.question import Verdict
from core.statistics.kappa import Ratings, ratings


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two or more answerers on the questions that all of them answered."""

    ratings: Ratings
    """A rating is what one answerer picked for one question."""
    majority_right: int
    """Questions of which the most frequent answer is right; ties count as wrong."""
    with_gold: int
    """Questions whose right answer is known."""


def agreement(runs: Sequence[Sequence[Verdict]]) -> Agreement | None:
    """Compare runs question by question; None where no two share one.

    Questions are the same when their text is. Unreadable answers count as an answer of their own.
    """
    known = [{(v.layer, v.item, v.digest): v for v in run} for run in runs]
    shared = sorted(set(known[0]).intersection(*known[1:])) if len(known) > 1 else []
    if not shared:
        return None
    counts = []
    right = with_gold = 0
    for key in shared:
        verdicts = [run[key] for run in known]
        counts.append(Counter(verdict.picked_options for verdict in verdicts))
        if verdicts[0].right is not None:
            with_gold += 1
            (best, most), *others = counts[-1].most_common(2)
            tied = bool(others) and others[0][1] == most
            right += (
                not tied and next(v.right for v in verdicts if v.picked_options == best) is True
            )
    rated = ratings(counts)
    return Agreement(rated, right, with_gold) if rated is not None else None
