"""How many trees there are, and how many paths they hold.

Paths are counted in every unique tree, and alike ones of a tree each by itself, as the authors'
program meets them. Under `FREE` all numbers follow from generating functions, under the other
rules those of the trees come from a census and those of the paths from following each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from core.benchmarks.accord.trees.census import Census
from core.benchmarks.accord.trees.enumeration import trees
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import kinds
from core.benchmarks.accord.trees.path_series import PathSeries, Shape, free_trees, rooted_trees
from core.benchmarks.accord.trees.rules import Half, Rule
from core.benchmarks.accord.trees.series import Series
from core.benchmarks.accord.trees.skills import End
from core.text.errors import SettingError

MOST_TEMPLATES = 12
"""Largest trees that are counted."""
MOST_FOLLOWED = 6
"""Largest trees of `COVER` and `GROW` whose paths are counted: each tree is made."""


_Paths: TypeAlias = "dict[tuple[str, End], dict[int, dict[int, int]]]"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many trees and paths there are under a rule."""

    rule: Rule
    trees: Mapping[int, int]
    """By size."""
    paths: _Paths
    """By pairing (skill, where the pairing variable stands), by size, by hops. Hops that no path
    has are not there."""


def counts(matrix: Matrix, rule: Rule, most: int) -> Counts:
    """Trees of 1 to `most` templates and the paths in them.

    Under `COVER` and `GROW` the paths of trees above `MOST_FOLLOWED` are left out. Raises
    `SettingError` for a size that is below 1 or above `MOST_TEMPLATES`.
    """
    if not 1 <= most <= MOST_TEMPLATES:
        raise SettingError(
            f"Trees of {most} templates are not counted.",
            where="size",
            hint=f"Sizes are 1 to {MOST_TEMPLATES}.",
        )
    sizes = range(1, most + 1)
    if rule is Rule.FREE:
        rooted = rooted_trees(2 * len(matrix.skills), most + 1)
        free = free_trees(rooted, len(matrix.skills))
        return Counts(rule, {size: free[size + 1] for size in sizes}, _summed(matrix, rooted))
    census = Census(matrix, rule)
    numbers = {size: census.tree_count(size) for size in sizes}
    return Counts(rule, numbers, _followed(matrix, rule, min(most, MOST_FOLLOWED)))


def _summed(matrix: Matrix, rooted: Series) -> _Paths:
    """Paths of `FREE`, from the rooted trees by variables."""
    by_shape: dict[Shape, dict[int, Series]] = {}
    found = {}
    for kind in kinds(matrix):
        shape = Shape.of(matrix, *kind)
        if shape not in by_shape:
            by_shape[shape] = PathSeries(shape, rooted).series()
        by_hops = by_shape[shape].items()
        found[kind] = {
            variables - 1: {
                hops: column[variables] for hops, column in by_hops if column[variables]
            }
            for variables in range(2, len(rooted))
        }
    return found


def _followed(matrix: Matrix, rule: Rule, most: int) -> _Paths:
    """Paths of any rule, from making every tree."""
    found: _Paths = {kind: {} for kind in kinds(matrix)}
    followed = {
        kind: frozenset(Half(growth.skill, growth.end) for growth in matrix.absorbed(*kind))
        for kind in kinds(matrix)
    }
    halves = {(skill, end): Half(skill, end) for skill, end in kinds(matrix)}
    for size in range(1, most + 1):
        seen = {kind: [0] * (size + 1) for kind in halves}
        for tree in trees(size, matrix, rule):
            around: list[list[tuple[Half, int]]] = [[] for _ in tree.variables]
            for template in tree.templates:
                source, skill, target = template.source, template.skill, template.target
                around[source].append((halves[skill, End.SOURCE], target))
                around[target].append((halves[skill, End.TARGET], source))
            for pairing_variable, ends in enumerate(around):
                for half, answer in ends:
                    _follow(around, followed[half], answer, pairing_variable, 1, seen[half])
        for kind, numbers in seen.items():
            found[kind][size] = {hops: n for hops, n in enumerate(numbers) if n}
    return found


def _follow(
    around: list[list[tuple[Half, int]]],
    followed: frozenset[Half],
    here: int,
    came: int,
    hops: int,
    seen: list[int],
) -> None:
    """Count the paths that run to a variable and beyond it."""
    seen[hops] += 1
    for half, far in around[here]:
        if far != came and half in followed:
            _follow(around, followed, far, here, hops + 1, seen)
