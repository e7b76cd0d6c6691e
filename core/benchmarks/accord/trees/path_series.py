"""Counts the paths in all unique trees by generating functions.

Rooted trees by number of variables are R = x M(R), where M counts multisets of branches and an
edge to a child has two labels per skill. Sums over the branches of all trees follow from Pólya's
theorem by differentiation. Unrooted trees are the rooted ones minus those rooted at a template,
since no template is symmetric (Otter, 1948).
"""

from __future__ import annotations

from typing import NamedTuple

from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.series import Series, multisets, plus, shifted, spread, times
from core.benchmarks.accord.trees.skills import End


def rooted_trees(labels: int, most: int) -> Series:
    """Number of rooted trees by variables, up to `most`; an edge to a child has one of `labels`."""
    counts = [0] * (most + 1)
    counts[1] = 1
    for n in range(2, most + 1):
        # Coefficient n depends only on branches with fewer variables.
        counts[n] = multisets([labels * number for number in counts[:n]])[n - 1]
    return counts


def free_trees(rooted: Series, skills: int) -> Series:
    """Number of unrooted trees by variables, from the rooted ones."""
    return plus(rooted, times(rooted, rooted), -skills)


class Shape(NamedTuple):
    """The three numbers that determine how many paths a pairing has."""

    labels: int
    """Labels of an edge to a child: two per skill."""
    absorbed: int
    """Labels that are absorbed at an answer variable."""
    both: int
    """Absorbed labels whose reverse is absorbed too."""

    @staticmethod
    def of(matrix: Matrix, skill: str, end: End) -> Shape:
        """The shape of a pairing with this skill and pairing end; raises `SkillError`."""
        absorbed = {(growth.skill, growth.end) for growth in matrix.absorbed(skill, end)}
        both = sum((name, at.other) in absorbed for name, at in absorbed)
        return Shape(2 * len(matrix.skills), len(absorbed), both)


class PathSeries:
    """Number of paths of one pairing in all unique trees, by hops and by variables of the tree.

    Every path has a highest variable, the one nearest to the root. Over all rooted trees,
    `_down[i]` counts the paths of i absorbed templates down from the root, and `_up[j]` the paths
    of j templates that begin below with the pairing template and end at the root. `_product`
    counts pairs of both.
    """

    def __init__(self, shape: Shape, rooted: Series) -> None:
        self._labels, self._absorbed, self._both = shape
        self._rooted = rooted
        self._most = len(rooted) - 2
        self._forests = multisets([self._labels * number for number in rooted])
        self._down = [rooted]
        self._up = [[0] * len(rooted)]
        for i in range(1, self._most + 1):
            self._down.append(self._summed(self._down[i - 1], self._absorbed))
            if i == 1:
                self._up.append(self._summed(rooted, 1))
            else:
                self._up.append(self._summed(self._up[i - 1], self._absorbed))
        self._products: dict[tuple[int, int], Series] = {}

    def series(self) -> dict[int, Series]:
        """The number of paths by hops; each a series by number of variables."""
        return {hops: self._unrooted(hops) for hops in range(1, self._most + 1)}

    def _unrooted(self, hops: int) -> Series:
        """Paths in trees rooted at a variable, minus those in trees rooted at a template."""
        ends_at_root = plus(self._summed(self._down[hops - 1], 1), self._up[hops])
        at_root = ends_at_root
        for up in range(1, hops):
            at_root = plus(at_root, self._through_root(up, hops - up))
        inside = self._nested(at_root)
        crossing = times(self._rooted, self._down[hops - 1])
        for up in range(1, hops):
            parts = times(self._up[up], self._down[hops - 1 - up])
            crossing = plus(crossing, parts, self._absorbed)
        rooted_at_template = plus(crossing, times(self._rooted, inside), self._labels)
        return plus(inside, rooted_at_template, -1)

    def _nested(self, at_root: Series) -> Series:
        """Paths anywhere in a rooted tree, given those whose highest variable is the root."""
        counts, spreads = [0] * len(at_root), [0] * len(at_root)
        for n in range(1, len(at_root)):
            below = sum(self._forests[k] * spreads[n - 1 - k] for k in range(n))
            counts[n] = at_root[n] + below
            for multiple in range(n, len(at_root), n):
                spreads[multiple] += self._labels * counts[n]
        return counts

    def _summed(self, series: Series, labels: int) -> Series:
        """`series` summed over the branches of a root, for `labels` of the edge labels."""
        spreads = spread([labels * number for number in series])
        return shifted(times(self._forests, spreads))

    def _through_root(self, up: int, down: int) -> Series:
        """Paths of `up` templates up one branch and `down` templates down another one."""
        apart, same = self._two_branches(up, down)
        return shifted(
            times(self._forests, plus(apart, plus(spread(same, True), spread(same), -1)))
        )

    def _product(self, up: int, down: int) -> Series:
        """The number of upward paths times that of downward paths, summed over rooted trees."""
        if (up, down) not in self._products:
            apart, same = self._two_branches(up, down)
            both = plus(apart, spread(same, True))
            self._products[up, down] = shifted(times(self._forests, both))
        return self._products[up, down]

    def _two_branches(self, up: int, down: int) -> tuple[Series, Series]:
        """The product of both counts over different branches, and within one branch."""
        labels_up = 1 if up == 1 else self._absorbed
        below = self._rooted if up == 1 else self._up[up - 1]
        rising = spread([labels_up * number for number in below])
        falling = spread([self._absorbed * number for number in self._down[down - 1]])
        if up == 1 or not self._both:
            # Two equal halves do not reduce, so no pairing absorbs its own template reversed.
            return times(rising, falling), [0] * len(below)
        same = self._up[up - 1] if down == 1 else self._product(up - 1, down - 1)
        return times(rising, falling), [self._both * number for number in same]
