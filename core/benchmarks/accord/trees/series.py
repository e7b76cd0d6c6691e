"""Counting by size: truncated power series whose coefficients are whole numbers.

A series is the list of its coefficients, that of x^0 first; all series of a computation are as
long as each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Series: TypeAlias = "list[int]"


def times(one: Sequence[int], two: Sequence[int]) -> Series:
    """The product, as long as the first."""
    length = len(one)
    found = [0] * length
    for i, a in enumerate(one):
        if a:
            for j in range(min(length - i, len(two))):
                found[i + j] += a * two[j]
    return found


def plus(one: Sequence[int], two: Sequence[int], factor: int = 1) -> Series:
    """The sum, the second `factor` times."""
    return [a + factor * b for a, b in zip(one, two, strict=True)]


def shifted(one: Sequence[int]) -> Series:
    """The product with x."""
    return [0, *one[:-1]]


def spread(one: Sequence[int], weighted: bool = False) -> Series:
    """The sum over k >= 1 of the series at x^k; each k times if `weighted`.

    Over all multisets, it counts what their elements add up to: Pólya's theorem differentiated.
    The constant term must be 0.
    """
    found = [0] * len(one)
    for size in range(1, len(one)):
        if one[size]:
            for k in range(1, (len(one) - 1) // size + 1):
                found[size * k] += one[size] * (k if weighted else 1)
    return found


def multisets(kinds: Sequence[int]) -> Series:
    """How many multisets there are by total size, of elements of which `kinds` has the numbers.

    n p(n) = sum of c(k) p(n - k) with c(k) = sum of d kinds(d) over the divisors d of k.
    """
    weights = spread([size * number for size, number in enumerate(kinds)])
    found = [1] + [0] * (len(kinds) - 1)
    for n in range(1, len(kinds)):
        found[n] = sum(weights[k] * found[n - k] for k in range(1, n + 1)) // n
    return found
