"""An annotation as a whole: its tasks, its test, its votes, and who may annotate."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.annotation.people import LONGEST_NAME, Disqualified, key_of
from core.annotation.rounds import Rules, Standing, State, standing
from core.annotation.tasks import Task
from core.annotation.votes import Round, VoteFolder
from core.statistics.kappa import Ratings, ratings
from core.text.errors import NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import _
from core.text.suggestions import suggestion

VOTES = "votes"
_DISQUALIFIED = "disqualified.jsonl"


@dataclass(frozen=True, slots=True)
class Tasks:
    """What is annotated; each is made when it is asked for."""

    ids: tuple[str, ...]
    """In the order in which they are asked."""
    make: Callable[[int], Task]


@dataclass(frozen=True, slots=True)
class Qualification:
    """Questions whose answers are known; who fails them may not annotate."""

    tasks: Tasks
    golds: Mapping[str, str]
    """The right choice by task."""
    questions: int
    """How many of them each person is asked, drawn for that person."""
    to_pass: int
    """How many must be right."""

    def drawn(self, name: str) -> tuple[int, ...]:
        """The places of the questions for a person: always the same ones."""
        draw = random.Random(f"qualification\0{key_of(name)}")
        return tuple(draw.sample(range(len(self.tasks.ids)), self.questions))


@dataclass(frozen=True, slots=True)
class Tested:
    """How somebody did in the test."""

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
        """Whether they may annotate."""
        return self.finished and self.right >= self.to_pass


@dataclass(frozen=True, slots=True)
class Annotator:
    """What is known of somebody who voted."""

    name: str
    tested: Tested | None
    """None where there is no test."""
    disqualified: bool
    votes: int
    """In both rounds, the test's left out."""
    with_others: tuple[int, int]
    """Of pairs of their first-round votes with somebody else's on the same task, how many are
    the same, and how many there are."""


class Annotation:
    """Votes on tasks, and what they amount to."""

    def __init__(
        self, folder: Path, tasks: Tasks, test: Qualification | None, rules: Rules
    ) -> None:
        """Read what is in the folder, which need not exist; raises `DataError`."""
        self.folder = folder
        self.tasks = tasks
        self.test = test
        self.rules = rules
        self.votes = VoteFolder(folder / VOTES)
        self.disqualified = Disqualified(folder / _DISQUALIFIED)
        self._counting: dict[str, bool] = {}

    def refresh(self) -> bool:
        """Read votes that were added since; whether there were any. Raises `DataError`."""
        added = self.votes.refresh()
        if added:
            self._counting.clear()
        return added

    def decide_about(self, name: str, *, counts: bool) -> None:
        """Discard somebody's votes, or count them again.

        Raises `NotFoundError` for somebody who gave none, `DataError` where it cannot be kept.
        """
        if key_of(name) not in self.votes.names:
            people = sorted(self.votes.names.values())
            raise NotFoundError(
                _(
                    "Nobody called “{name}” has voted.",
                    name=escape_control_characters(name, limit=LONGEST_NAME),
                ),
                hint=suggestion(_("Annotators"), people, name),
            )
        self.disqualified.decide(name, counts=counts)
        self._counting.clear()

    def tested(self, name: str) -> Tested | None:
        """How a person did in the test; None where there is none."""
        test = self.test
        if test is None:
            return None
        votes = self.votes.of(name)
        ids = [test.tasks.ids[place] for place in test.drawn(name)]
        given = [(votes.get((one, Round.QUALIFICATION)), test.golds[one]) for one in ids]
        right = sum(ballot is not None and ballot.choice == gold for ballot, gold in given)
        answered = sum(ballot is not None for ballot, _ in given)
        return Tested(answered, right, test.questions, test.to_pass)

    def counts(self, name: str) -> bool:
        """Whether a person's votes count: the test is passed, and they are not disqualified."""
        key = key_of(name)
        known = self._counting.get(key)
        if known is None:
            tested = self.tested(key)
            known = name not in self.disqualified and (tested is None or tested.passed)
            self._counting[key] = known
        return known

    def standing(self, task: str) -> Standing:
        """What the votes on a task amount to."""
        votes = self.votes
        return standing(
            votes.on(task, Round.FIRST), votes.on(task, Round.AGAIN), self.rules, self.counts
        )

    def standings(self) -> Iterator[tuple[int, Standing]]:
        """The place and the standing of every task."""
        for place, task in enumerate(self.tasks.ids):
            yield place, self.standing(task)

    def unknown(self) -> int:
        """How many tasks there are votes on that are no part of this annotation."""
        known = set(self.tasks.ids)
        if self.test is not None:
            known.update(self.test.tasks.ids)
        return len(self.votes.tasks - known)

    def annotators(self) -> tuple[Annotator, ...]:
        """Everybody who voted, by name."""
        found = []
        for _key, name in sorted(self.votes.names.items()):
            of_both = [place for place in self.votes.of(name) if place[1] != Round.QUALIFICATION]
            found.append(
                Annotator(
                    name,
                    self.tested(name),
                    name in self.disqualified,
                    len(of_both),
                    self._with_others(name),
                )
            )
        return tuple(found)

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
    """Agreement in the first round, and with the second one's votes in place of the first's.

    Of tasks that have all their votes; None where there are none.
    """
    complete = [each for each in standings if each.state is not State.OPEN]
    final = [
        each.final if sum(each.final.values()) == rules.votes else each.first for each in complete
    ]
    return ratings(each.first for each in complete), ratings(final)
