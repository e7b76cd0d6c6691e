"""Draws trees and branches uniformly at random, using the counts of a census.

The branches around a variable are drawn in the order in which they were counted: first the set of
halves, then the number of templates behind each half, then a multiset of branches of that size.
Multisets are drawn uniformly without listing them (Nijenhuis and Wilf, 1978, chapter 29).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from random import Random
from typing import TypeVar

from core.benchmarks.accord.trees.census import Census, Factor
from core.benchmarks.accord.trees.series import times
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Branch, Tree, composed

_Option = TypeVar("_Option")


class Drawing:
    """Draws under one census with one random generator."""

    def __init__(self, census: Census, rng: Random) -> None:
        self.census = census
        self._rng = rng

    def chosen(self, options: Iterable[tuple[_Option, int]]) -> _Option:
        """Draw one of the (option, weight) pairs by weight; at least one weight is above 0."""
        listed = list(options)
        totals = list(accumulate(weight for _, weight in listed))
        return listed[bisect_right(totals, self._rng.randrange(totals[-1]))][0]

    def tree(self, size: int) -> Tree:
        """A unique tree of a size, as `Census.tree_count` counts them."""
        census = self.census
        if size == 1:
            only = self._rng.choice([h for h in census.around.halves if h.end is End.SOURCE])
            return composed([(1, only.skill, only.end, ())])
        middles = census.at_middle(size)
        centroid = sum(census.surroundings((), size, size // 2).values())
        middle = self.chosen([(None, centroid), *middles.items()])
        if middle is None:
            return composed(sorted(self.surroundings((), size, size // 2, ())))
        half, source_met, target_met = middle
        beyond = (size - 1) // 2
        far = self.surroundings((census.around.across(half),), beyond, beyond, (target_met,))
        near = self.surroundings((half,), beyond, beyond, (source_met,))
        skill, end = census.around.halves[half]
        return composed([*sorted(near), (beyond + 1, skill, end, tuple(sorted(far)))])

    def surroundings(
        self, outer: tuple[int, ...], size: int, largest: int, met: tuple[bool, ...]
    ) -> list[Branch]:
        """Branches around a variable, as `Census.surroundings` counts them."""
        if size == 0:
            return []
        sets, totals = self.census.ranked(outer, size, largest, met)
        halves = sets[bisect_right(totals, self._rng.randrange(totals[-1]))]
        factors = self.census.factors(outer, halves)
        branches: list[Branch] = []
        for factor, share in zip(factors, self._shares(factors, size, largest), strict=True):
            branches += self._multiset(factor, share, largest)
        return branches

    def _shares(self, factors: Sequence[Factor], size: int, largest: int) -> list[int]:
        series = [self._series(factor, size, largest) for factor in factors]
        rests = [[1] + [0] * size]
        for numbers in reversed(series[1:]):
            rests.append(times(rests[-1], numbers))
        shares = []
        for numbers, rest in zip(series, reversed(rests), strict=True):
            share = self.chosen((n, numbers[n] * rest[size - n]) for n in range(size + 1))
            shares.append(share)
            size -= share
        return shares

    def _series(self, factor: Factor, size: int, largest: int) -> Sequence[int]:
        numbers = self.census.multisets(factor.half, factor.met, size, largest)
        return [0, *numbers[1:]] if factor.least else numbers

    def _multiset(self, factor: Factor, total: int, largest: int) -> list[Branch]:
        """A multiset of branches behind one half, `total` templates in all."""
        half, met, _ = factor
        numbers = self.census.multisets(half, met, total, largest)
        branches: list[Branch] = []
        while total:
            size, copies = self.chosen(
                (
                    (n, k),
                    n * self.census.branches(half, met, n) * numbers[total - n * k],
                )
                for n in range(1, min(total, largest) + 1)
                for k in range(1, total // n + 1)
            )
            branches += [self._branch(half, met, size)] * copies
            total -= size * copies
        return branches

    def _branch(self, half: int, met: bool, size: int) -> Branch:
        around = self.census.around
        outer = (around.across(half),)
        states = self.census.surroundings(outer, size - 1, size - 1)
        state = (True,) if met else self.chosen(states.items())
        beyond = self.surroundings(outer, size - 1, size - 1, state)
        skill, end = around.halves[half]
        return size, skill, end, tuple(sorted(beyond))
