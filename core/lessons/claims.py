"""What a lesson may claim: what a claim is, and those about the answers of a model.

A step's checks are claims that must hold for what it says to be true; an option of a prediction
has one that makes it come true. Those about the item alone are in `core.lessons.facts`, how they
are written in `core.lessons.vocabulary`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from core.contract.question import Question, Verdict, shares
from core.lessons.evidence import Evidence
from core.text.errors import NotFoundError
from core.text.suggestions import suggestion

NOWHERE = "nowhere"
ANYWHERE = "anywhere"
GOLD = "gold"
"""Names the right option, so that a claim does not depend on the item."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of checking a claim."""

    holds: bool
    found: str
    """What is the case, in a sentence."""


class Claim(Protocol):
    """A statement that is true or false of the evidence."""

    @property
    def asks_model(self) -> bool:
        """Whether a model is needed to check it."""
        ...

    @property
    def line(self) -> int:
        """Its line in the lesson file."""
        ...

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        ...

    def check(self, evidence: Evidence) -> None:
        """Raise `NotFoundError` or `SettingError` if it names something that does not exist."""
        ...

    async def find(self, evidence: Evidence) -> Finding:
        """Whether it holds; raises `ModelError` where the model cannot answer."""
        ...


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, both included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        """As it would be written."""
        ends = []
        if math.isfinite(self.low):
            ends.append(f"at least {self.low:g}")
        if math.isfinite(self.high):
            ends.append(f"at most {self.high:g}")
        return ", ".join(ends)


@dataclass(frozen=True, slots=True)
class IsRight:
    """A layer is answered right, or wrong."""

    asks_model: ClassVar[bool] = True
    layer: str
    right: bool
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        return f"{'right' if self.right else 'wrong'}: {self.layer}"

    def check(self, evidence: Evidence) -> None:
        """The layer must ask something whose right answer is known."""
        question = evidence.question(self.layer)
        if not question.right_options:
            raise NotFoundError(f"Nobody knows the right answer of layer {self.layer} here.")

    async def find(self, evidence: Evidence) -> Finding:
        """Whether it is answered so."""
        verdict = await evidence.verdict(self.layer)
        return Finding(verdict.right is self.right, describe_verdict(verdict))


@dataclass(frozen=True, slots=True)
class FirstFailure:
    """The first layer that is answered wrong: a certain one, any, or none."""

    asks_model: ClassVar[bool] = True
    layer: str
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        return f"first failure: {self.layer}"

    def check(self, evidence: Evidence) -> None:
        """The layer must ask something."""
        if self.layer not in {NOWHERE, ANYWHERE}:
            evidence.question(self.layer)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether the ladder fails first there."""
        failed = await evidence.first_failure()
        wanted = failed is not None if self.layer == ANYWHERE else failed == self._wanted
        return Finding(wanted, f"The first failure is {failed or NOWHERE}.")

    @property
    def _wanted(self) -> str | None:
        return None if self.layer == NOWHERE else self.layer


@dataclass(frozen=True, slots=True)
class Answers:
    """A layer is answered with a certain option."""

    asks_model: ClassVar[bool] = True
    layer: str
    option: str
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        return f"answer: {{layer: {self.layer}, is: {self.option}}}"

    def check(self, evidence: Evidence) -> None:
        """The layer must have the option."""
        option_index(evidence.question(self.layer), self.option)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether that is the answer."""
        verdict = await evidence.verdict(self.layer)
        wanted = option_index(evidence.question(self.layer), self.option)
        return Finding(wanted in verdict.picked_options, describe_verdict(verdict))


@dataclass(frozen=True, slots=True)
class HasShare:
    """An option's probability against the others is within a range."""

    asks_model: ClassVar[bool] = True
    layer: str
    option: str
    within: Range
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        return f"share: {{layer: {self.layer}, of: {self.option}, {self.within}}}"

    def check(self, evidence: Evidence) -> None:
        """The layer must have the option."""
        option_index(evidence.question(self.layer), self.option)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether its share is within the range."""
        verdict = await evidence.verdict(self.layer)
        found = shares(verdict.scores)
        if not found:
            return Finding(False, "The model gives no likelihoods.")
        share = found[option_index(evidence.question(self.layer), self.option)]
        return Finding(share in self.within, f"Its share is {share:.3f}.")


@dataclass(frozen=True, slots=True)
class Moves:
    """A layer is answered as under other values of switches, or otherwise."""

    asks_model: ClassVar[bool] = True
    layer: str
    values: Mapping[str, str]
    same: bool
    line: int

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        values = ", ".join(f"{key}: {value}" for key, value in self.values.items())
        kind = "same answer" if self.same else "other answer"
        return f"{kind}: {{layer: {self.layer}, with: {{{values}}}}}"

    def check(self, evidence: Evidence) -> None:
        """The layer must ask something in both, with the same options."""
        here = evidence.question(self.layer)
        there = evidence.other(self.layer, self.values)
        if here.options != there.options:
            raise NotFoundError(f"Layer {self.layer} has other options with these values.")

    async def find(self, evidence: Evidence) -> Finding:
        """Whether the two answers are the same option."""
        one = await evidence.verdict(self.layer)
        other = await evidence.verdict(self.layer, self.values)
        same = (one.answer, one.answers) == (other.answer, other.answers)
        return Finding(same is self.same, f"{_picked(one)} here, {_picked(other)} there.")


# -- several claims together --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Together:
    """All of several claims hold, or none does."""

    claims: tuple[Claim, ...]
    hold: bool
    line: int

    @property
    def asks_model(self) -> bool:
        """Whether any of them takes a model."""
        return any(claim.asks_model for claim in self.claims)

    @property
    def text(self) -> str:
        """The claim, as it would be written."""
        kind = "all" if self.hold else "none"
        return f"{kind}: [{', '.join(f'{{{claim.text}}}' for claim in self.claims)}]"

    def check(self, evidence: Evidence) -> None:
        """What each of them needs must be there."""
        for claim in self.claims:
            claim.check(evidence)

    async def find(self, evidence: Evidence) -> Finding:
        """Whether it is so of each of them."""
        for claim in self.claims:
            finding = await claim.find(evidence)
            if finding.holds is not self.hold:
                return Finding(False, finding.found)
        return Finding(True, f"{'All' if self.hold else 'None'} of {len(self.claims)} hold.")


def option_index(question: Question, option: str) -> int:
    """The index of an option, by its text or as the right one; raises `NotFoundError`."""
    if option in question.options:
        return question.options.index(option)
    if option == GOLD and question.right_options:
        return question.right_options[0]
    raise NotFoundError(
        f"Layer {question.layer} has no option “{option}”.",
        hint=suggestion("Options", question.options, option),
    )


def describe_verdict(verdict: Verdict) -> str:
    """A verdict in a sentence."""
    right = [verdict.options[index] for index in verdict.right_options]
    if verdict.right:
        return f"It answers {_picked(verdict)}, which is right."
    if verdict.right is None:
        return f"It answers {_picked(verdict)}."
    return f"It answers {_picked(verdict)}; right is {quoted(right)}."


def _picked(verdict: Verdict) -> str:
    return quoted([verdict.options[index] for index in verdict.picked_options])


def quoted(names: Sequence[str]) -> str:
    """Names in quotation marks; “nothing” where there are none."""
    return " and ".join(f"“{name}”" for name in names) or "nothing"
