"""Counts branches, and multisets of branches around a variable, by size and under a rule.

A rule constrains only the set of halves around a variable. The census goes through these sets and
counts the multisets of branches for each, smaller branches first. With these counts, trees can be
counted and drawn uniformly without constructing any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.rules import Around, Rule, mask, members
from core.benchmarks.accord.trees.series import multisets
from core.benchmarks.accord.trees.skills import End


class Factor(NamedTuple):
    """Branches attached to a variable by one kind of half."""

    half: int
    met: bool
    """Whether only branches count whose own template already satisfies the rule."""
    least: int
    """Minimum number of branches: 0 or 1."""


class Ranked(NamedTuple):
    """Sets of halves around a variable with cumulative counts, for drawing one."""

    sets: list[int]
    totals: list[int]
    """Number of surroundings with this set or an earlier one."""


class Census:
    """Counts under one matrix and rule; sizes are numbers of templates."""

    def __init__(self, matrix: Matrix, rule: Rule) -> None:
        self.around = Around.of(matrix, rule)
        # Cached per instance, so that the counts are freed with the census.
        self.branches = cache(self._branches)
        self.surroundings = cache(self._surroundings)
        self.multisets = cache(self._multisets)
        self._by_state = cache(self._ranked)
        self._packs = cache(self._packed)
        self._about = cache(self._set)

    def tree_count(self, size: int) -> int:
        """Number of unique trees: those around a centroid and those with a middle template."""
        if size == 1:
            return len(self.around.halves) // 2
        at_centroid = self.surroundings((), size, size // 2).get((), 0)
        return at_centroid + sum(self.at_middle(size).values())

    def at_middle(self, size: int) -> dict[tuple[int, bool, bool], int]:
        """Number of trees above size 1 whose middle template joins two parts of equal size.

        The key is the template's half at its source, and whether the rule is met there and at its
        target.
        """
        counts = {}
        if size % 2:
            for half, (_, end) in enumerate(self.around.halves):
                if end is End.SOURCE:
                    counts.update(self._middles(half, (size - 1) // 2))
        return counts

    def _middles(self, half: int, beyond: int) -> dict[tuple[int, bool, bool], int]:
        far = self.surroundings((self.around.across(half),), beyond, beyond)
        near = self.surroundings((half,), beyond, beyond)
        return {
            (half, near_met, far_met): near_count * far_count
            for (near_met,), near_count in near.items()
            for (far_met,), far_count in far.items()
            if near_met or far_met
        }

    def _branches(self, half: int, met: bool, size: int) -> int:
        """Number of branches of a size behind a half; only met ones if `met`."""
        beyond = self.surroundings((self.around.across(half),), size - 1, size - 1)
        return beyond.get((True,), 0) if met else sum(beyond.values())

    def _surroundings(
        self, outer: tuple[int, ...], size: int, largest: int
    ) -> dict[tuple[bool, ...], int]:
        """Number of multisets of branches with `size` templates in all, each at most `largest`.

        The branches stand around a variable beside its `outer` halves. The key says which of the
        outer halves are met.
        """
        ranked = self._by_state(outer, size, min(size, largest))
        return {met: sets.totals[-1] for met, sets in ranked.items()}

    def ranked(
        self, outer: tuple[int, ...], size: int, largest: int, met: tuple[bool, ...]
    ) -> Ranked:
        """The sets of halves of the surroundings in one state; `KeyError` if there are none."""
        return self._by_state(outer, size, min(size, largest))[met]

    def factors(self, outer: tuple[int, ...], halves: int) -> tuple[Factor, ...]:
        """The kinds of branches around a variable whose halves are a set from `ranked`."""
        fixed = self._fixed(outer)
        chosen, met = self._about(halves)
        return tuple(Factor(half, not met >> half & 1, 1 - (fixed >> half & 1)) for half in chosen)

    def _multisets(self, half: int, met: bool, size: int, largest: int) -> list[int]:
        """Number of multisets of branches behind a half, by total size from 0 to `size`."""
        most = min(size, largest)
        numbers = [self.branches(half, met, n) for n in range(1, most + 1)]
        return multisets([0, *numbers, *[0] * (size - most)])

    def _ranked(
        self, outer: tuple[int, ...], size: int, largest: int
    ) -> dict[tuple[bool, ...], Ranked]:
        """Sets of halves and counts, keyed by which of the outer halves are met."""
        by_state: dict[tuple[bool, ...], Ranked] = {}
        for halves, number in self._numbers(outer, size, largest):
            met = self._about(halves)[1]
            state = tuple(bool(met >> half & 1) for half in outer)
            sets, totals = by_state.setdefault(state, Ranked([], []))
            sets.append(halves)
            totals.append(number + (totals[-1] if totals else 0))
        return by_state

    def _numbers(
        self, outer: tuple[int, ...], size: int, largest: int
    ) -> Iterator[tuple[int, int]]:
        """Each possible set of halves, with the number of surroundings that have it."""
        around, fixed = self.around, self._fixed(outer)
        width = self._width(size)
        keep, top = (1 << width * (size + 1)) - 1, width * size
        met_only, of_any = self._packs(size, largest)
        for halves in _supersets(fixed, len(around.halves), size):
            chosen, met = self._about(halves)
            if self._lonely(chosen):
                # Templates with equal halves do not reduce, so the outer one must be alone.
                if len(outer) == 1 and size == 0:
                    yield halves, 1
                continue
            if not around.allowed(halves, len(chosen)):
                continue
            product = 1
            for half in chosen:
                series = (of_any if met >> half & 1 else met_only)[half]
                # The constant term counts no branch; drop it where at least one is required.
                product = product * (series if fixed >> half & 1 else series - 1) & keep
            if number := product >> top:
                yield halves, number

    def _lonely(self, chosen: Sequence[int]) -> bool:
        return self.around.rule is Rule.GROW and len(chosen) == 1

    def _fixed(self, outer: Sequence[int]) -> int:
        """Halves that are present without a branch; under `FREE` all, as no set is excluded."""
        if self.around.rule is Rule.FREE:
            return (1 << len(self.around.halves)) - 1
        return mask(outer)

    def _set(self, halves: int) -> tuple[tuple[int, ...], int]:
        return tuple(members(halves)), self.around.met(halves)

    def _width(self, size: int) -> int:
        """Bits that hold any coefficient.

        With h halves there are fewer than (h e)^n forests of n templates (Cayley), which bounds
        every product of multiset counts.
        """
        return (3 * len(self.around.halves)).bit_length() * (size + 1)

    def _packed(self, size: int, largest: int) -> tuple[list[int], list[int]]:
        """The series of multiset counts by half, each packed into one integer.

        First the series of met branches, then those of all branches.
        """
        width = self._width(size)
        packs: tuple[list[int], list[int]] = ([], [])
        for half in range(len(self.around.halves)):
            for series, met in zip(packs, (True, False), strict=True):
                packed = 0
                for number in reversed(self.multisets(half, met, size, largest)):
                    packed = packed << width | number
                series.append(packed)
        return packs


def _supersets(fixed: int, length: int, more: int) -> Iterator[int]:
    """The bit masks that contain `fixed` and at most `more` other bits below `length`."""
    others = [1 << number for number in range(length) if not fixed >> number & 1]

    def grown(bits: int, first: int, left: int) -> Iterator[int]:
        yield bits
        if left:
            for index in range(first, len(others)):
                yield from grown(bits | others[index], index + 1, left - 1)

    return grown(fixed, 0, more)
