"""Marks of items in the list: the result of asking an item, or of a run over the collection."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.question import Question, Verdict
from core.contract.rungs import Rung
from core.contract.setting import Setting
from core.contract.view import Role
from core.layout.ladder import (
    ASIDE,
    answered_ladder,
    at_fault,
    fault_summary,
    outcome,
    rung_numbers,
)
from core.runs.option_order import in_shown_order
from core.runs.records import replace_surrogates, verdict_key
from core.text.errors import SettingError

if TYPE_CHECKING:
    from core.runs.questions import QuestionSource


@dataclass(frozen=True, slots=True)
class Mark:
    """The result of asking an item, as its row shows it."""

    text: str
    role: Role


def mark_of(rungs: Sequence[Rung]) -> Mark | None:
    """The mark of a ladder; None while the result is open, or where gold answers are unknown."""
    failure = answered_ladder(rungs).first_failure
    if failure is not None:
        index = [rung.layer.id for rung in rungs].index(failure)
        return Mark(rung_numbers(rungs)[index], Role.BAD)
    if outcome(rungs)[1] is not Role.GOOD:
        return None
    return Mark(ASIDE if fault_summary(rungs) else "", Role.GOOD)


class RunAnswers:
    """The answers of a run so far, by item."""

    def __init__(self, benchmark: Benchmark, source: QuestionSource | None = None) -> None:
        """`source` has the questions of a run that may have a setting, order or wording."""
        self._benchmark = benchmark
        self._source = source
        self._aside = {layer.id for layer in benchmark.layers if layer.aside}
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        self.latest = ""
        """The recorded id of the item that was answered last."""
        self.failed_any = False
        """Whether any counted answer was wrong."""
        self.unread_any = False
        """Whether any written answer could not be read."""
        self.whole = False
        """Whether the run is complete."""
        self.partly_asked: Collection[str] = ()
        """The recorded ids of items of which even the complete run asked some layers only."""
        self.asked_as = ""
        """How the run was asked, in a few words; empty before that is known."""

    def add(self, verdict: Verdict) -> None:
        """Add an answer."""
        self._verdicts[verdict_key(verdict)] = verdict
        self.latest = replace_surrogates(verdict.item)
        self.unread_any |= verdict.unread
        self.failed_any |= verdict.right is False and verdict.layer not in self._aside

    def setting(self, item: Item) -> Setting:
        """The setting under which the run asked about an item; the default where it cannot."""
        with suppress(SettingError):
            return self._source.setting(item) if self._source is not None else Setting()
        return Setting()

    def question(self, item: Item, setting: Setting, question: Question) -> Question:
        """A question about an item under a setting as the run asks it: in its order and wording.

        Where the question fixes an order of its options, it is not changed.
        """
        source = self._source
        if source is None or not (source.order or source.wording):
            return question
        with suppress(SettingError):
            return source.asked(item, setting, question.layer) or question
        return question

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All answers so far."""
        return tuple(self._verdicts.values())

    def verdict(self, item_id: str, question: Question) -> Verdict | None:
        """The answer to a question about an item; None unless exactly that was asked."""
        verdict = self._verdicts.get((question.layer, replace_surrogates(item_id)))
        if verdict is None or verdict.digest != question.digest():
            return None
        verdict = in_shown_order(verdict, question)
        asked = (verdict.options, verdict.gold, verdict.golds)
        return verdict if asked == (question.options, question.gold, question.golds) else None

    def mark(self, item_id: str) -> Mark | None:
        """The mark of an item; None while its result is open, or gold answers are unknown."""
        number, known, caught = 0, [], False
        for layer in self._benchmark.layers:
            verdict = self._verdicts.get((layer.id, replace_surrogates(item_id)))
            caught |= verdict is not None and at_fault(layer, verdict)
            if layer.aside or (verdict is None and layer.optional):
                continue
            number += 1
            if verdict is None:
                continue
            if verdict.right is False:
                return Mark(str(number), Role.BAD)
            known.append(verdict.right)
        asked = self.whole and replace_surrogates(item_id) not in self.partly_asked
        held = asked and known and all(known)
        return Mark(ASIDE if caught else "", Role.GOOD) if held else None
