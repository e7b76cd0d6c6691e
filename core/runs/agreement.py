"""How far several answerers, people or models, agree on the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.question import Verdict

Pick = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two or more answerers on the questions that all of them answered."""

    answerers: int
    n: int
    """Questions that all were asked."""
    observed: float
    """Share of pairs of answerers, over all questions, that picked the same."""
    expected: float
    """The share that chance would give, from how often each answer was picked at all."""
    majority_right: int
    """Questions of which the most frequent answer is right; ties count as wrong."""
    with_gold: int
    """Questions whose right answer is known."""

    @property
    def kappa(self) -> float | None:
        """Fleiss' kappa (Fleiss 1971); None where all answers are the same one."""
        if self.expected >= 1:
            return None
        return (self.observed - self.expected) / (1 - self.expected)


def picked(verdict: Verdict) -> Pick:
    """The options of a verdict; empty where the answer could not be read."""
    if verdict.multiple:
        return verdict.answers
    return () if verdict.answer is None else (verdict.answer,)


def agreement(runs: Sequence[Sequence[Verdict]]) -> Agreement | None:
    """Compare runs question by question; None where fewer than two share any.

    Questions are the same when their text is; an answer that could not be read is an answer of
    its own.
    """
    known = [{(v.layer, v.item, v.digest): v for v in run} for run in runs]
    shared = sorted(set(known[0]).intersection(*known[1:])) if len(known) > 1 else []
    if not shared:
        return None
    raters = len(known)
    everything: Counter[Pick] = Counter()
    same = 0.0
    right = with_gold = 0
    for key in shared:
        verdicts = [run[key] for run in known]
        counts = Counter(picked(verdict) for verdict in verdicts)
        everything.update(counts)
        same += sum(n * (n - 1) for n in counts.values()) / (raters * (raters - 1))
        if verdicts[0].right is not None:
            with_gold += 1
            (best, most), *others = counts.most_common(2)
            tied = bool(others) and others[0][1] == most
            right += not tied and next(v.right for v in verdicts if picked(v) == best) is True
    total = raters * len(shared)
    expected = sum((n / total) ** 2 for n in everything.values())
    return Agreement(raters, len(shared), same / len(shared), expected, right, with_gold)
