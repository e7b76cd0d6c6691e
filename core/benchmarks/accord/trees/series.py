"""Counting by size: truncated power series with integer coefficients.

A series is the list of its coefficients from x^0 on. All series of one computation have the same
length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Series: TypeAlias = "list[int]"


def times(left: Sequence[int], right: Sequence[int]) -> Series:
    """The product, truncated to the length of `left`."""
    length = len(left)
    product = [0] * length
    for i, a in enumerate(left):
        if a:
            for j in range(min(length - i, len(right))):
                product[i + j] += a * right[j]
    return product


def plus(left: Sequence[int], right: Sequence[int], factor: int = 1) -> Series:
    """left + factor * right."""
    return [a + factor * b for a, b in zip(left, right, strict=True)]


def shifted(series: Sequence[int]) -> Series:
    """The series times x."""
    return [0, *series[:-1]]


def spread(series: Sequence[int], weighted: bool = False) -> Series:
    """The sum over k >= 1 of series(x^k), times k if `weighted`.

    This sums a quantity over the elements of all multisets: the derivative of Pólya's theorem. The
    constant term must be 0.
    """
    total = [0] * len(series)
    for size in range(1, len(series)):
        if series[size]:
            for k in range(1, (len(series) - 1) // size + 1):
                total[size * k] += series[size] * (k if weighted else 1)
    return total


def multisets(kinds: Sequence[int]) -> Series:
    """The number of multisets by total size, where `kinds` counts the elements by size.

    n p(n) = sum of c(k) p(n - k) with c(k) = sum of d kinds(d) over the divisors d of k.
    """
    weights = spread([size * number for size, number in enumerate(kinds)])
    counts = [1] + [0] * (len(kinds) - 1)
    for n in range(1, len(kinds)):
        counts[n] = sum(weights[k] * counts[n - k] for k in range(1, n + 1)) // n
    return counts
