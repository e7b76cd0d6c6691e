"""Where one is in a lesson: the step, the hands that were counted, what was revealed. No widget."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.lessons.bound_lesson import BoundLesson, BoundStep
from core.lessons.lesson import Lesson, Point, Step
from core.lessons.reveal import Revealed, options_of, said_after


@dataclass(slots=True)
class Count:
    """The hands of one step, in the order in which they were counted."""

    raised: list[int] = field(default_factory=list)

    def of(self, option: int) -> int:
        """How many hands an option has."""
        return self.raised.count(option)


class LessonPlayer:
    """One showing of a lesson."""

    def __init__(self, bound_lesson: BoundLesson, language: str) -> None:
        self.bound_lesson = bound_lesson
        self.language = language
        self.at = 0
        self.counts: dict[int, Count] = {}
        self.revealed: dict[int, Revealed] = {}

    @property
    def lesson(self) -> Lesson:
        """What is shown."""
        return self.bound_lesson.lesson

    @property
    def step(self) -> Step:
        """The present step."""
        return self.lesson.steps[self.at]

    @property
    def bound_step(self) -> BoundStep:
        """Where the present step stands."""
        return self.bound_lesson.bind_step(self.step)

    @property
    def point(self) -> Point | None:
        """What is pointed at now."""
        prediction = self.step.prediction
        if prediction is not None and prediction.point is not None and self.shown is not None:
            return prediction.point
        return self.step.point

    @property
    def options(self) -> tuple[str, ...]:
        """What the audience may predict in the present step."""
        if self.step.prediction is None:
            return ()
        return options_of(self.step, self.bound_lesson.evidence(self.bound_step), self.language)

    @property
    def count(self) -> Count:
        """The hands of the present step."""
        return self.counts.setdefault(self.at, Count())

    @property
    def shown(self) -> Revealed | None:
        """What the present step came to; None before it was revealed."""
        return self.revealed.get(self.at)

    def go(self, by: int) -> bool:
        """Go some steps on or back; whether there was such a step."""
        if not 0 <= self.at + by < len(self.lesson.steps):
            return False
        self.at += by
        return True

    def raise_hand(self, number: int) -> bool:
        """Count a hand for the option with a number, from 1; whether there is one."""
        if not 1 <= number <= len(self.options):
            return False
        self.count.raised.append(number - 1)
        return True

    def lower_hand(self) -> bool:
        """Take back the hand that was counted last; whether there was one."""
        if not self.count.raised:
            return False
        self.count.raised.pop()
        return True

    def forget_answers(self) -> None:
        """Nothing is revealed any more: another model will answer."""
        self.revealed.clear()

    def said_after(self) -> str:
        """What is said once the present step is revealed, in Markdown; empty before."""
        return said_after(self.step, self.shown, self.language) if self.shown else ""
