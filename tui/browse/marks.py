"""What asking an item came to, as its row in the list shows it; and what a whole run came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.contract.benchmark import Benchmark
from core.contract.question import Question, Verdict
from core.contract.rungs import RungState
from core.contract.view import Role
from core.layout.ladder import ASIDE, at_fault, caught, climbed, numbers, outcome
from core.runs.records import replace_surrogates, verdict_key


@dataclass(frozen=True, slots=True)
class Mark:
    """What asking an item came to, in a word for its row."""

    text: str
    role: Role


def mark_of(rungs: Sequence[RungState]) -> Mark | None:
    """What the answers on a ladder come to; None where that is still open, or nobody knows."""
    failure = climbed(rungs).first_failure
    if failure is not None:
        place = [rung.layer.id for rung in rungs].index(failure)
        return Mark(numbers(rungs)[place], Role.BAD)
    if outcome(rungs)[1] is not Role.GOOD:
        return None
    return Mark(ASIDE if caught(rungs) else "", Role.GOOD)


class RunAnswers:
    """What a run has answered so far about the items of a collection."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._aside = {layer.id for layer in benchmark.layers if layer.aside}
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        self.latest = ""
        """The item that was answered last, as it is recorded."""
        self.failed_any = False
        """Whether any counted answer was wrong."""
        self.whole = False
        """Whether everything was asked that there is to ask."""

    def add(self, verdict: Verdict) -> None:
        """Take an answer in."""
        self._verdicts[verdict_key(verdict)] = verdict
        self.latest = replace_surrogates(verdict.item)
        self.failed_any |= verdict.right is False and verdict.layer not in self._aside

    def verdict(self, item_id: str, question: Question) -> Verdict | None:
        """What was answered to a question of an item; None if it was not asked just that."""
        found = self._verdicts.get((question.layer, replace_surrogates(item_id)))
        if found is None or found.digest != question.digest():
            return None
        same = (found.options, found.gold, found.golds)
        return found if same == (question.options, question.gold, question.golds) else None

    def mark(self, item_id: str) -> Mark | None:
        """What the run came to for an item; None where that is still open, or nobody knows."""
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
        held = self.whole and known and all(known)
        return Mark(ASIDE if caught else "", Role.GOOD) if held else None
