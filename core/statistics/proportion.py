"""Intervals of proportions of independent cases."""

from __future__ import annotations

import math

Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
_RARE = {1: 0.05129329438755058, 2: 0.35536151, 3: 0.81769145}
"""By a number of cases: the mean of a Poisson variable that is below it with 95 %."""
_SMALL = 50


def proportion_interval(right: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a proportion of `n` independent cases, at least one.

    Wilson's, but with one or two right or wrong cases, or three of more than 50, the end beside
    them is that of a Poisson variable (Brown, Cai and DasGupta 2001, section 4.1), since Wilson's
    covers a rare proportion with as little as 84 %.
    """
    low, high = wilson(right, n)
    few = 2 if n <= _SMALL else 3
    if 0 < right <= few:
        low = min(low, _RARE[right] / n)
    if 0 < n - right <= few:
        high = max(high, 1 - _RARE[n - right] / n)
    return low, high


def wilson(right: float, n: float) -> tuple[float, float]:
    """Wilson score interval of a proportion at 95% (Wilson 1927).

    `n` must be positive; of cases that are not independent it is the effective number. Unlike the
    Wald interval it is never empty at 0 or n.
    """
    p = right / n
    centre = p + Z * Z / (2 * n)
    spread = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    scale = 1 + Z * Z / n
    # At 0 and n one end is exact; rounding errors would move it.
    low = (centre - spread) / scale if right else 0.0
    high = (centre + spread) / scale if right < n else 1.0
    return low, high
