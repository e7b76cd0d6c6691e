"""Votes of a room on the predictions of a lesson: one for each phone, and no names."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from core.lessons.progress_file import Progress

MOST_VOTERS = 1000
"""Most phones that are let in while a lesson runs."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """What is voted on now."""

    id: str
    """Changes with what is asked."""
    step: int
    ask: str
    options: tuple[str, ...]
    open: bool
    """Whether votes are taken: until the answer is revealed."""


def ballot_of(progress: Progress) -> Ballot | None:
    """What a lesson asks its audience now; None where it asks nothing."""
    if not progress.options:
        return None
    asked = "\0".join((str(progress.step), progress.ask, *progress.options))
    return Ballot(
        sha256(asked.encode("utf-8", "replace")).hexdigest()[:12],
        progress.step,
        progress.ask,
        progress.options,
        not progress.revealed,
    )


@dataclass
class BallotBox:
    """The votes on one showing of a lesson."""

    ballot: Ballot | None = None
    """What is voted on now."""
    voters: set[str] = field(default_factory=set)
    """The names of the phones that were let in."""
    _votes: dict[str, dict[str, int]] = field(default_factory=dict)
    """By ballot, the option of each voter."""
    _ballots: dict[str, Ballot] = field(default_factory=dict)

    def admit(self) -> str:
        """A random name for a phone that has none; empty where no more are let in."""
        if len(self.voters) >= MOST_VOTERS:
            return ""
        voter = secrets.token_urlsafe(12)
        self.voters.add(voter)
        return voter

    def knows(self, voter: str) -> bool:
        """Whether a phone was let in."""
        return voter in self.voters

    def show(self, ballot: Ballot | None) -> None:
        """Ask something else, or nothing."""
        self.ballot = ballot
        if ballot is not None:
            self._ballots[ballot.id] = ballot

    def vote(self, voter: str, ballot_id: str, option: int) -> bool:
        """Count a phone's vote in the place of its former one; False where it is not taken."""
        ballot = self.ballot
        if ballot is None or not ballot.open or ballot.id != ballot_id or not self.knows(voter):
            return False
        if not 0 <= option < len(ballot.options):
            return False
        self._votes.setdefault(ballot.id, {})[voter] = option
        return True

    def choice(self, voter: str) -> int | None:
        """What a phone chose of what is voted on now."""
        return self._votes.get(self.ballot.id, {}).get(voter) if self.ballot else None

    def results(self) -> list[dict[str, object]]:
        """What was voted on and how many chose each option, in the order in which it was asked."""
        counts = self.counts()
        return [
            {
                "step": ballot.step,
                "ask": ballot.ask,
                "options": ballot.options,
                "votes": counts[str(ballot.step)],
            }
            for ballot in self._ballots.values()
            if ballot.id in self._votes
        ]

    def counts(self) -> Mapping[str, tuple[int, ...]]:
        """By the number of a step, how many chose each option."""
        counted = {}
        for ballot_id, votes in self._votes.items():
            ballot = self._ballots[ballot_id]
            chosen = list(votes.values())
            counted[str(ballot.step)] = tuple(map(chosen.count, range(len(ballot.options))))
        return counted
