"""How many branches and surroundings of a variable there are under a rule, by size.

What stands around a variable is a multiset of branches. A rule asks something of the set of their
halves only, so these sets are gone through, and for each the multisets of branches are counted.
Branches are counted from the smaller ones. From these numbers trees are drawn, each with the same
chance, and counted, without making one.
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
    """Branches that hang at a variable by one kind of half."""

    half: int
    met: bool
    """Only branches whose own template needs nothing more."""
    least: int
    """0 or 1: how many there are at least."""


class Ranked(NamedTuple):
    """Sets of halves around a variable, for drawing one."""

    sets: list[int]
    totals: list[int]
    """Surroundings with this set or one before it."""


class Census:
    """Counts under one matrix and rule; sizes are numbers of templates."""

    def __init__(self, matrix: Matrix, rule: Rule) -> None:
        self.around = Around.of(matrix, rule)
        # Methods are cached here, so that the numbers go when the census goes.
        self.branches = cache(self._branches)
        self.surroundings = cache(self._surroundings)
        self.multisets = cache(self._multisets)
        self._by_state = cache(self._ranked)
        self._packs = cache(self._packed)
        self._about = cache(self._set)

    def tree_count(self, size: int) -> int:
        """Unique trees of a size: around a centroid, or with a template in the middle."""
        if size == 1:
            return len(self.around.halves) // 2
        at_centroid = self.surroundings((), size, size // 2).get((), 0)
        return at_centroid + sum(self.at_middle(size).values())

    def at_middle(self, size: int) -> dict[tuple[int, bool, bool], int]:
        """Trees of a size above 1 with a template between two halves of equal size.

        By its half at the source, and by whether it is met at the source and at the target.
        """
        found = {}
        if size % 2:
            for half, (_, end) in enumerate(self.around.halves):
                if end is End.SOURCE:
                    found.update(self._middles(half, (size - 1) // 2))
        return found

    def _middles(self, half: int, beyond: int) -> dict[tuple[int, bool, bool], int]:
        far = self.surroundings((self.around.across(half),), beyond, beyond)
        near = self.surroundings((half,), beyond, beyond)
        return {
            (half, here, there): one * two
            for (here,), one in near.items()
            for (there,), two in far.items()
            if here or there
        }

    def _branches(self, half: int, met: bool, size: int) -> int:
        """Branches of a size that hang by a half; only met ones if `met`."""
        beyond = self.surroundings((self.around.across(half),), size - 1, size - 1)
        return beyond.get((True,), 0) if met else sum(beyond.values())

    def _surroundings(
        self, outer: tuple[int, ...], size: int, largest: int
    ) -> dict[tuple[bool, ...], int]:
        """Multisets of branches of `size` templates in all, each at most `largest`.

        They stand around a variable beside the outer halves, and are counted by which of these
        are met.
        """
        ranked = self._by_state(outer, size, min(size, largest))
        return {met: sets.totals[-1] for met, sets in ranked.items()}

    def ranked(
        self, outer: tuple[int, ...], size: int, largest: int, met: tuple[bool, ...]
    ) -> Ranked:
        """The sets of halves of such surroundings; raises `KeyError` where there are none."""
        return self._by_state(outer, size, min(size, largest))[met]

    def factors(self, outer: tuple[int, ...], here: int) -> tuple[Factor, ...]:
        """What branches there are if the halves are a set of `ranked`, of a size above 0."""
        fixed = self._fixed(outer)
        chosen, met = self._about(here)
        return tuple(Factor(half, not met >> half & 1, 1 - (fixed >> half & 1)) for half in chosen)

    def _multisets(self, half: int, met: bool, size: int, largest: int) -> list[int]:
        """Multisets of branches by a half, by size from 0 to `size`, each at most `largest`."""
        most = min(size, largest)
        numbers = [self.branches(half, met, n) for n in range(1, most + 1)]
        return multisets([0, *numbers, *[0] * (size - most)])

    def _ranked(
        self, outer: tuple[int, ...], size: int, largest: int
    ) -> dict[tuple[bool, ...], Ranked]:
        """By which of the outer halves are met."""
        found: dict[tuple[bool, ...], Ranked] = {}
        for here, number in self._numbers(outer, size, largest):
            met = self._about(here)[1]
            state = tuple(bool(met >> half & 1) for half in outer)
            sets, totals = found.setdefault(state, Ranked([], []))
            sets.append(here)
            totals.append(number + (totals[-1] if totals else 0))
        return found

    def _numbers(
        self, outer: tuple[int, ...], size: int, largest: int
    ) -> Iterator[tuple[int, int]]:
        """Each set of halves that such surroundings have, with the number of these."""
        around, fixed = self.around, self._fixed(outer)
        width = self._width(size)
        keep, top = (1 << width * (size + 1)) - 1, width * size
        met_only, of_any = self._packs(size, largest)
        for here in _supersets(fixed, len(around.halves), size):
            chosen, met = self._about(here)
            if self._lonely(chosen):
                # Templates that look alike from here do not reduce: the outer one is alone.
                if len(outer) == 1 and size == 0:
                    yield here, 1
                continue
            if not around.allowed(here, len(chosen)):
                continue
            product = 1
            for half in chosen:
                series = (of_any if met >> half & 1 else met_only)[half]
                # Without its constant term where there is at least one branch.
                product = product * (series if fixed >> half & 1 else series - 1) & keep
            if number := product >> top:
                yield here, number

    def _lonely(self, chosen: Sequence[int]) -> bool:
        return self.around.rule is Rule.GROW and len(chosen) == 1

    def _fixed(self, outer: Sequence[int]) -> int:
        """Halves that need no branch to be counted as there; under `FREE` nothing hangs on it."""
        if self.around.rule is Rule.FREE:
            return (1 << len(self.around.halves)) - 1
        return mask(outer)

    def _set(self, here: int) -> tuple[tuple[int, ...], int]:
        return tuple(members(here)), self.around.met(here)

    def _width(self, size: int) -> int:
        """Bits that hold any coefficient.

        Of h halves there are fewer than (h e)^n forests of n templates (Cayley), and no product
        of multisets of branches counts more than these.
        """
        return (3 * len(self.around.halves)).bit_length() * (size + 1)

    def _packed(self, size: int, largest: int) -> tuple[list[int], list[int]]:
        """Multisets by half as single numbers, a coefficient's digits after another's.

        First those of met branches, then those of any.
        """
        width = self._width(size)
        found: tuple[list[int], list[int]] = ([], [])
        for half in range(len(self.around.halves)):
            for series, met in zip(found, (True, False), strict=True):
                packed = 0
                for number in reversed(self.multisets(half, met, size, largest)):
                    packed = packed << width | number
                series.append(packed)
        return found


def _supersets(fixed: int, length: int, more: int) -> Iterator[int]:
    """The sets that hold `fixed` and at most `more` other numbers below `length`."""
    others = [1 << number for number in range(length) if not fixed >> number & 1]

    def grown(here: int, first: int, left: int) -> Iterator[int]:
        yield here
        if left:
            for index in range(first, len(others)):
                yield from grown(here | others[index], index + 1, left - 1)

    return grown(fixed, 0, more)
