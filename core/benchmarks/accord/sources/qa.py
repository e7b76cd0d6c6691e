"""Multiple-choice questions, independent of the data set they come from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.benchmarks.accord.sources.pairings import PairingTemplate, folded
from core.text.errors import DataError
from core.text.escaping import quoted

_LEAST_CHOICES = 2


class QuestionError(DataError):
    """A question that cannot be used."""


@dataclass(frozen=True, slots=True)
class QuestionItem:
    """A question with its answer choices. Raises `QuestionError` if it is invalid.

    No two choices may read the same (ignoring case, blanks and underscores), because statements
    could not distinguish them.
    """

    id: str
    question: str
    choices: tuple[tuple[str, str], ...]
    """Label and text of each, in display order."""
    answer: str
    """The label of the choice that is right in the real world."""
    concept: str = ""
    """The concept the question was written about; empty if the data set names none."""
    pairings: tuple[PairingTemplate, ...] = ()
    language: str = "en"
    origin: str = field(default="", compare=False)
    """Its position in the source, as `file:line`."""

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise QuestionError("A question has no id.", hint="Give each question one of its own.")
        if not self.question.strip():
            raise QuestionError("A question has no text.")
        if len(self.choices) < _LEAST_CHOICES:
            raise QuestionError("A question needs at least two choices.")
        labels = [label for label, _ in self.choices]
        if not all(label.strip() for label in labels):
            raise QuestionError("A choice has no label.")
        if not all(text.strip() for _, text in self.choices):
            raise QuestionError("A choice has no text.")
        if repeated := _repeated(labels):
            raise QuestionError(f"Two choices have the label {quoted(repeated)}.")
        if repeated := _repeated(folded(text) for _, text in self.choices):
            raise QuestionError(
                f"Two choices read {quoted(repeated)}.",
                hint="No statement can imply one of them and contradict the other.",
            )
        if self.answer not in labels:
            raise QuestionError(
                f"The answer {quoted(self.answer)} is none of the choices.",
                hint=f"Choices: {', '.join(map(quoted, labels))}.",
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the choices, in order."""
        return tuple(label for label, _ in self.choices)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the choices, in order."""
        return tuple(text for _, text in self.choices)

    @property
    def digest(self) -> str:
        """Hash of question and choices, as 16 hexadecimal digits; id and pairings do not matter."""
        content = hashlib.sha256()
        for text in (self.question, *(part for choice in self.choices for part in choice)):
            raw = text.encode("utf-8", "surrogatepass")
            content.update(len(raw).to_bytes(8, "big") + raw)
        return content.hexdigest()[:16]

    def text(self, label: str) -> str:
        """The text of a choice; raises `KeyError` for an unknown label."""
        return dict(self.choices)[label]


def _repeated(values: Iterable[str]) -> str:
    """The first repeated value; empty if there is none."""
    seen: set[str] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return ""
