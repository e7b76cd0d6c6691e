"""Which trees count, and the condition this puts on the templates around one variable.

The papers allow three readings. `FREE`: any labels, as in the authors' first program. `COVER`:
every template reduces with an adjacent one. `GROW` (NAACL 2025, appendix B.3): a tree grows by
templates that reduce with an adjacent one that is already in it. The last two are conditions on
single variables: two templates are adjacent at one variable only, so a tree can be grown exactly
if the templates at each variable are connected by reductions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from core.benchmarks.accord.trees.matrix import Case, Matrix
from core.benchmarks.accord.trees.skills import End
from core.text.errors import SettingError
from core.text.escaping import quoted
from core.text.suggestions import suggestion


class Rule(StrEnum):
    """Which trees count."""

    FREE = "free"
    COVER = "cover"
    GROW = "grow"

    @staticmethod
    def named(name: str) -> Rule:
        """The rule called `name`; raises `SettingError`."""
        if name not in set(Rule):
            hint = suggestion("Choose from", Rule, name)
            raise SettingError(f"{quoted(name)} is not a rule.", where="rule", hint=hint)
        return Rule(name)


class Half(NamedTuple):
    """A template as seen from one of its variables: the skill, and the end at this variable."""

    skill: str
    end: End

    @property
    def across(self) -> Half:
        """The same template as seen from its other variable."""
        return Half(self.skill, self.end.other)


@dataclass(frozen=True, slots=True)
class Around:
    """The condition of a rule on the halves around a variable.

    A half is represented by its index in `halves`, a set of halves by a bit mask.
    """

    rule: Rule
    halves: tuple[Half, ...]
    """Ascending, in the order of branches in a canonical tree."""
    near: tuple[int, ...]
    """By half: the halves that it reduces with. No half reduces with itself."""
    number: dict[Half, int] = field(repr=False)

    @staticmethod
    def of(matrix: Matrix, rule: Rule) -> Around:
        """The conditions of a rule under a matrix."""
        halves = tuple(sorted(Half(skill, end) for skill in matrix.skills for end in End))
        near = tuple(
            sum(1 << j for j, second in enumerate(halves) if _reduce(matrix, first, second))
            for first in halves
        )
        return Around(rule, halves, near, {half: i for i, half in enumerate(halves)})

    def across(self, half: int) -> int:
        """The number of the same template's other half."""
        return self.number[self.halves[half].across]

    def met(self, halves: int) -> int:
        """The halves of a set that satisfy the rule: under `COVER`, those that reduce within it."""
        if self.rule is not Rule.COVER:
            return halves
        return sum(1 << half for half in members(halves) if self.near[half] & halves)

    def allowed(self, halves: int, count: int) -> bool:
        """Whether `count` templates with these halves may share one variable."""
        if self.rule is not Rule.GROW:
            return True
        if halves & (halves - 1) == 0:
            return count <= 1
        reached, fresh = 0, halves & -halves
        while fresh:
            reached |= fresh
            fresh = self._near_any(fresh) & halves & ~reached
        return reached == halves

    def _near_any(self, halves: int) -> int:
        neighbours = 0
        for half in members(halves):
            neighbours |= self.near[half]
        return neighbours


def members(halves: int) -> Iterator[int]:
    """The numbers of a bit mask, ascending."""
    while halves:
        lowest = halves & -halves
        yield lowest.bit_length() - 1
        halves ^= lowest


def mask(halves: Sequence[int]) -> int:
    """The bit mask of some numbers."""
    bits = 0
    for half in halves:
        bits |= 1 << half
    return bits


def _reduce(matrix: Matrix, first: Half, second: Half) -> bool:
    case = next(case for case in Case if case and case.ends == (first.end, second.end))
    return matrix.entry(first.skill, second.skill, case) is not None
