"""The model's answers so far, by question and family of items.

Items of a family and settings of an item may ask the same question; then they share its answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.contract.question import Question
from core.contract.rungs import Rung

_QuestionKey = tuple[str, str, tuple[str, ...], int | None, tuple[int, ...]]


class FamilyAnswers:
    """The rungs of questions that were asked one by one, answered or not."""

    def __init__(self) -> None:
        self._families: dict[str, str] = {}
        self._rungs: dict[str, dict[_QuestionKey, Rung]] = {}

    def add_item(self, item_id: str, family: str) -> None:
        """Say which family an item belongs to, before anything else is said of it."""
        self._families[item_id] = family

    def rung(self, item_id: str, question: Question) -> Rung | None:
        """The rung of a question about an item; None where it was not asked."""
        return self._rungs.get(self._families[item_id], {}).get(_key_of(question))

    def record(self, item_id: str, question: Question, rung: Rung) -> None:
        """Keep the rung of a question about an item."""
        rungs = self._rungs.setdefault(self._families[item_id], {})
        rungs[_key_of(question)] = rung

    def forget(self, item_id: str, questions: Iterable[Question]) -> None:
        """Drop the answers to questions about an item."""
        rungs = self._rungs.get(self._families[item_id], {})
        for question in questions:
            rungs.pop(_key_of(question), None)

    def clear(self) -> None:
        """Drop every answer."""
        self._rungs.clear()

    def __iter__(self) -> Iterator[Rung]:
        return (rung for rungs in self._rungs.values() for rung in rungs.values())


def _key_of(question: Question) -> _QuestionKey:
    """Cache key of equivalent questions: the answer to one is the answer to the other."""
    return question.layer, question.digest(), question.options, question.gold, question.golds
