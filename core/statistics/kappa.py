"""Inter-rater agreement: Fleiss' and Cohen's kappa, with bootstrap intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.statistics.bootstrap import RESAMPLES, SEED, percentile_interval

_Category = TypeVar("_Category", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Ratings:
    """Agreement on items with the same number of ratings each, by any raters."""

    items: int
    raters: int
    """Ratings per item."""
    observed: float
    """Share of equal pairs among the pairs of ratings of one item, over all items."""
    expected: float
    """The same share under chance, from the overall frequency of each category (Fleiss), or from
    its frequency with each of two raters (Cohen)."""
    interval: tuple[float, float] | None = None
    """The 95 % interval of kappa by percentile bootstrap over items (`RESAMPLES` resamples, seed
    `SEED`). None for few items, and if kappa is undefined in most resamples."""

    @property
    def kappa(self) -> float | None:
        """Fleiss' kappa (Fleiss, 1971) or Cohen's (Cohen, 1960); None if all ratings are equal."""
        return _kappa(self.observed, self.expected)


def ratings(items: Iterable[Mapping[_Category, int]]) -> Ratings | None:
    """Agreement from the number of ratings of each category, item by item.

    None if there is no item, or only one rating of each. Raises `ValueError` if the items have
    different numbers of ratings, for which Fleiss' kappa is not defined.
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
        percentile_interval(_resampled(rated, list(everything), raters), len(rated)),
    )


def paired_ratings(items: Iterable[tuple[_Category, _Category]]) -> Ratings | None:
    """Agreement of the same two raters on all items, for Cohen's kappa; None without an item.

    Unlike Fleiss' kappa, Cohen's takes the expected agreement from the habits of each rater.
    """
    rated = list(items)
    if not rated:
        return None
    n = len(rated)
    first, second = (Counter(side) for side in zip(*rated, strict=True))
    return Ratings(
        n,
        2,
        sum(one == other for one, other in rated) / n,
        sum(first[category] * second[category] for category in first) / n**2,
        percentile_interval(_resampled_pairs(Counter(rated)), n),
    )


def _kappa(observed: float, expected: float) -> float | None:
    return None if expected >= 1 else (observed - expected) / (1 - expected)


def _resampled(
    rated: Sequence[Mapping[_Category, int]], categories: Sequence[_Category], raters: int
) -> Iterator[float | None]:
    """Kappa of each bootstrap resample; nothing for fewer than two items.

    Items with equal ratings form one kind. The number of each kind in a resample is multinomial,
    and there are few kinds even for many items.
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


def _resampled_pairs(kinds: Counter[tuple[_Category, _Category]]) -> Iterator[float | None]:
    """Cohen's kappa of each bootstrap resample; nothing for fewer than two items."""
    n = kinds.total()
    if n < 2:
        return
    import numpy as np

    categories = list(dict.fromkeys(category for kind in kinds for category in kind))
    first, second = (
        np.array([[kind[side] == category for category in categories] for kind in kinds], float)
        for side in (0, 1)
    )
    same = np.array([one == other for one, other in kinds], float)
    share = np.array(list(kinds.values())) / n
    generator = np.random.default_rng(SEED)
    for _ in range(RESAMPLES):
        drawn = generator.multinomial(n, share)
        expected = float((drawn @ first) @ (drawn @ second)) / n**2
        yield _kappa(float(drawn @ same) / n, expected)
