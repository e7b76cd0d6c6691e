"""Intervals of figures that are no plain means, by leaving out one group of clusters at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.statistics.student_t import t_quantile

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
    spread = t_quantile(groups - 1) * math.sqrt(squares * (groups - 1) / groups)
    return (estimate - spread, estimate + spread) if spread else None
