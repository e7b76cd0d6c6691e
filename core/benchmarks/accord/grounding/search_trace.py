"""Records of grounding: the candidates of each variable, and the constraints that removed them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from core.benchmarks.accord.grounding.constraints import Constraint, Tie
from core.text.escaping import escape_control_characters
from core.text.language import _

MOST_NAMED = 4
"""Most candidates of a variable that are recorded by name; all of them are counted."""
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Removal:
    """The number of candidates that one constraint removed."""

    constraint: Constraint
    tie: Tie | None
    count: int

    def __str__(self) -> str:
        beside = "" if self.tie is None else f" ({_relation_with_term(self.tie)})"
        return f"{self.count:,}: {_(self.constraint.value)}{beside}"


@dataclass(frozen=True, slots=True)
class Trace:
    """How a variable of one copy was grounded."""

    label: str
    """The answer choice of the copy."""
    variable: int
    term: str
    first_candidates: tuple[str, ...]
    """The first `MOST_NAMED` candidates of the last visit, in drawing order."""
    drawn: int
    """Number of candidates in that visit."""
    removals: tuple[Removal, ...]


@dataclass(frozen=True, slots=True)
class Unsatisfied:
    """A variable for which no candidate fulfilled all constraints."""

    label: str
    """The answer choice of the copy."""
    variable: int
    """Its name."""
    ties: tuple[Tie, ...]
    drawn: int
    """Number of candidates that were examined."""
    removals: tuple[Removal, ...]
    """The constraints that removed them, the most frequent first."""
    proved: bool
    """Whether no grounding exists; otherwise none was found within the budget."""

    @property
    def reason(self) -> str:
        """All of this in a sentence."""
        removed = "; ".join(str(removal) for removal in self.removals)
        end = "" if self.proved else " " + _("before the budget ended")
        copy = escape_control_characters(self.label, limit=_SHOWN)
        facts = [tie for tie in self.ties if tie.factual]
        if not self.drawn and facts:
            wanted = _(" and of ").join(map(_relation_with_term, facts))
            sentence = _(
                "V{variable} in copy {copy} has no term that makes a fact of {facts}{end}."
            )
            return sentence.format(variable=self.variable, copy=copy, facts=wanted, end=end)
        if not self.drawn and not removed:
            relations = ", ".join(tie.relation for tie in self.ties)
            sentence = _("V{variable} in copy {copy} has no candidate in {relations}{end}.")
            return sentence.format(variable=self.variable, copy=copy, relations=relations, end=end)
        return _(
            "V{variable} in copy {copy} cannot be grounded{end}: of {drawn:,} candidates, "
            "{removed}.",
            variable=self.variable,
            copy=copy,
            end=end,
            drawn=self.drawn,
            removed=removed,
        )


def _relation_with_term(tie: Tie) -> str:
    term = escape_control_characters(tie.partner, limit=_SHOWN)
    return _("{relation} with “{term}”", relation=tie.relation, term=term)


@dataclass(slots=True)
class VisitLog:
    """The candidates of one visit of a variable, and what removed them."""

    ties: tuple[Tie, ...]
    first_candidates: list[str] = field(default_factory=list)
    removed: Counter[tuple[Constraint, Tie | None]] = field(default_factory=Counter)
    drawn: int = 0
    kept: int = 0
    blame: set[int] = field(default_factory=set)
    """Earlier steps of the search whose redraw could free a candidate here."""

    def add(self, term: str, constraint: Constraint | None, tie: Tie | None) -> None:
        """Record a candidate and the constraint that removed it, if any."""
        self.drawn += 1
        if constraint is None:
            self.kept += 1
        else:
            self.removed[constraint, tie] += 1
        if len(self.first_candidates) < MOST_NAMED:
            self.first_candidates.append(term)

    @property
    def removals(self) -> tuple[Removal, ...]:
        """The number of candidates removed by each constraint, the most frequent first."""
        return tuple(
            Removal(constraint, tie, count)
            for (constraint, tie), count in self.removed.most_common()
        )
