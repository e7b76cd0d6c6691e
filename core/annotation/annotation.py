"""An annotation project: its tasks, qualification test, votes and annotators."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.annotation.folder import DISQUALIFIED, VOTES
from core.annotation.people import Disqualified, key_of
from core.annotation.rounds import Rules, Standing, State, standing
from core.annotation.tasks import Task
from core.annotation.votes import Round, VoteFolder
from core.statistics.kappa import Ratings, ratings
from core.text.errors import NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import _
from core.text.person_name import LONGEST
from core.text.suggestions import suggestion


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks to annotate; each is created on demand."""

    ids: tuple[str, ...]
    """In the order in which annotators get them."""
    make: Callable[[int], Task]


@dataclass(frozen=True, slots=True)
class Qualification:
    """A test with known answers; only those who pass it may annotate."""

    tasks: Tasks
    golds: Mapping[str, str]
    """The right choice by task."""
    questions: int
    """Questions that each person is asked, drawn at random for that person."""
    to_pass: int
    """Right answers needed to pass."""

    def drawn(self, name: str) -> tuple[int, ...]:
        """The indices of the questions for a person, always the same ones."""
        draw = random.Random(f"qualification\0{key_of(name)}")
        return tuple(draw.sample(range(len(self.tasks.ids)), self.questions))


@dataclass(frozen=True, slots=True)
class Tested:
    """The test result of one person."""

    answered: int
    right: int
    questions: int
    to_pass: int

    @property
    def finished(self) -> bool:
        """Whether every question is answered."""
        return self.answered == self.questions

    @property
    def passed(self) -> bool:
        """Whether the person may annotate."""
        return self.finished and self.right >= self.to_pass


@dataclass(frozen=True, slots=True)
class Annotator:
    """A summary of one annotator."""

    name: str
    tested: Tested | None
    """None if there is no test."""
    disqualified: bool
    votes: int
    """Votes in both rounds, without the test."""
    with_others: tuple[int, int]
    """Pairs of their first-round votes with another person's on the same task: the number of
    equal ones, and of all."""


class Annotation:
    """The tasks of a project, the votes on them, and the resulting decisions."""

    def __init__(
        self, folder: Path, tasks: Tasks, test: Qualification | None, rules: Rules
    ) -> None:
        """Read the folder, which need not exist; raises `DataError`."""
        self.folder = folder
        self.tasks = tasks
        self.test = test
        self.rules = rules
        self.votes = VoteFolder(folder / VOTES)
        self.disqualified = Disqualified(folder / DISQUALIFIED)
        self._counting: dict[str, bool] = {}

    def refresh(self) -> bool:
        """Read new votes; returns whether there were any.

        Raises `DataError` as `VoteFolder.refresh` does.
        """
        self._counting.clear()
        return self.votes.refresh()

    def decide_about(self, name: str, *, counts: bool) -> None:
        """Discard a person's votes, or count them again.

        Raises `NotFoundError` for a person without votes, `DataError` if it cannot be saved.
        """
        if key_of(name) not in self.votes.names:
            people = sorted(self.votes.names.values())
            raise NotFoundError(
                _(
                    "Nobody called “{name}” has voted.",
                    name=escape_control_characters(name, limit=LONGEST),
                ),
                hint=suggestion(_("Annotators"), people, name),
            )
        self.disqualified.decide(name, counts=counts)
        self._counting.clear()

    def tested(self, name: str) -> Tested | None:
        """A person's test result; None if there is no test."""
        test = self.test
        if test is None:
            return None
        votes = self.votes.of(name)
        ids = [test.tasks.ids[index] for index in test.drawn(name)]
        ballots = [(votes.get((task, Round.QUALIFICATION)), test.golds[task]) for task in ids]
        right = sum(ballot is not None and ballot.choice == gold for ballot, gold in ballots)
        answered = sum(ballot is not None for ballot, _ in ballots)
        return Tested(answered, right, test.questions, test.to_pass)

    def counts(self, name: str) -> bool:
        """Whether a person's votes count: they passed the test and are not disqualified."""
        key = key_of(name)
        if key not in self._counting:
            tested = self.tested(key)
            passed = tested is None or tested.passed
            self._counting[key] = passed and name not in self.disqualified
        return self._counting[key]

    def standing(self, task: str) -> Standing:
        """The state of a task by its votes."""
        votes = self.votes
        return standing(
            votes.on(task, Round.FIRST), votes.on(task, Round.AGAIN), self.rules, self.counts
        )

    def standings(self) -> Iterator[tuple[int, Standing]]:
        """The index and the standing of every task."""
        for index, task in enumerate(self.tasks.ids):
            yield index, self.standing(task)

    def unknown(self) -> int:
        """Number of tasks with votes that are not part of this annotation."""
        known = set(self.tasks.ids)
        if self.test is not None:
            known.update(self.test.tasks.ids)
        return len(self.votes.tasks - known)

    def annotators(self) -> tuple[Annotator, ...]:
        """Everybody who voted, sorted by name."""
        annotators = []
        for _key, name in sorted(self.votes.names.items()):
            votes = [key for key in self.votes.of(name) if key[1] != Round.QUALIFICATION]
            annotators.append(
                Annotator(
                    name,
                    self.tested(name),
                    name in self.disqualified,
                    len(votes),
                    self._with_others(name),
                )
            )
        return tuple(annotators)

    def _with_others(self, name: str) -> tuple[int, int]:
        own, same, pairs = key_of(name), 0, 0
        for (task, at), ballot in self.votes.of(name).items():
            if at is Round.FIRST:
                others = self.votes.on(task, at)
                agreeing = [
                    each.choice == ballot.choice for key, each in others.items() if key != own
                ]
                same, pairs = same + sum(agreeing), pairs + len(agreeing)
        return same, pairs


def agreement(standings: Sequence[Standing], rules: Rules) -> tuple[Ratings | None, Ratings | None]:
    """Agreement in the first round, and with second-round votes replacing those of the first.

    Only tasks with all their votes count; None if there are none.
    """
    complete = [each for each in standings if each.state is not State.OPEN]
    final = [
        each.final if sum(each.final.values()) == rules.votes else each.first for each in complete
    ]
    return ratings(each.first for each in complete), ratings(final)
