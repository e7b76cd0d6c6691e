"""Enumerates the unique trees of a size, each constructed exactly once.

A tree is assembled at its centroid from branches in ascending order that hold at most half of its
variables each. So every tree is constructed in canonical form and in one way only, and no tree has
to be remembered. If a tree has two centroids, the source of the template between them is the root
(no template is symmetric, so this is unique too). Memory is needed for the branches only.
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
from core.benchmarks.accord.trees.tree import Branch, Template, Tree, templates_of
from core.text.errors import SettingError

MOST_TEMPLATES = 12
"""Largest trees that are enumerated."""
MOST_BRANCHES = 200_000
"""Most branches held in memory; the 6,115,360,650 free trees of size 8 need 57,000."""

_Kind: TypeAlias = "tuple[int, int]"
"""Size of a branch, number of its half at the root."""


def trees(size: int, matrix: Matrix, rule: Rule = Rule.FREE) -> Iterator[Tree]:
    """Every unique tree of `size` templates that follows a rule, in canonical form.

    A tree of one template follows every rule. Raises `SettingError` for a size below 1, above
    `MOST_TEMPLATES`, or that needs more than `MOST_BRANCHES`.
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
    """A branch with its templates as they are numbered at the root of a tree."""

    branch: Branch
    size: int
    _by_offset: dict[int, tuple[Template, ...]] = field(default_factory=dict)

    def after(self, before: int) -> tuple[Template, ...]:
        """Its templates when `before` templates precede it in the tree."""
        templates = self._by_offset.get(before)
        if templates is None:
            templates = self._by_offset[before] = templates_of(self.branch, before)
        return templates


class _Enumeration:
    def __init__(self, size: int, around: Around) -> None:
        self._size = size
        self._around = around
        self._any: dict[_Kind, list[_Part]] = {}
        """Branches by kind, ascending."""
        self._met: dict[_Kind, list[_Part]] = {}
        """The branches whose own template already satisfies the rule, by kind, ascending."""
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
        """Add all branches of this size; the smaller ones have been added before."""
        around = self._around
        mixes = list(self._mixes(size - 1, size - 1))
        for number, (skill, end) in enumerate(around.halves):
            far = 1 << around.across(number)
            branches: list[tuple[Branch, bool]] = []
            for kinds in mixes:
                lists = self._lists(kinds, far)
                if lists is not None:
                    halves = far | mask([half for _, half in kinds])
                    met = bool(around.met(halves) & far)
                    branches += [((size, skill, end, b), met) for b in _beyond(lists)]
            branches.sort()
            parts = [(_Part(branch, size), met) for branch, met in branches]
            self._any[size, number] = [part for part, _ in parts]
            self._met[size, number] = [part for part, met in parts if met]

    def _mixes(self, total: int, largest: int) -> Iterator[tuple[_Kind, ...]]:
        """Every multiset of kinds with `total` templates, ascending."""
        kinds = [
            (size, half)
            for size in range(1, largest + 1)
            for half in range(len(self._around.halves))
        ]
        return _multisets(kinds, 0, total)

    def _lists(
        self, kinds: Sequence[_Kind], outer: int, *, exempt: bool = False
    ) -> list[tuple[list[_Part], int]] | None:
        """By kind: the branches to choose from and how many to choose; None if the rule forbids it.

        `outer` is the bit of the half that leads to the rest of the tree. `exempt` waives the rule
        for a tree of a single template.
        """
        halves = outer | mask([half for _, half in kinds])
        if not self._around.allowed(halves, len(kinds) + bool(outer)):
            return None
        met = halves if exempt else self._around.met(halves)
        choices: list[tuple[list[_Part], int]] = []
        for kind in dict.fromkeys(kinds):
            parts = (self._any if met >> kind[1] & 1 else self._met)[kind]
            if not parts:
                return None
            choices.append((parts, kinds.count(kind)))
        return choices


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
