"""What votes amount to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from core.annotation.rounds import State, asked_for, standing
from core.annotation.votes import Ballot, Round
from tests.annotation.support import rules

START = datetime(2024, 1, 1, tzinfo=UTC)
NAMES = "abcdefgh"


def ballots(choices: dict[str, str]) -> dict[str, Ballot]:
    """In the order in which they came."""
    times = (START + timedelta(seconds=n) for n in range(len(choices)))
    return {
        name: Ballot(choice, at, at)
        for (name, choice), at in zip(choices.items(), times, strict=True)
    }


def everybody(_: str) -> bool:
    return True


def at(first: dict[str, str], again: dict[str, str] | None = None, counts=everybody):
    return standing(ballots(first), ballots(again or {}), rules(3), counts)


def test_a_task_is_open_until_it_has_its_votes_and_then_decided_or_asked_again() -> None:
    assert at({"a": "even", "b": "even"}).state is State.OPEN
    decided = at({"a": "even", "b": "even", "c": "odd"})
    assert (decided.state, decided.choice) == (State.DECIDED, "even")
    disputed = at({"a": "even", "b": "none", "c": "odd"})
    assert (disputed.state, asked_for(disputed)) == (State.REANNOTATE, Round.AGAIN)


def test_the_second_round_decides_only_disputed_tasks() -> None:
    split = {"a": "even", "b": "none", "c": "odd"}
    assert at(split, {"a": "odd", "d": "odd"}).state is State.REANNOTATE
    decided = at(split, {"a": "odd", "d": "odd", "e": "even"})
    assert (decided.state, decided.choice) == (State.DECIDED, "odd")
    dropped = at(split, {"a": "odd", "d": "none", "e": "even"})
    assert (dropped.state, dropped.choice, asked_for(dropped)) == (State.DROPPED, None, None)


def test_discarded_votes_are_asked_of_others() -> None:
    first = {"a": "even", "b": "odd", "c": "odd"}
    without = at(first, counts=lambda name: name != "b")
    assert (without.state, without.discarded, without.first) == (
        State.OPEN, 1, {"even": 1, "odd": 1},
    )  # fmt: skip
    refilled = at({**first, "d": "even"}, counts=lambda name: name != "b")
    assert (refilled.state, refilled.choice) == (State.DECIDED, "even")


def test_the_first_votes_count_and_unknown_choices_do_not() -> None:
    found = at({"a": "even", "x": "perhaps", "b": "even", "c": "odd", "d": "odd", "e": "odd"})
    assert (found.choice, found.surplus, found.discarded) == ("even", 2, 1)


CHOSEN = st.dictionaries(
    st.sampled_from(NAMES), st.sampled_from(["even", "odd", "none"]), max_size=8
)


@given(CHOSEN, CHOSEN)
def test_a_task_is_asked_for_exactly_while_a_round_lacks_votes(
    first: dict[str, str], again: dict[str, str]
) -> None:
    found = at(first, again)
    assert all(sum(counts.values()) <= 3 for counts in (found.first, found.again))
    if asked_for(found) is Round.FIRST:
        assert len(first) < 3
    elif asked_for(found) is Round.AGAIN:
        assert len(first) >= 3 > len(again)
    else:
        assert (found.choice is None) == (found.state is State.DROPPED)
        assert sum(found.final.values()) == 3
