"""The rounds of annotation: how the votes on a task decide it, and which round needs votes.

The rounds are those of AbsPyramid (appendix A.4). Every task gets a fixed number of votes. Votes of
disqualified people are discarded and replaced by those of others. A task without agreement gets the
same number of votes in a second round, and then only these count. A task without agreement in the
second round is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.annotation.votes import Ballots, Round

Decide = Callable[[Mapping[str, int]], str | None]
"""Maps the votes by choice to the decided choice; None without agreement."""


class State(StrEnum):
    """The progress of a task."""

    OPEN = "open"
    """The first round lacks votes."""
    REANNOTATE = "reannotate"
    """The first round had no agreement, and the second one lacks votes."""
    DECIDED = "decided"
    DROPPED = "dropped"
    """The second round had no agreement either."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The number of votes per task and how they decide it."""

    votes: int
    decide: Decide
    choices: frozenset[str]
    """The valid choices; any other vote is discarded."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a task and the votes behind it."""

    state: State
    choice: str | None
    """The decided choice; None if the task is not decided."""
    first: Mapping[str, int]
    """Counted votes of the first round by choice."""
    again: Mapping[str, int]
    """Counted votes of the second round by choice; empty if there are none."""
    discarded: int
    """Discarded votes of both rounds."""
    surplus: int
    """Votes of both rounds that came after there were enough."""

    @property
    def final(self) -> Mapping[str, int]:
        """The votes of the latest round."""
        return self.again or self.first


def standing(
    first: Ballots, again: Ballots, rules: Rules, counts: Callable[[str], bool]
) -> Standing:
    """The standing of a task.

    Args:
        first: the votes of the first round.
        again: the votes of the second round.
        rules: the number of votes needed, and how they decide.
        counts: whether the votes of an annotator (`people.key_of`) count.
    """
    kept, valid = _counted(first, rules, counts)
    discarded, surplus = len(first) - valid, valid - kept.total()
    if kept.total() < rules.votes:
        return Standing(State.OPEN, None, kept, {}, discarded, surplus)
    choice = rules.decide(kept)
    if choice is not None:
        # Second-round votes become surplus if the first round turns out to agree after all.
        return Standing(State.DECIDED, choice, kept, {}, discarded, surplus + len(again))
    kept_again, valid_again = _counted(again, rules, counts)
    discarded += len(again) - valid_again
    surplus += valid_again - kept_again.total()
    if kept_again.total() < rules.votes:
        return Standing(State.REANNOTATE, None, kept, kept_again, discarded, surplus)
    choice = rules.decide(kept_again)
    state = State.DROPPED if choice is None else State.DECIDED
    return Standing(state, choice, kept, kept_again, discarded, surplus)


def asked_for(at: Standing) -> Round | None:
    """The round in which a task lacks votes; None if it lacks none."""
    return {State.OPEN: Round.FIRST, State.REANNOTATE: Round.AGAIN}.get(at.state)


def _counted(
    ballots: Ballots, rules: Rules, counts: Callable[[str], bool]
) -> tuple[Counter[str], int]:
    """The earliest valid votes by choice, up to the needed number, and the number of all valid."""
    valid = [
        (ballot.first, key, ballot.choice)
        for key, ballot in ballots.items()
        if ballot.choice in rules.choices and counts(key)
    ]
    valid.sort()
    return Counter(choice for _, _, choice in valid[: rules.votes]), len(valid)
