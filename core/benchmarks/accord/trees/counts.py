"""Counts the unique trees, and the reasoning paths in them.

Paths are counted in every unique tree; symmetric paths of one tree count separately, as in the
authors' program. Under `FREE` all counts come from generating functions. Under the other rules,
trees are counted by a census, and paths by constructing every tree.
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
"""Largest trees of `COVER` and `GROW` whose paths are counted, because each is constructed."""


_Paths: TypeAlias = "dict[tuple[str, End], dict[int, dict[int, int]]]"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many trees and paths there are under a rule."""

    rule: Rule
    trees: Mapping[int, int]
    """By size."""
    paths: _Paths
    """By pairing (skill, end of the pairing variable), then size, then hops; zeros are left out."""


def counts(matrix: Matrix, rule: Rule, most: int) -> Counts:
    """Trees of 1 to `most` templates and the paths in them.

    Under `COVER` and `GROW`, paths are counted up to `MOST_FOLLOWED` templates only. Raises
    `SettingError` for a size below 1 or above `MOST_TEMPLATES`.
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
    """Paths under `FREE`, from the series of rooted trees by number of variables."""
    by_shape: dict[Shape, dict[int, Series]] = {}
    paths = {}
    for kind in kinds(matrix):
        shape = Shape.of(matrix, *kind)
        if shape not in by_shape:
            by_shape[shape] = PathSeries(shape, rooted).series()
        by_hops = by_shape[shape].items()
        paths[kind] = {
            variables - 1: {
                hops: column[variables] for hops, column in by_hops if column[variables]
            }
            for variables in range(2, len(rooted))
        }
    return paths


def _followed(matrix: Matrix, rule: Rule, most: int) -> _Paths:
    """Paths under any rule, by constructing every tree."""
    paths: _Paths = {kind: {} for kind in kinds(matrix)}
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
            paths[kind][size] = {hops: n for hops, n in enumerate(numbers) if n}
    return paths


def _follow(
    around: list[list[tuple[Half, int]]],
    followed: frozenset[Half],
    variable: int,
    previous: int,
    hops: int,
    seen: list[int],
) -> None:
    """Count the path that ends at a variable and all that continue from it, by hops in `seen`."""
    seen[hops] += 1
    for half, far in around[variable]:
        if far != previous and half in followed:
            _follow(around, followed, far, variable, hops + 1, seen)
