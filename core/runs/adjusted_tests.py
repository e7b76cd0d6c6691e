"""Adjusts the p-values of comparisons where many are shown at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.runs.comparison import Comparison
from core.statistics.multiple_tests import holm

MOST_UNADJUSTED = 10
"""With more tests than these, adjusted p-values are shown too."""


def tests_of(comparisons: Sequence[Comparison]) -> int:
    """The number of tests with a p-value, in all layers of all comparisons."""
    return sum(1 for _ in _p_values(comparisons))


def adjusted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons, with Holm's adjusted p-values if there are more than `MOST_UNADJUSTED`.

    All tests of all comparisons are one family. Unchanged where statsmodels is not installed.
    """
    p_values = list(_p_values(comparisons))
    holm_values = holm(p_values) if len(p_values) > MOST_UNADJUSTED else None
    if holm_values is None:
        return list(comparisons)
    rest = iter(holm_values)
    return [
        replace(
            comparison,
            layers=tuple(
                replace(
                    layer,
                    holm_p=None if layer.p is None else next(rest),
                    soft_holm_p=None if layer.soft_p is None else next(rest),
                )
                for layer in comparison.layers
            ),
        )
        for comparison in comparisons
    ]


def is_adjusted(comparison: Comparison) -> bool:
    """Whether any of its tests has an adjusted p-value."""
    return any(
        value is not None
        for layer in comparison.layers
        for value in (layer.holm_p, layer.soft_holm_p)
    )


def _p_values(comparisons: Sequence[Comparison]) -> Iterator[float]:
    for comparison in comparisons:
        for layer in comparison.layers:
            yield from (p for p in (layer.p, layer.soft_p) if p is not None)
