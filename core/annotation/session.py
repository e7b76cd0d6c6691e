"""An annotation session: which question a person gets next, and where the answer goes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, Protocol

from core.annotation.annotation import Annotation, Tasks
from core.annotation.people import checked_name
from core.annotation.rounds import State, asked_for
from core.annotation.tasks import Task
from core.annotation.votes import Round, VoteFile
from core.text.errors import CommonsenseError, DataError, SettingError
from core.text.language import N_, _
from core.text.quantities import questions_in_words

TITLES = {
    Round.QUALIFICATION: N_("Qualification test"),
    Round.FIRST: N_("First round"),
    Round.AGAIN: N_("Re-annotation"),
}


@dataclass(frozen=True, slots=True)
class Interlude:
    """A message between questions, or when there are none."""

    title: str
    text: str
    continues: bool = False
    """Whether questions follow it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The position of a question in its round."""

    round: str
    at: int
    """From 1."""
    of: int


class AnnotationSession(Protocol):
    """The interface between a screen of questions and whatever supplies them."""

    who: str
    """Name of the person who answers."""

    @property
    def present(self) -> Task | Interlude:
        """The current question or message."""
        ...

    @property
    def progress(self) -> Progress | None:
        """The position of the present question; None if there is none."""
        ...

    @property
    def picked(self) -> tuple[int, ...]:
        """Indices of the choices that were picked for the present question before."""
        ...

    def answer(self, picks: tuple[int, ...]) -> CommonsenseError | None:
        """Save the answer and advance; raises `CommonsenseError` if it cannot be saved.

        Returns a problem that did not prevent saving: the answers of others cannot be read, say.
        """
        ...

    def back(self) -> bool:
        """Return to the previous question; False if there is none."""
        ...

    def forward(self) -> bool:
        """Skip the present question or interlude unchanged; False if that is not possible."""
        ...

    def close(self) -> None:
        """End the session."""
        ...


class _Entry(NamedTuple):
    round: Round
    task_index: int
    """Among the tasks of the round."""
    task: str


class _Phase(Enum):
    GREETING = auto()
    TEST = auto()
    TESTED = auto()
    VOTING = auto()


class Annotating:
    """An annotator's session: the test first, then tasks that lack votes.

    Fulfils `AnnotationSession`. Every answer is on the disk when `answer` returns. The next
    question depends on the stored votes alone, so a session resumes where the last one stopped.
    """

    def __init__(self, annotation: Annotation, name: str, guide: str) -> None:
        """Open a person's file of votes.

        Args:
            annotation: what is annotated.
            name: the annotator.
            guide: instructions shown before the first question.

        Raises `SettingError` for an invalid name or a disqualified person, `DataError` for a file
        that cannot be written or is open elsewhere.
        """
        self.who = checked_name(name)
        if self.who in annotation.disqualified:
            raise SettingError(
                _("{who} was disqualified from this annotation.", who=self.who),
                hint=_("The person who leads the annotation can let them take part again."),
            )
        self._annotation = annotation
        self._guide = guide
        self._file = VoteFile(annotation.votes.folder, self.who)
        # Another program may have written the file until now.
        annotation.refresh()
        self._entries: list[_Entry] = []
        self._at = 0
        self._closing = Interlude("", "")
        tested = annotation.tested(self.who)
        self._phase = _Phase.VOTING
        if not annotation.votes.of(self.who):
            self._phase = _Phase.GREETING
        elif tested is not None and not tested.passed:
            self._phase = _Phase.TESTED if tested.finished else _Phase.TEST
        self._list()

    @property
    def present(self) -> Task | Interlude:
        """What is shown now."""
        if self._phase is _Phase.GREETING:
            return Interlude(_("Before you begin"), self._greeting(), continues=True)
        if self._phase is _Phase.TESTED:
            return self._result()
        if self._at < len(self._entries):
            entry = self._entries[self._at]
            return self._tasks_of(entry.round).make(entry.task_index)
        return self._closing

    @property
    def progress(self) -> Progress | None:
        """The position of the present question in its round."""
        if self._phase not in {_Phase.TEST, _Phase.VOTING} or self._at >= len(self._entries):
            return None
        now = self._entries[self._at].round
        before = sum(entry.round is now for entry in self._entries[: self._at])
        of = before + sum(entry.round is now for entry in self._entries[self._at :])
        return Progress(_(TITLES[now]), before + 1, of)

    @property
    def picked(self) -> tuple[int, ...]:
        """The choice made for the present task before, as indices."""
        present = self.present
        if isinstance(present, Interlude):
            return ()
        entry = self._entries[self._at]
        ballot = self._annotation.votes.of(self.who).get((entry.task, entry.round))
        return tuple(
            index
            for index, choice in enumerate(present.choices)
            if ballot is not None and choice.name == ballot.choice
        )

    def answer(self, picks: tuple[int, ...]) -> DataError | None:
        """Save a vote and advance; raises `DataError` if it cannot be saved.

        Returns why the votes of others cannot be read, if so; the next question then depends on
        those that were read before.
        """
        present = self.present
        if isinstance(present, Interlude) or len(picks) != 1:
            return None
        entry = self._entries[self._at]
        vote = self._file.vote(entry.task, entry.round, present.choices[picks[0]].name)
        self._annotation.votes.add(vote)
        trouble = None
        try:
            self._annotation.refresh()
        except DataError as error:
            trouble = error
        self._advance()
        return trouble

    def back(self) -> bool:
        """Return to the previous vote; False at the first one."""
        if self._phase not in {_Phase.TEST, _Phase.VOTING} or not self._at:
            return False
        self._at -= 1
        return True

    def forward(self) -> bool:
        """Keep the present vote and advance, or continue after an interlude."""
        if self._phase is _Phase.GREETING:
            self._phase = _Phase.VOTING if self._annotation.test is None else _Phase.TEST
        elif self._phase is _Phase.TESTED:
            tested = self._annotation.tested(self.who)
            if tested is None or not tested.passed:
                return False
            self._phase = _Phase.VOTING
        elif self.picked:
            self._advance()
            return True
        else:
            return False
        self._list()
        return True

    def close(self) -> None:
        """Close the file of votes."""
        self._file.close()

    def _advance(self) -> None:
        self._at += 1
        if self._phase is _Phase.TEST:
            if self._at == len(self._entries):
                self._phase = _Phase.TESTED
            return
        while self._at < len(self._entries) and not self._is_wanted(self._entries[self._at]):
            del self._entries[self._at]
        if self._at == len(self._entries):
            self._list()

    def _is_wanted(self, entry: _Entry) -> bool:
        """Whether the person voted on a task, or its round still lacks votes after others voted."""
        voted = (entry.task, entry.round) in self._annotation.votes.of(self.who)
        return voted or asked_for(self._annotation.standing(entry.task)) is entry.round

    def _list(self) -> None:
        """List the tasks voted on in voting order, then those due; the first due one is next."""
        votes = self._annotation.votes.of(self.who)
        if self._phase is _Phase.TEST:
            test = self._annotation.test
            indices = test.drawn(self.who) if test is not None else ()
            ids = test.tasks.ids if test is not None else ()
            self._entries = [_Entry(Round.QUALIFICATION, index, ids[index]) for index in indices]
            answered = [(entry.task, entry.round) in votes for entry in self._entries]
            self._at = answered.index(False) if False in answered else 0
            return
        ids = self._annotation.tasks.ids
        due: list[_Entry] = []
        done: list[_Entry] = []
        states: Counter[State] = Counter()
        for index, standing in self._annotation.standings():
            states[standing.state] += 1
            done += (
                _Entry(vote_round, index, ids[index])
                for vote_round in (Round.FIRST, Round.AGAIN)
                if (ids[index], vote_round) in votes
            )
            wanted = asked_for(standing)
            if wanted is not None and (ids[index], wanted) not in votes:
                due.append(_Entry(wanted, index, ids[index]))
        done.sort(key=lambda entry: votes[entry.task, entry.round].first)
        due.sort(key=lambda entry: entry.round)
        self._entries, self._at = [*done, *due], len(done)
        waiting = states[State.OPEN] + states[State.REANNOTATE]
        self._closing = Interlude(
            _("Nothing is left for you to vote on"),
            _(
                "Thank you. Your votes: {votes:,}. Decided tasks: {decided:,} of {tasks:,}; "
                "waiting for the votes of others: {waiting:,}.",
                votes=len(done),
                tasks=len(ids),
                decided=states[State.DECIDED],
                waiting=waiting,
            ),
        )

    def _tasks_of(self, at: Round) -> Tasks:
        if at is Round.QUALIFICATION and self._annotation.test is not None:
            return self._annotation.test.tasks
        return self._annotation.tasks

    def _greeting(self) -> str:
        test = self._annotation.test
        if test is None:
            return self._guide
        notice = _(
            "First comes a test of {questions}: {needed} of them must be right. It can be taken "
            "once.",
            questions=questions_in_words(test.questions),
            needed=test.to_pass,
        )
        return f"{self._guide}\n\n{notice}"

    def _result(self) -> Interlude:
        tested = self._annotation.tested(self.who)
        assert tested is not None
        if not tested.passed:
            sentence = _(
                "Right answers: {right} of {questions}; needed: {needed}. Thank you for taking "
                "part.",
                right=tested.right,
                questions=tested.questions,
                needed=tested.to_pass,
            )
            return Interlude(_("Test not passed"), sentence)
        sentence = _("Right answers: {right} of {questions}. What you vote from now on counts.")
        sentence = sentence.format(right=tested.right, questions=tested.questions)
        return Interlude(_("Test passed"), sentence, continues=True)
