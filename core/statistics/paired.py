"""Differences between two answerers on the same questions.

The interval of a difference takes whole clusters as cases, because questions about one story,
pairing, graph or head event are not independent. McNemar's test and its power need scipy, which
the extra `stats` installs; the permutation test does not.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from core.statistics.bootstrap import SEED
from core.statistics.cluster_errors import unbounded_mean_interval

DRAWS = 10_000
"""Number of random permutations."""
_TAIL = 0.025
"""The probability of a tail of a two-sided test at a level of 5 %."""
_POWER = 0.8
_HALVINGS = 24
"""How often the range of a difference is halved: it is then found to seven digits."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean difference of two answerers' scores, the second's minus the first's."""

    n: int
    """Questions."""
    clusters: int
    first: float
    """Mean score of the first."""
    second: float
    """Mean score of the second."""
    interval: tuple[float, float] | None
    """The 95 % interval of the difference, `cluster_errors.unbounded_mean_interval` within -1 and
    1; None where that is None."""

    @property
    def difference(self) -> float:
        """The second mean minus the first, between -1 and 1 for scores from 0 to 1."""
        return self.second - self.first


def paired_difference(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable]
) -> PairedDifference:
    """Compare two scores of every question; at least one question.

    Args:
        first: the first answerer's score of each question, such as 1 for right and 0 for wrong.
        second: the second's, in the same order.
        clusters: the cluster of each question.
    """
    differences = [after - before for before, after in zip(first, second, strict=True)]
    interval = unbounded_mean_interval(zip(clusters, differences, strict=True))
    if interval is not None:
        interval = max(-1.0, interval[0]), min(1.0, interval[1])
    return PairedDifference(
        len(first), len(set(clusters)), float(np.mean(first)), float(np.mean(second)), interval
    )


def mcnemar(first_only: int, second_only: int) -> float | None:
    """Two-sided p-value of the exact McNemar test; None where scipy is not installed.

    The questions are taken to be independent. With no discordant pair it is 1.

    Args:
        first_only: the number of questions that only the first answered right.
        second_only: the number of questions that only the second answered right.
    """
    try:
        # Its import takes a third of that of `scipy.stats`, which has the test by name.
        from scipy.special import bdtr
    except ImportError:
        return None
    fewer, discordant = min(first_only, second_only), first_only + second_only
    return min(1.0, 2 * float(bdtr(fewer, discordant, 0.5)))


def permutation_p(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable]
) -> float:
    """Two-sided p-value of a paired permutation test that exchanges the answerers by cluster.

    Under the null hypothesis each cluster's difference is as likely with either sign. The signs
    are drawn `DRAWS` times (seed `SEED`); the observed ones count as one more draw, so that the
    test is valid (Phipson and Smyth, 2010).
    """
    totals_of: dict[Hashable, float] = {}
    for first_score, second_score, cluster in zip(first, second, clusters, strict=True):
        totals_of[cluster] = totals_of.get(cluster, 0.0) + second_score - first_score
    differences = np.array(list(totals_of.values()))
    observed = abs(differences.sum())
    generator = np.random.default_rng(SEED)
    as_extreme = 1
    # Equal sizes of difference form one kind; the sum over a kind's signs is binomial.
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    drawn = generator.binomial(counts, 0.5, size=(DRAWS, len(counts)))
    totals = ((2 * drawn - counts) * sizes).sum(axis=1)
    as_extreme += int((np.abs(totals) >= observed - 1e-9).sum())
    return as_extreme / (DRAWS + 1)


def detectable_difference(n: int, discordant: float) -> float | None:
    """The smallest difference that the exact McNemar test finds with a power of 80 % at a level of
    5 %, of either sign.

    None without a discordant pair, if no difference that is possible with so few pairs would be
    found, or where scipy is not installed.

    Args:
        n: the number of questions.
        discordant: the observed or assumed number of discordant pairs; each question is discordant
            with the probability `discordant / n`.
    """
    try:
        from scipy.special import bdtr, bdtrik
    except ImportError:
        return None
    share = discordant / n if n else 0.0
    if not share:
        return None
    # Other numbers of pairs are further away than eight standard deviations.
    spread = 8 * (n * share * (1 - share)) ** 0.5
    pairs = np.arange(max(0, int(n * share - spread)), min(n, int(n * share + spread) + 1) + 1)
    chances = np.diff(
        bdtr(pairs, n, share), prepend=bdtr(pairs[0] - 1, n, share) if pairs[0] else 0
    )
    # At most so many of the discordant pairs may favour the worse one, or p is above the level.
    most_against = np.floor(bdtrik(_TAIL, pairs, 0.5))
    most_against -= bdtr(most_against, pairs, 0.5) > _TAIL
    possible = most_against >= 0
    pairs, chances, most_against = pairs[possible], chances[possible], most_against[possible]

    def power(difference: float) -> float:
        worse = (share - difference) / (2 * share)
        tails = bdtr(most_against, pairs, worse) + bdtr(most_against, pairs, 1 - worse)
        return float(chances @ tails)

    if power(share) < _POWER:
        return None
    low, high = 0.0, share
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= _POWER else (middle, high)
    return high
