"""One person at the questions: which comes now, and what is done with the answer."""

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
from core.text.errors import SettingError
from core.text.language import N_, _

TITLES = {
    Round.QUALIFICATION: N_("Qualification test"),
    Round.FIRST: N_("First round"),
    Round.AGAIN: N_("Re-annotation"),
}


@dataclass(frozen=True, slots=True)
class Interlude:
    """What is said between questions, or when there are none."""

    title: str
    text: str
    goes_on: bool = False
    """Whether questions come after it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a question is among those of its round."""

    round: str
    at: int
    """From 1."""
    of: int


class AnnotationSession(Protocol):
    """What a screen of questions shows, and tells of the keys."""

    who: str
    """Who answers."""

    @property
    def present(self) -> Task | Interlude:
        """What is shown now."""
        ...

    @property
    def progress(self) -> Progress | None:
        """Where the present question is; None where there is none."""
        ...

    @property
    def picked(self) -> tuple[int, ...]:
        """The choices of the present question that were picked before."""
        ...

    def answer(self, picks: tuple[int, ...]) -> None:
        """Keep the answer, then go on; raises `CommonsenseError` where it is not kept."""
        ...

    def back(self) -> bool:
        """Go back to the question before; False where that cannot be."""
        ...

    def forward(self) -> bool:
        """Leave the present question or interlude as it is; False where that cannot be."""
        ...

    def close(self) -> None:
        """The person leaves."""
        ...


class _Entry(NamedTuple):
    round: Round
    place: int
    """Among the tasks of the round."""
    task: str


class _Stage(Enum):
    GREETING = auto()
    TEST = auto()
    TESTED = auto()
    VOTING = auto()


class Annotating:
    """An annotator's sitting: the test first, then what lacks votes. Fulfils `AnnotationSession`.

    Every answer is on the disk when `answer` returns. What is asked next follows from the votes
    alone, so a sitting goes on where the last one was left, however that ended.
    """

    def __init__(self, annotation: Annotation, name: str, guide: str) -> None:
        """Open a person's file of votes.

        Args:
            annotation: what is annotated.
            name: the annotator.
            guide: what somebody reads before their first question.

        Raises `SettingError` for a name that is none and for somebody who may not annotate,
        `DataError` for a file that cannot be written or is being written to.
        """
        self.who = checked_name(name)
        if self.who in annotation.disqualified:
            raise SettingError(
                _("{who} was disqualified from this annotation.", who=self.who),
                hint=_("Whoever leads it can let them annotate again."),
            )
        self._annotation = annotation
        self._guide = guide
        self._file = VoteFile(annotation.votes.folder, self.who)
        # Somebody else's program may have had the file until now.
        annotation.refresh()
        self._entries: list[_Entry] = []
        self._at = 0
        self._closing = Interlude("", "")
        tested = annotation.tested(self.who)
        self._stage = _Stage.VOTING
        if not annotation.votes.of(self.who):
            self._stage = _Stage.GREETING
        elif tested is not None and not tested.passed:
            self._stage = _Stage.TESTED if tested.finished else _Stage.TEST
        self._list()

    @property
    def present(self) -> Task | Interlude:
        """What is shown now."""
        if self._stage is _Stage.GREETING:
            return Interlude(_("Before you begin"), self._greeting(), goes_on=True)
        if self._stage is _Stage.TESTED:
            return self._result()
        if self._at < len(self._entries):
            entry = self._entries[self._at]
            return self._tasks_of(entry.round).make(entry.place)
        return self._closing

    @property
    def progress(self) -> Progress | None:
        """Where the present question is among those of its round."""
        if self._stage not in {_Stage.TEST, _Stage.VOTING} or self._at >= len(self._entries):
            return None
        now = self._entries[self._at].round
        before = sum(entry.round is now for entry in self._entries[: self._at])
        of = before + sum(entry.round is now for entry in self._entries[self._at :])
        return Progress(_(TITLES[now]), before + 1, of)

    @property
    def picked(self) -> tuple[int, ...]:
        """What was chosen for the present task before."""
        present = self.present
        if isinstance(present, Interlude):
            return ()
        entry = self._entries[self._at]
        ballot = self._annotation.votes.of(self.who).get((entry.task, entry.round))
        return tuple(
            place
            for place, choice in enumerate(present.choices)
            if ballot is not None and choice.name == ballot.choice
        )

    def answer(self, picks: tuple[int, ...]) -> None:
        """Keep a vote, then go on; raises `DataError` where it is not kept."""
        present = self.present
        if isinstance(present, Interlude) or len(picks) != 1:
            return
        entry = self._entries[self._at]
        vote = self._file.vote(entry.task, entry.round, present.choices[picks[0]].name)
        self._annotation.votes.add(vote)
        self._annotation.refresh()
        self._go_on()

    def back(self) -> bool:
        """Go back to the vote before; the test cannot be gone back to."""
        if self._stage not in {_Stage.TEST, _Stage.VOTING} or not self._at:
            return False
        self._at -= 1
        return True

    def forward(self) -> bool:
        """Leave a vote as it is, or begin after an interlude."""
        if self._stage is _Stage.GREETING:
            self._stage = _Stage.VOTING if self._annotation.test is None else _Stage.TEST
        elif self._stage is _Stage.TESTED:
            tested = self._annotation.tested(self.who)
            if tested is None or not tested.passed:
                return False
            self._stage = _Stage.VOTING
        elif self.picked:
            self._go_on()
            return True
        else:
            return False
        self._list()
        return True

    def close(self) -> None:
        """Let go of the file of votes."""
        self._file.close()

    def _go_on(self) -> None:
        self._at += 1
        if self._stage is _Stage.TEST:
            if self._at == len(self._entries):
                self._stage = _Stage.TESTED
            return
        while self._at < len(self._entries) and not self._is_wanted(self._entries[self._at]):
            del self._entries[self._at]
        if self._at == len(self._entries):
            self._list()

    def _is_wanted(self, entry: _Entry) -> bool:
        """Whether a task was voted on, or its round still lacks votes, as others go on too."""
        voted = (entry.task, entry.round) in self._annotation.votes.of(self.who)
        return voted or asked_for(self._annotation.standing(entry.task)) is entry.round

    def _list(self) -> None:
        """What was voted on, in that order, then what is due; the first that is due is next."""
        votes = self._annotation.votes.of(self.who)
        if self._stage is _Stage.TEST:
            test = self._annotation.test
            places = test.drawn(self.who) if test is not None else ()
            ids = test.tasks.ids if test is not None else ()
            self._entries = [_Entry(Round.QUALIFICATION, one, ids[one]) for one in places]
            answered = [(entry.task, entry.round) in votes for entry in self._entries]
            self._at = answered.index(False) if False in answered else 0
            return
        ids = self._annotation.tasks.ids
        due: list[_Entry] = []
        done: list[_Entry] = []
        states: Counter[State] = Counter()
        for place, each in self._annotation.standings():
            states[each.state] += 1
            done += (
                _Entry(at, place, ids[place])
                for at in (Round.FIRST, Round.AGAIN)
                if (ids[place], at) in votes
            )
            wanted = asked_for(each)
            if wanted is not None and (ids[place], wanted) not in votes:
                due.append(_Entry(wanted, place, ids[place]))
        done.sort(key=lambda entry: votes[entry.task, entry.round].first)
        due.sort(key=lambda entry: entry.round)
        self._entries, self._at = [*done, *due], len(done)
        waiting = states[State.OPEN] + states[State.REANNOTATE]
        self._closing = Interlude(
            _("Nothing is left for you to vote on"),
            _(
                "Thank you: you gave {votes:,} votes. Of {tasks:,} tasks {decided:,} are decided, "
                "and {waiting:,} wait for the votes of others.",
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
        said = _(
            "First comes a test of {questions} questions: {needed} of them must be right. It can "
            "be taken once.",
            questions=test.questions,
            needed=test.to_pass,
        )
        return f"{self._guide}\n\n{said}"

    def _result(self) -> Interlude:
        tested = self._annotation.tested(self.who)
        assert tested is not None
        if not tested.passed:
            said = _(
                "{right} of {questions} are right, and {needed} are needed. Thank you for taking "
                "part.",
                right=tested.right,
                questions=tested.questions,
                needed=tested.to_pass,
            )
            return Interlude(_("Test not passed"), said)
        said = _("{right} of {questions} are right. What you vote from now on counts.")
        said = said.format(right=tested.right, questions=tested.questions)
        return Interlude(_("Test passed"), said, goes_on=True)
