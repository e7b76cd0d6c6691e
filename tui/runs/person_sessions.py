"""A person answers in the place of a model: a run's questions one after the other, or just one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from core.annotation.session import Interlude, Progress
from core.annotation.tasks import Choice, Passage, Task
from core.contract.question import Question
from core.text.language import N_, _
from tui.runs.running import Running, RunPhase

GUIDE = N_("""
## A question for you

You answer in the place of a model, and see what a model sees. A number answers, or **enter** on the
line under the cursor; where several answers may be right, numbers and **space** mark them and
**enter** answers. **esc** leaves, and nothing is recorded of the question that is shown.
""")


class RunSession:
    """Puts the questions of a run to a person. Fulfils `core.annotation.session.AnnotationSession`.

    The run records each answer before it asks the next question, and goes on where it was left.
    What it has recorded stays as it is, so there is no way back.
    """

    def __init__(self, who: str, running: Running, stop: Callable[[], object]) -> None:
        """`stop` ends the run when the person leaves."""
        self.who = who
        self.changed: Callable[[], object] = lambda: None
        """Called when there is something else to show."""
        self._running = running
        self._stop = stop
        self._task: Task | None = None
        self._answer: asyncio.Future[tuple[int, ...]] | None = None

    async def put(self, question: Question) -> tuple[int, ...]:
        """Show a question, and wait for the options that are picked."""
        self._task = task_of(question)
        self._answer = asyncio.get_running_loop().create_future()
        self.changed()
        return await self._answer

    @property
    def present(self) -> Task | Interlude:
        """The question that waits, or what became of the run."""
        running = self._running
        if running.phase is RunPhase.FAILED:
            return Interlude(_("The run cannot go on"), running.error)
        if running.phase is RunPhase.DONE:
            message = _("Every question is answered. Run all (r) in the program shows the figures.")
            return Interlude(_("Thank you"), message)
        if self._task is None:
            return Interlude(_("A moment"), _("The questions are being read."))
        return self._task

    @property
    def progress(self) -> Progress | None:
        """Where the question is in its layer."""
        layers = list(self._running.layers.values())
        if not layers or self._running.phase is RunPhase.DONE:
            return None
        now = layers[-1]
        return Progress(now.layer.shown, min(now.done + 1, now.total), now.total)

    @property
    def picked(self) -> tuple[int, ...]:
        """Nothing: what was answered is not shown again."""
        return ()

    def answer(self, picks: tuple[int, ...]) -> None:
        """Give the run its answer."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(picks)

    def back(self) -> bool:
        """A run keeps what it has recorded."""
        return False

    def forward(self) -> bool:
        """Every question of a run has to be answered."""
        return False

    def close(self) -> None:
        """Stop the run; what was answered is kept."""
        self._stop()


class OneQuestion:
    """Puts one question to a person, in the place of a model. Fulfils `AnnotationSession`."""

    progress = None
    picked = ()

    def __init__(self, who: str, question: Question) -> None:
        self.who = who
        self.present = task_of(question)
        self.picks: tuple[int, ...] | None = None
        """The options that were picked; None before that."""
        self.answered: Callable[[], object] = lambda: None
        """Called once they are."""

    def answer(self, picks: tuple[int, ...]) -> None:
        """Keep the answer."""
        self.picks = picks
        self.answered()

    def back(self) -> bool:
        """There is no other question."""
        return False

    def forward(self) -> bool:
        """There is no other question."""
        return False

    def close(self) -> None:
        """Do nothing: without an answer the question is left."""


def task_of(question: Question) -> Task:
    """A question as a task: what a model would be given, and its options."""
    meanings = question.meanings or ("",) * len(question.options)
    choices = tuple(
        Choice(str(index), f"{option}  {meaning}" if meaning else option)
        for index, (option, meaning) in enumerate(zip(question.options, meanings, strict=True))
    )
    texts = (question.instruction.strip(), question.text.strip())
    passages = tuple(Passage(text) for text in texts if text)
    return Task(question.item, passages, "", choices, question.multiple)
