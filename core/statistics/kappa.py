"""How far raters agree: Fleiss' kappa over counts of ratings, with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.statistics.bootstrap import RESAMPLES, SEED, percentile_interval

_Category = TypeVar("_Category", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Ratings:
    """Agreement on items that were each rated equally often, by whomever."""

    items: int
    raters: int
    """Ratings of an item."""
    observed: float
    """Share of pairs of ratings of one item that are the same, over all items."""
    expected: float
    """The share that chance would give, from how often each category was used at all."""
    interval: tuple[float, float] | None = None
    """The 95 % interval of kappa: the percentile bootstrap over items (`RESAMPLES` draws from
    `SEED` on); None of a single item, and where all ratings of most draws are the same one."""

    @property
    def kappa(self) -> float | None:
        """Fleiss' kappa (Fleiss 1971); None where all ratings are the same one."""
        return _kappa(self.observed, self.expected)


def ratings(items: Iterable[Mapping[_Category, int]]) -> Ratings | None:
    """Agreement from how many raters chose each category, item by item.

    None where there is no item, or less than two ratings of each. Raises `ValueError` where
    items were not rated equally often, for which Fleiss' kappa is not defined.
    """
    rated = list(items)
    numbers = {sum(each.values()) for each in rated}
    if len(numbers) > 1:
        raise ValueError("items were not rated equally often")
    raters = numbers.pop() if numbers else 0
    if raters < 2:
        return None
    everything: Counter[_Category] = Counter()
    for each in rated:
        everything.update(each)
    total = raters * len(rated)
    agreeing = sum(n * (n - 1) for each in rated for n in each.values())
    return Ratings(
        len(rated),
        raters,
        agreeing / (total * (raters - 1)),
        sum((n / total) ** 2 for n in everything.values()),
        percentile_interval(_resampled(rated, list(everything), raters)),
    )


def _kappa(observed: float, expected: float) -> float | None:
    return None if expected >= 1 else (observed - expected) / (1 - expected)


def _resampled(
    rated: Sequence[Mapping[_Category, int]], categories: Sequence[_Category], raters: int
) -> Iterator[float | None]:
    """Kappa of each draw of as many items, with replacement; none of fewer than two items.

    Items that were rated alike are drawn together: how many of each kind a draw has is
    multinomial, and there are few kinds, however many items.
    """
    if len(rated) < 2:
        return
    import numpy as np

    kinds = Counter(tuple(each.get(name, 0) for name in categories) for each in rated)
    table = np.array(list(kinds), dtype=np.float64)
    share = np.array(list(kinds.values())) / len(rated)
    agreeing = (table * (table - 1)).sum(axis=1)
    total = len(rated) * raters
    generator = np.random.default_rng(SEED)
    for _ in range(RESAMPLES):
        drawn = generator.multinomial(len(rated), share)
        expected = float(((drawn @ table / total) ** 2).sum())
        yield _kappa(float(drawn @ agreeing) / (total * (raters - 1)), expected)
