"""Intervals of figures that are no plain means, by leaving out one group of clusters at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

GROUPS = 30
"""Most groups that clusters are dealt into."""
FEWEST = 10
"""Fewest groups with which an interval is given."""


def jackknife_interval(
    estimate: float, without: Sequence[float | None]
) -> tuple[float, float] | None:
    """The 95 % interval of a figure by the delete-a-group jackknife (Kott, 2001).

    The variance is (G - 1) / G times the sum of squared deviations of the G leave-one-group-out
    values from their mean; the quantile is that of Student's t with G - 1 degrees of freedom.

    Args:
        estimate: the figure over all cases.
        without: the figure without each group; groups are about equally large.

    Returns:
        None with fewer than `FEWEST` groups, if the figure is undefined without one of them, or if
        it is the same without any of them.
    """
    values = [value for value in without if value is not None]
    groups = len(without)
    if groups < FEWEST or len(values) < groups:
        return None
    mean = math.fsum(values) / groups
    squares = math.fsum((value - mean) ** 2 for value in values)
    spread = _t_quantile(groups - 1) * math.sqrt(squares * (groups - 1) / groups)
    return (estimate - spread, estimate + spread) if spread else None


def _t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, by Cornish and Fisher's expansion around the normal.

    Off by less than .001 from 9 degrees of freedom on.
    """
    z = NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
