"""The state of a showing of a lesson: the step, the hands that were counted, what was revealed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set

from core.contract.question import Form, Verdict
from core.contract.setting import Setting
from core.lessons.bound_lesson import BoundLesson, BoundStep
from core.lessons.claims import probability
from core.lessons.evidence import Evidence, OnEvent
from core.lessons.lesson import Hidden, Lesson, Point, Pointing, Step
from core.lessons.reveal import Revealed, options_of, said_after
from core.lessons.votes_file import Votes
from core.models.protocol import Model
from tui.lessons.counting import StepCounts


class LessonPlayer:
    """One showing of a lesson."""

    def __init__(self, bound_lesson: BoundLesson, language: str, step: int = 1) -> None:
        """Begin at a step, counted from 1."""
        self.bound_lesson = bound_lesson
        self.language = language
        self.revealed: dict[int, Revealed] = {}
        """The results of the steps that were revealed, by index."""
        self.votes: Votes | None = None
        """The votes of a room; None where none is open."""
        self._counts: dict[int, StepCounts] = {}
        self._others: dict[tuple[int, Setting], Evidence] = {}
        """What the model answered about other items."""
        self._raised: defaultdict[int, list[int]] = defaultdict(list)
        """By step, the options for which hands were counted, in the order of counting."""
        self._go_to(step - 1)

    def _go_to(self, index: int) -> None:
        self.index = index
        self.bound_step: BoundStep = self.bound_lesson.bind_step(self.step)
        """The item and the setting of the present step."""
        self.options: tuple[str, ...] = ()
        """What the audience may predict in the present step."""
        if self.step.prediction is not None:
            evidence = self.bound_lesson.evidence(self.bound_step)
            self.options = options_of(self.step, evidence, self.language)

    @property
    def lesson(self) -> Lesson:
        """The lesson that is shown."""
        return self.bound_lesson.lesson

    @property
    def step(self) -> Step:
        """The present step."""
        return self.lesson.steps[self.index]

    @property
    def point(self) -> Point | None:
        """What the present step points at now."""
        prediction = self.step.prediction
        if prediction is not None and prediction.point is not None and self.result is not None:
            return prediction.point
        return self.step.point

    @property
    def item_changed(self) -> bool:
        """Whether the present step has another item or setting than the step before."""
        if self.index == 0:
            return True
        before = self.lesson.steps[self.index - 1]
        return (before.item, before.setting) != (self.step.item, self.step.setting)

    @property
    def hands(self) -> tuple[int, ...]:
        """The number of hands and votes for each option of the present step."""
        raised = self._raised[self.index]
        counted = [raised.count(option) for option in range(len(self.options))]
        if self.votes is not None:
            votes = self.votes.of(self.index + 1, len(counted))
            counted = [sum(pair) for pair in zip(counted, votes, strict=True)]
        return tuple(counted)

    @property
    def result(self) -> Revealed | None:
        """The result of the present step; None before it is revealed."""
        return self.revealed.get(self.index)

    @property
    def hidden(self) -> Set[Hidden]:
        """What the present step still hides of its item."""
        return frozenset() if self.result is not None else self.step.hidden

    @property
    def counts(self) -> StepCounts:
        """The counts of the present step over the collection."""
        return self._counts.setdefault(self.index, StepCounts(self.step))

    def evidence(
        self,
        model: Model | None,
        form: Form | None,
        known: Sequence[Verdict] = (),
        on_event: OnEvent | None = None,
    ) -> Evidence:
        """The evidence about the present step; what is known of other items is kept."""
        return self.bound_lesson.evidence(
            self.bound_step, model, form, known, on_event, others=self._others
        )

    def forget_answers(self) -> None:
        """Forget what a model answered."""
        self.revealed.clear()
        self._counts.clear()
        self._others = {}

    def values_revealed(self) -> str:
        """The probability of the node that the present step reveals; empty for none."""
        prediction = self.step.prediction
        if prediction is None or self.result is None or prediction.point is None:
            return ""
        if prediction.point.kind is not Pointing.NODE or self.step.asks_model:
            return ""
        node = self.bound_lesson.evidence(self.bound_step).node(prediction.point.ref)
        return f"“{node.text}”: p = {probability(node):.2f}"

    def go(self, by: int) -> bool:
        """Go some steps on or back; returns whether there is such a step."""
        if not 0 <= self.index + by < len(self.lesson.steps):
            return False
        self._go_to(self.index + by)
        return True

    def raise_hand(self, number: int) -> bool:
        """Count a hand for the option with a number, from 1; returns whether there is one."""
        if not 1 <= number <= len(self.options):
            return False
        self._raised[self.index].append(number - 1)
        return True

    def lower_hand(self) -> bool:
        """Take back the hand that was counted last; returns whether there was one."""
        if not self._raised[self.index]:
            return False
        self._raised[self.index].pop()
        return True

    def said_after(self) -> str:
        """The text shown once the present step is revealed, in Markdown; empty before."""
        return said_after(self.step, self.result, self.language) if self.result else ""
