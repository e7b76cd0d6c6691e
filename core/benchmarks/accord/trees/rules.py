"""Which trees count, and what that asks of the templates around one variable.

The papers leave three readings. `FREE`: any labels, as the authors' first program has it. `COVER`:
every template reduces with an adjacent one. `GROW` (NAACL 2025, appendix B.3): a tree grows by
templates that reduce with an adjacent one already there. Both of the latter are conditions on
single variables: two templates are adjacent at one variable only, so a tree grows exactly if the
templates at each variable hang together by reductions.
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
    """A template as one of its variables sees it: the skill, and the end that stands here."""

    skill: str
    end: End

    @property
    def across(self) -> Half:
        """The same template as its other variable sees it."""
        return Half(self.skill, self.end.other)


@dataclass(frozen=True, slots=True)
class Around:
    """What a rule asks of the halves around a variable.

    A half is a number: its position in `halves`. A set of halves is a bit mask.
    """

    rule: Rule
    halves: tuple[Half, ...]
    """Ascending, as the branches of a canonical tree."""
    near: tuple[int, ...]
    """By half: the halves that it reduces with. No half reduces with one like it."""
    number: dict[Half, int] = field(repr=False)

    @staticmethod
    def of(matrix: Matrix, rule: Rule) -> Around:
        """The conditions of a rule under a matrix."""
        halves = tuple(sorted(Half(skill, end) for skill in matrix.skills for end in End))
        near = tuple(
            sum(1 << j for j, two in enumerate(halves) if _reduce(matrix, one, two))
            for one in halves
        )
        return Around(rule, halves, near, {half: i for i, half in enumerate(halves)})

    def across(self, half: int) -> int:
        """The number of the same template's other half."""
        return self.number[self.halves[half].across]

    def met(self, here: int) -> int:
        """Those of a set that need nothing more: under `COVER` those that reduce within it."""
        if self.rule is not Rule.COVER:
            return here
        return sum(1 << half for half in members(here) if self.near[half] & here)

    def allowed(self, here: int, count: int) -> bool:
        """Whether `count` templates with these halves may stand around one variable."""
        if self.rule is not Rule.GROW:
            return True
        if here & (here - 1) == 0:
            return count <= 1
        reached, fresh = 0, here & -here
        while fresh:
            reached |= fresh
            fresh = self._near_any(fresh) & here & ~reached
        return reached == here

    def _near_any(self, halves: int) -> int:
        found = 0
        for half in members(halves):
            found |= self.near[half]
        return found


def members(halves: int) -> Iterator[int]:
    """The numbers of a bit mask, ascending."""
    while halves:
        lowest = halves & -halves
        yield lowest.bit_length() - 1
        halves ^= lowest


def mask(halves: Sequence[int]) -> int:
    """The bit mask of some numbers."""
    found = 0
    for half in halves:
        found |= 1 << half
    return found


def _reduce(matrix: Matrix, one: Half, two: Half) -> bool:
    case = next(case for case in Case if case and case.ends == (one.end, two.end))
    return matrix.entry(one.skill, two.skill, case) is not None
