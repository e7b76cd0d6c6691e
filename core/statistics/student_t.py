"""Quantiles of Student's t, for intervals whose variance is estimated from few clusters."""

from __future__ import annotations

import math
from functools import cache

from core.statistics.proportion import Z

_LEVEL = 0.975
_EXACT = 30
"""Degrees of freedom from which an expansion around the normal is exact to six digits."""


@cache
def t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with `freedom` degrees of freedom, from 1.

    Below `_EXACT` it inverts the closed form of the distribution function for whole degrees of
    freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4), from there on it is Cornish and Fisher's
    expansion (26.7.5).
    """
    if freedom >= _EXACT:
        z = Z
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + first / freedom + second / freedom**2 + third / freedom**3
    low, high = 0.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if _below(middle, freedom) > _LEVEL else (middle, high)
    return high


def _below(t: float, freedom: int) -> float:
    """The probability of a value below `t`, which is positive."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    # The terms are cos^k times 2/3 * 4/5 * ... for odd, and 1/2 * 3/4 * ... for even freedom.
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for power in range(2 + odd, freedom - 1, 2):
        term *= cosine**2 * (power - 1) / power
        total += term
    within = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return (1 + within) / 2
