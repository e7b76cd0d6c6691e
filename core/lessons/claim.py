"""A claim of a lesson, and the words in which claims speak of options and answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from core.contract.question import Question, Verdict
from core.lessons.evidence import Evidence
from core.text.errors import NotFoundError
from core.text.escaping import quoted
from core.text.suggestions import suggestion

GOLD = "gold"
"""Names the right option, so that a claim does not depend on the item."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of checking a claim."""

    holds: bool
    found: str
    """What is the case, in a sentence."""
    applies: bool = True
    """Whether the item meets the conditions under which the claim may be made at all."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that is true or false of the evidence."""

    line: int
    """Its line in the lesson file."""
    text: str
    """The claim as YAML."""
    validate: Callable[[Evidence], object]
    """Raises `NotFoundError` or `SettingError` if the claim names something that does not exist."""
    judge: Callable[[Evidence], Awaitable[Finding]]
    """Whether it holds; raises `ModelError` where the model cannot answer."""
    asks_model: bool = True
    """Whether a model is needed to check it."""
    layers: tuple[str, ...] = ()
    """The task layers that it is about; empty for all that ask something."""
    counted: tuple[Asked, ...] = ()
    """What it counts over the whole collection; empty for a claim about one item."""
    contrast: Mapping[str, str] | None = None
    """The switches that differ in the contrast prompt, none for the one that fits best; None for a
    claim that is not about a trace."""

    @property
    def of_all(self) -> bool:
        """Whether it is about the whole collection and not about one item."""
        return bool(self.counted)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is counted: a claim, the items that it is made of, and their setting."""

    claim: Claim
    of: tuple[Claim, ...] = ()
    """Facts of an item. Of items for which one does not hold, nothing is counted; one that names
    what an item does not have says nothing about it."""
    values: tuple[tuple[str, str], ...] = ()
    """Values of switches; all others have their defaults."""

    @property
    def text(self) -> str:
        """What is counted, as YAML."""
        parts = [f"when: {{{self.claim.text}}}"]
        if self.of:
            parts.append(f"of: [{', '.join(f'{{{fact.text}}}' for fact in self.of)}]")
        if self.values:
            parts.append(f"set: {{{', '.join(f'{key}: {value}' for key, value in self.values)}}}")
        return ", ".join(parts)


def option_index(question: Question, option: str) -> int:
    """The index of an option, by its text, by what its letter stands for, or as the right one.

    Raises `NotFoundError`.
    """
    for texts in (question.options, question.meanings):
        if option in texts:
            return texts.index(option)
    if option == GOLD and question.right_options:
        return question.right_options[0]
    raise NotFoundError(
        f"Layer {question.layer} has no option {quoted(option)}.",
        hint=suggestion("Options", question.options, option),
    )


def describe_verdict(verdict: Verdict) -> str:
    """A verdict in a sentence."""
    if verdict.right:
        return f"It answers {quoted_answer(verdict)}, which is right."
    if verdict.right is None:
        return f"It answers {quoted_answer(verdict)}."
    right = quoted_options(verdict.options, verdict.right_options)
    return f"It answers {quoted_answer(verdict)}; right is {right}."


def quoted_answer(verdict: Verdict) -> str:
    """The options that were answered, in quotation marks."""
    return quoted_options(verdict.options, verdict.picked_options)


def quoted_options(options: Sequence[str], indices: Sequence[int]) -> str:
    """Options in quotation marks; “nothing” where there are none."""
    return " and ".join(f"“{options[index]}”" for index in indices) or "nothing"
