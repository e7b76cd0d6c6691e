"""Intervals of figures that are no plain means, by leaving out one group of clusters at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.statistics.proportion import wilson
from core.statistics.student_t import t_quantile

GROUPS = 30
"""Most groups that clusters are dealt into."""
FEWEST = 10
"""Fewest groups with which an interval is given."""


def jackknife_interval(
    estimate: float, without: Sequence[float | None]
) -> tuple[float, float] | None:
    """The 95 % interval of a figure by the delete-a-group jackknife (Kott, 2001).

    The quantile is that of Student's t with one degree of freedom less than there are groups.

    Args:
        estimate: the figure over all cases.
        without: the figure without each group; groups are about equally large.

    Returns:
        None where `jackknife_error` gives none, and if the figure is the same without any group.
    """
    error = jackknife_error(without)
    if not error:
        return None
    spread = t_quantile(len(without) - 1) * error
    return estimate - spread, estimate + spread


def jackknife_error(without: Sequence[float | None]) -> float | None:
    """The standard error of a figure by the delete-a-group jackknife.

    The variance is (G - 1) / G times the sum of squared deviations of the G leave-one-group-out
    values from their mean. None with fewer than `FEWEST` groups, or if the figure is undefined
    without one of them.
    """
    values = [value for value in without if value is not None]
    groups = len(without)
    if groups < FEWEST or len(values) < groups:
        return None
    mean = math.fsum(values) / groups
    squares = math.fsum((value - mean) ** 2 for value in values)
    return math.sqrt(squares * (groups - 1) / groups)


def log_odds_interval(estimate: float, error: float, *, cases: int) -> tuple[float, float]:
    """The 95 % interval of a figure from 0 to 1 with a jackknife's standard error.

    It is symmetric on the scale of log odds, where it is `error` divided by p (1 - p), times the
    quantile of Student's t. At 0 and 1, and without an error, it is Wilson's for `cases`.

    Args:
        estimate: the figure.
        error: its standard error, by up to `GROUPS` groups.
        cases: the number of clusters that hold the rarer kind of case, at least two; with fewer
            than `GROUPS` of them, degrees of freedom are counted by them.
    """
    if not error or not 0 < estimate < 1:
        return wilson(estimate * cases, cases)
    centre = math.log(estimate / (1 - estimate))
    spread = t_quantile(min(cases, GROUPS) - 1) * error / (estimate * (1 - estimate))
    return _share(centre - spread), _share(centre + spread)


def _share(log_odds: float) -> float:
    """The share with these log odds."""
    # Of a negative number, because the exponential of a large one overflows.
    tail = math.exp(-abs(log_odds)) / (1 + math.exp(-abs(log_odds)))
    return tail if log_odds < 0 else 1 - tail
