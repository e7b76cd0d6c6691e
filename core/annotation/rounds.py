"""What becomes of a task by its votes, and what is asked of whom next.

The rounds are those of AbsPyramid (appendix A.4). Every task gets so many votes; votes of people
who were disqualified are discarded and asked of others; a task that those votes do not agree on
gets as many votes again in a second round, which alone count then; what they do not agree on
either is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.annotation.votes import Ballots, Round

Decide = Callable[[Mapping[str, int]], str | None]
"""The choice that all votes on a task amount to; None where they do not agree."""


class State(StrEnum):
    """How far a task is."""

    OPEN = "open"
    """It lacks votes of the first round."""
    REANNOTATE = "reannotate"
    """The first round did not agree, and the second one lacks votes."""
    DECIDED = "decided"
    DROPPED = "dropped"
    """The second round did not agree either."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How many votes, and what they amount to."""

    votes: int
    decide: Decide
    choices: frozenset[str]
    """What a vote may say; any other vote is discarded."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the votes on a task amount to."""

    state: State
    choice: str | None
    """What was decided; None unless it was."""
    first: Mapping[str, int]
    """How often each choice was voted for in the first round, by votes that count."""
    again: Mapping[str, int]
    """The same in the second round; empty where there is none."""
    discarded: int
    """Votes of those who do not count, in both rounds."""
    surplus: int
    """Votes that came when there were enough, in both rounds."""

    @property
    def final(self) -> Mapping[str, int]:
        """The votes of the latest round."""
        return self.again or self.first


def standing(
    first: Ballots, again: Ballots, rules: Rules, counts: Callable[[str], bool]
) -> Standing:
    """Where a task stands.

    Args:
        first: the votes of the first round.
        again: the votes of the second one.
        rules: how many votes there must be, and what they amount to.
        counts: whether the votes of an annotator (`people.key_of`) count.
    """
    kept, able = _counted(first, rules, counts)
    discarded, surplus = len(first) - able, able - kept.total()
    if kept.total() < rules.votes:
        return Standing(State.OPEN, None, kept, {}, discarded, surplus)
    choice = rules.decide(kept)
    if choice is not None:
        # Votes of a second round on what turned out to be agreed on are not needed.
        return Standing(State.DECIDED, choice, kept, {}, discarded, surplus + len(again))
    kept_again, able_again = _counted(again, rules, counts)
    discarded += len(again) - able_again
    surplus += able_again - kept_again.total()
    if kept_again.total() < rules.votes:
        return Standing(State.REANNOTATE, None, kept, kept_again, discarded, surplus)
    choice = rules.decide(kept_again)
    state = State.DROPPED if choice is None else State.DECIDED
    return Standing(state, choice, kept, kept_again, discarded, surplus)


def asked_for(at: Standing) -> Round | None:
    """The round in which a task lacks votes; None where it lacks none."""
    return {State.OPEN: Round.FIRST, State.REANNOTATE: Round.AGAIN}.get(at.state)


def _counted(
    ballots: Ballots, rules: Rules, counts: Callable[[str], bool]
) -> tuple[Counter[str], int]:
    """The votes that were first to come, and how many could count."""
    able = [
        (ballot.first, key, ballot.choice)
        for key, ballot in ballots.items()
        if ballot.choice in rules.choices and counts(key)
    ]
    able.sort()
    return Counter(choice for _, _, choice in able[: rules.votes]), len(able)
