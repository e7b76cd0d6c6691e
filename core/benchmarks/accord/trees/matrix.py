"""The reduction matrix: which two templates that share a variable entail a third.

ACCORD (Roewer-Després et al., 2024), section 3.2. The 17 reductions of its six skills come from
the NAACL 2025 version, appendix C, in `reductions.csv` beside this file. The entailed template
joins the two outer variables; the shared one disappears. Each reduction is written once and
applies to the two templates in either order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path

from core.benchmarks.accord.trees.skills import End, Skills
from core.benchmarks.accord.trees.tree import Template
from core.files.csv_table import csv_rows
from core.text.errors import DataError
from core.text.escaping import quoted
from core.text.suggestions import suggestion

COLUMNS = ("relation1", "relation2", "case", "reduction_type", "reduction_order")
"""The header of a matrix file, as the authors' program reads it."""

_FILE = Path(__file__).with_name("reductions.csv")


class MatrixError(DataError):
    """Reductions that cannot be used."""


class Case(IntEnum):
    """How two templates share one variable."""

    NONE = 0
    CHAIN = 1
    """The first's target is the second's source."""
    TARGETS = 2
    SOURCES = 3
    BACK = 4
    """The first's source is the second's target."""

    @property
    def swapped(self) -> Case:
        """The case of the same two templates in the other order."""
        return {Case.CHAIN: Case.BACK, Case.BACK: Case.CHAIN}.get(self, self)

    @property
    def ends(self) -> tuple[End, End]:
        """The ends of the first and the second that stand at the shared variable.

        Raises `KeyError` for `NONE`.
        """
        return _ENDS[self]


_ENDS = {
    Case.CHAIN: (End.TARGET, End.SOURCE),
    Case.TARGETS: (End.TARGET, End.TARGET),
    Case.SOURCES: (End.SOURCE, End.SOURCE),
    Case.BACK: (End.SOURCE, End.TARGET),
}
_CASES = {ends: case for case, ends in _ENDS.items()}


class Order(StrEnum):
    """The direction of a reduction's result."""

    MAINTAIN = "MAINTAIN"
    """From the first's outer variable to the second's."""
    REVERSE = "REVERSE"

    @property
    def other(self) -> Order:
        """The other way."""
        return Order.REVERSE if self is Order.MAINTAIN else Order.MAINTAIN


@dataclass(frozen=True, slots=True, order=True)
class Reduction:
    """An entry of the matrix."""

    first: str
    second: str
    case: Case
    skill: str
    """The skill of the result."""
    order: Order

    @property
    def mirrored(self) -> Reduction:
        """The same entry with its two templates in the other order."""
        return Reduction(self.second, self.first, self.case.swapped, self.skill, self.order.other)

    def __str__(self) -> str:
        """The entry as a rule, such as "spatial(x, y) & part_of(y, z) => spatial(x, z)"."""
        first, second = (
            f"{skill}({outer}, y)" if end is End.TARGET else f"{skill}(y, {outer})"
            for skill, outer, end in zip(
                (self.first, self.second), "xz", self.case.ends, strict=True
            )
        )
        result = "x, z" if self.order is Order.MAINTAIN else "z, x"
        return f"{first} & {second} => {self.skill}({result})"


@dataclass(frozen=True, slots=True)
class Reduced:
    """The template that two templates entail, and the entry that says so."""

    template: Template
    entry: Reduction


@dataclass(frozen=True, slots=True, order=True)
class Growth:
    """A kind of template that a pairing template absorbs at its answer variable."""

    skill: str
    end: End
    """The end that stands at the answer variable."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two skills and their reductions, out of the ways to share a variable (4, or 3 if equal)."""

    first: str
    second: str
    reductions: tuple[Reduction, ...]
    ways: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """The reductions over some skills."""

    skills: Skills
    entries: tuple[Reduction, ...]
    """As written, each once."""
    _by_key: Mapping[tuple[str, str, Case], Reduction] = field(repr=False, compare=False)

    @staticmethod
    def of(skills: Skills, entries: Iterable[Reduction]) -> Matrix:
        """The matrix of some reductions; raises `MatrixError` as `read` does, without a line."""
        return _checked(skills, ((entry, "") for entry in entries))

    @staticmethod
    def shipped(skills: Skills | None = None) -> Matrix:
        """The 17 reductions of the paper, over its six skills or others that hold these."""
        return _shipped() if skills is None else Matrix.read(_FILE, skills)

    @staticmethod
    def read(path: Path, skills: Skills) -> Matrix:
        """The reductions of a CSV file with the header `COLUMNS`.

        Raises:
            MatrixError: with file and line, for a file that cannot be read, a skill that is
                unknown, a case that is not 1 to 4, a result that is not a skill (the matrix would
                not be closed), an order that is neither MAINTAIN nor REVERSE, a duplicate entry,
                or an entry that contradicts the one with its two templates swapped.
        """
        return _checked(skills, _rows(path))

    def reduce(self, first: Template, second: Template) -> Reduced | None:
        """The template that two templates entail; None if none."""
        case = case_of(first, second)
        entry = self._by_key.get((first.skill, second.skill, case))
        if entry is None:
            return None
        ends = case.ends
        outer, far = first.at(ends[0].other), second.at(ends[1].other)
        if entry.order is Order.REVERSE:
            outer, far = far, outer
        return Reduced(Template(outer, entry.skill, far), entry)

    def entry(self, first: str, second: str, case: Case) -> Reduction | None:
        """The entry for two skills, in either order."""
        return self._by_key.get((first, second, case))

    def absorbed(self, skill: str, end: End) -> tuple[Growth, ...]:
        """The templates that a pairing template of a skill absorbs, its pairing variable at `end`.

        A conclusion keeps the skill and the position of the pairing variable, so the same
        templates are absorbed at every hop. Raises `SkillError`.
        """
        self.skills.named(skill)
        answer_end = end.other
        kept = Order.MAINTAIN if end is End.SOURCE else Order.REVERSE
        growths = []
        for second in self.skills:
            for at in End:
                entry = self.entry(skill, second, _CASES[answer_end, at])
                if entry is not None and entry.skill == skill and entry.order is kept:
                    growths.append(Growth(second, at))
        return tuple(growths)

    def pairs(self) -> tuple[Pair, ...]:
        """Every pair of skills with its reductions, in the order of the skills."""
        pairs = []
        for first, second in combinations_with_replacement(self.skills, 2):
            ways = [case for case in _ENDS if first != second or case is not Case.BACK]
            entries = (self.entry(first, second, case) for case in ways)
            allowed = tuple(entry for entry in entries if entry is not None)
            pairs.append(Pair(first, second, allowed, len(ways)))
        return tuple(pairs)

    def __hash__(self) -> int:
        return hash(self.entries)


def case_of(first: Template, second: Template) -> Case:
    """How two templates share one variable; `NONE` also where they share both."""
    shared = {first.source, first.target} & {second.source, second.target}
    if len(shared) != 1:
        return Case.NONE
    (variable,) = shared
    return _CASES[first.end_of(variable), second.end_of(variable)]


@cache
def _shipped() -> Matrix:
    return Matrix.read(_FILE, Skills.shipped())


def _checked(skills: Skills, entries: Iterable[tuple[Reduction, str]]) -> Matrix:
    written: list[Reduction] = []
    origins: dict[tuple[str, str, Case], str] = {}
    by_key: dict[tuple[str, str, Case], Reduction] = {}
    for entry, where in entries:
        for name in (entry.first, entry.second):
            skills.named(name, where=where)
        if entry.skill not in skills:
            raise MatrixError(
                f"The result {quoted(entry.skill)} is no skill: the matrix is not closed.",
                where=where,
                hint=suggestion("Skills", skills, entry.skill),
            )
        if entry.case is Case.NONE:
            raise MatrixError("Case 0 shares no variable, so nothing is reduced.", where=where)
        key, mirrored = _key(entry), entry.mirrored
        if key in origins:
            raise MatrixError(
                f"{entry.first} and {entry.second} have case {entry.case} twice.",
                where=where,
                hint=f"The other is at {origins[key]}: keep one of the two.",
            )
        if by_key.get(key, entry) != entry or (_key(mirrored) == key and mirrored != entry):
            raise MatrixError(
                f"{entry} says otherwise than the same two templates the other way round.",
                where=where,
                hint=f"Swapping them must give the same result, as in {_row(entry)} and "
                f"{_row(mirrored)}."
                if _key(mirrored) != key
                else "Two templates that are alike up to their outer variables have no order.",
            )
        written.append(entry)
        origins[key] = where
        by_key[key] = entry
        by_key[_key(mirrored)] = mirrored
    if not written:
        raise MatrixError("The matrix holds no reduction.", hint=_expected())
    return Matrix(skills, tuple(written), by_key)


def _key(entry: Reduction) -> tuple[str, str, Case]:
    return entry.first, entry.second, entry.case


def _row(entry: Reduction) -> str:
    parts = (entry.first, entry.second, str(int(entry.case)), entry.skill, entry.order.value)
    return ",".join(parts)


def _rows(path: Path) -> Iterator[tuple[Reduction, str]]:
    try:
        rows = csv_rows(path, COLUMNS, COLUMNS)
    except DataError as error:
        hint = error.hint or _expected()
        raise MatrixError(error.what, where=error.where, hint=hint) from error
    for where, row in rows:
        yield _entry(row, where), where


def _entry(row: Mapping[str, str], where: str) -> Reduction:
    first, second, case, skill, order = (row[column] for column in COLUMNS)
    if case not in {str(int(known)) for known in _ENDS}:
        raise MatrixError(
            f"{quoted(case)} is not a case.",
            where=where,
            hint="1 target-source, 2 target-target, 3 source-source, 4 source-target.",
        )
    if order not in set(Order):
        hint = suggestion("Orders", Order, order)
        raise MatrixError(f"{quoted(order)} is not an order.", where=where, hint=hint)
    return Reduction(first, second, Case(int(case)), skill, Order(order))


def _expected() -> str:
    return f"Expected is CSV with the header {','.join(COLUMNS)}."
