"""Every unique tree of a size, constructed exactly once and handed out as it is made.

A tree is put together at its centroid from branches that hold at most half of its variables, in
ascending order; so every tree is made in its canonical form, in one way, and none has to be
remembered. If two halves meet at a template, its source is the root (no template is symmetric, so
this is one way too). Memory is what the branches take, not the trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import TypeAlias

from core.benchmarks.accord.trees.census import Census
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.rules import Around, Rule, mask
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Branch, Template, Tree, placed
from core.text.errors import SettingError

MOST_TEMPLATES = 12
"""Largest trees that are enumerated."""
MOST_BRANCHES = 200_000
"""Most branches that are kept; free trees of size 8, 6,115,360,650 of them, take 57,000."""

_Kind: TypeAlias = "tuple[int, int]"
"""Size of a branch, number of its half at the root."""


def trees(size: int, matrix: Matrix, rule: Rule = Rule.FREE) -> Iterator[Tree]:
    """Every unique tree of `size` templates that follows a rule, in canonical form.

    A tree of one template follows every rule. Raises `SettingError` for a size that is below 1 or
    above `MOST_TEMPLATES`, or takes more than `MOST_BRANCHES`.
    """
    hint = "Larger trees can be sampled."
    if not 1 <= size <= MOST_TEMPLATES:
        what = f"Trees of {size} templates are not enumerated: sizes are 1 to {MOST_TEMPLATES}."
        raise SettingError(what, where="size", hint=hint)
    census = Census(matrix, rule)
    branches = sum(
        census.branches(half, False, n)
        for n in range(1, (size + 1) // 2 + 1)
        for half in range(len(census.around.halves))
    )
    if branches > MOST_BRANCHES:
        what = f"Trees of {size} templates are not enumerated: {branches:,} branches are too many."
        raise SettingError(what, where="size", hint=hint)
    return _Enumeration(size, census.around).trees()


@dataclass(slots=True)
class _Part:
    """A branch with its templates as they stand in a tree at whose root it hangs."""

    branch: Branch
    size: int
    _placed: dict[int, tuple[Template, ...]] = field(default_factory=dict)

    def after(self, before: int) -> tuple[Template, ...]:
        """Its templates where `before` templates stand before it."""
        found = self._placed.get(before)
        if found is None:
            found = self._placed[before] = placed(self.branch, before)
        return found


class _Enumeration:
    def __init__(self, size: int, around: Around) -> None:
        self._size = size
        self._around = around
        self._any: dict[_Kind, list[_Part]] = {}
        """Branches by kind, ascending."""
        self._met: dict[_Kind, list[_Part]] = {}
        """Those of them whose own template needs nothing more."""
        for largest in range(1, (size + 1) // 2 + 1):
            self._add_branches(largest)

    def trees(self) -> Iterator[Tree]:
        size = self._size
        for kinds in self._mixes(size, size // 2):
            yield from self._around_root(kinds)
        if size % 2:
            half = (size + 1) // 2
            for number, (_, end) in enumerate(self._around.halves):
                if end is End.SOURCE:
                    for kinds in self._mixes(size - half, half - 1):
                        yield from self._around_root((*kinds, (half, number)))

    def _around_root(self, kinds: Sequence[_Kind]) -> Iterator[Tree]:
        lists = self._lists(kinds, 0, exempt=self._size == 1)
        if lists is not None:
            yield from map(Tree.trusted, _combined(lists, (), 0))

    def _add_branches(self, size: int) -> None:
        """All branches of this size; the smaller ones are there."""
        around = self._around
        mixes = list(self._mixes(size - 1, size - 1))
        for number, (skill, end) in enumerate(around.halves):
            far = 1 << around.across(number)
            found: list[tuple[Branch, bool]] = []
            for kinds in mixes:
                lists = self._lists(kinds, far)
                if lists is not None:
                    here = far | mask([half for _, half in kinds])
                    met = bool(around.met(here) & far)
                    found += [((size, skill, end, b), met) for b in _beyond(lists)]
            found.sort()
            parts = [(_Part(branch, size), met) for branch, met in found]
            self._any[size, number] = [part for part, _ in parts]
            self._met[size, number] = [part for part, met in parts if met]

    def _mixes(self, total: int, largest: int) -> Iterator[tuple[_Kind, ...]]:
        """Every multiset of kinds with so many templates in all, ascending."""
        kinds = [
            (size, half)
            for size in range(1, largest + 1)
            for half in range(len(self._around.halves))
        ]
        return _multisets(kinds, 0, total)

    def _lists(
        self, kinds: Sequence[_Kind], outer: int, *, exempt: bool = False
    ) -> list[tuple[list[_Part], int]] | None:
        """Branches to choose from and how many, by kind; None where the rule forbids the mix.

        `outer` is the half that leads to the rest of the tree; `exempt` lets the only template of
        a tree be.
        """
        here = outer | mask([half for _, half in kinds])
        if not self._around.allowed(here, len(kinds) + bool(outer)):
            return None
        met = here if exempt else self._around.met(here)
        found: list[tuple[list[_Part], int]] = []
        for kind in dict.fromkeys(kinds):
            parts = (self._any if met >> kind[1] & 1 else self._met)[kind]
            if not parts:
                return None
            found.append((parts, kinds.count(kind)))
        return found


def _multisets(kinds: Sequence[_Kind], first: int, total: int) -> Iterator[tuple[_Kind, ...]]:
    if total == 0:
        yield ()
        return
    for index in range(first, len(kinds)):
        kind = kinds[index]
        if kind[0] > total:
            return
        for rest in _multisets(kinds, index, total - kind[0]):
            yield (kind, *rest)


def _combined(
    lists: Sequence[tuple[list[_Part], int]], templates: tuple[Template, ...], level: int
) -> Iterator[tuple[Template, ...]]:
    """The templates of every choice from the lists."""
    if level == len(lists):
        yield templates
        return
    parts, count = lists[level]
    for chosen in combinations_with_replacement(parts, count):
        grown = templates
        for part in chosen:
            grown += part.after(len(grown))
        yield from _combined(lists, grown, level + 1)


def _beyond(lists: Sequence[tuple[list[_Part], int]]) -> Iterator[tuple[Branch, ...]]:
    """The branches of every choice from the lists."""
    if not lists:
        yield ()
        return
    parts, count = lists[0]
    for chosen in combinations_with_replacement(parts, count):
        head = tuple(part.branch for part in chosen)
        for rest in _beyond(lists[1:]):
            yield head + rest
