"""How many paths all unique trees hold together, by generating functions.

Rooted trees by variables are R = x M(R), M being all multisets of branches: an edge to a child has
two labels a skill. What a tree adds up over its branches is summed over all trees by Pólya's
theorem, differentiated. Trees without a root are the rooted ones minus those rooted at a template,
since no template is symmetric (Otter, 1948).
"""

from __future__ import annotations

from typing import NamedTuple

from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.series import Series, multisets, plus, shifted, spread, times
from core.benchmarks.accord.trees.skills import End


def rooted_trees(labels: int, most: int) -> Series:
    """Rooted trees by variables, up to `most`, with so many labels of an edge to a child."""
    found = [0] * (most + 1)
    found[1] = 1
    for n in range(2, most + 1):
        # The coefficient of n needs the branches of fewer variables only.
        found[n] = multisets([labels * number for number in found[:n]])[n - 1]
    return found


def free_trees(rooted: Series, skills: int) -> Series:
    """Trees without a root by variables, from the rooted ones."""
    return plus(rooted, times(rooted, rooted), -skills)


class Shape(NamedTuple):
    """All of a pairing that the number of its paths hangs on."""

    labels: int
    """Labels of an edge to a child: two a skill."""
    absorbed: int
    """Those that are absorbed at an answer variable."""
    both: int
    """Those of them that are absorbed from either end."""

    @staticmethod
    def of(matrix: Matrix, skill: str, end: End) -> Shape:
        """Of a pairing with this skill, its pairing variable at `end`; raises `SkillError`."""
        absorbed = {(growth.skill, growth.end) for growth in matrix.absorbed(skill, end)}
        both = sum((name, at.other) in absorbed for name, at in absorbed)
        return Shape(2 * len(matrix.skills), len(absorbed), both)


class PathSeries:
    """Paths of one pairing by hops, summed over all unique trees, by variables of the tree.

    A path has a highest variable as seen from the root. What counts paths is summed over rooted
    trees: `_down[i]`, those of i absorbed templates that lead down from the root; `_up[j]`, those
    of j templates that begin below with the pairing and end at the root; products of two such
    where both lie in one branch.
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
        """By hops: the number of paths."""
        return {hops: self._unrooted(hops) for hops in range(1, self._most + 1)}

    def _unrooted(self, hops: int) -> Series:
        """Over trees rooted at a variable, minus those rooted at a template."""
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
        found, spreads = [0] * len(at_root), [0] * len(at_root)
        for n in range(1, len(at_root)):
            below = sum(self._forests[k] * spreads[n - 1 - k] for k in range(n))
            found[n] = at_root[n] + below
            for multiple in range(n, len(at_root), n):
                spreads[multiple] += self._labels * found[n]
        return found

    def _summed(self, series: Series, labels: int) -> Series:
        """The sum over a root's branches of what `series` counts, for so many of the labels."""
        spreads = spread([labels * number for number in series])
        return shifted(times(self._forests, spreads))

    def _through_root(self, up: int, down: int) -> Series:
        """Paths up one branch and down another one, of `up` and `down` templates."""
        apart, same = self._two_branches(up, down)
        return shifted(
            times(self._forests, plus(apart, plus(spread(same, True), spread(same), -1)))
        )

    def _product(self, up: int, down: int) -> Series:
        """The sum over rooted trees of the number of paths up times the number of those down."""
        if (up, down) not in self._products:
            apart, same = self._two_branches(up, down)
            both = plus(apart, spread(same, True))
            self._products[up, down] = shifted(times(self._forests, both))
        return self._products[up, down]

    def _two_branches(self, up: int, down: int) -> tuple[Series, Series]:
        """The two counts spread over the branches, and their product within one branch."""
        labels_up = 1 if up == 1 else self._absorbed
        below = self._rooted if up == 1 else self._up[up - 1]
        rising = spread([labels_up * number for number in below])
        falling = spread([self._absorbed * number for number in self._down[down - 1]])
        if up == 1 or not self._both:
            # Two halves that are alike do not reduce, so no pairing absorbs its own from behind.
            return times(rising, falling), [0] * len(below)
        same = self._up[up - 1] if down == 1 else self._product(up - 1, down - 1)
        return times(rising, falling), [self._both * number for number in same]
