"""One person at the questions."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.annotation.annotation import agreement
from core.annotation.rounds import State
from core.annotation.session import Annotating, Interlude, Progress
from core.annotation.tasks import Task
from core.annotation.votes import Round
from core.text.errors import DataError, SettingError
from tests.annotation.support import annotation

EVEN, ODD, NONE = 0, 1, 2


def sit(folder: Path, name: str, **more: object) -> Annotating:
    """Sit down, past the greeting."""
    sitting = Annotating(annotation(folder, **more), name, "Say what it is.")  # type: ignore[arg-type]
    if isinstance(sitting.present, Interlude) and sitting.present.continues:
        sitting.forward()
    return sitting


def asked(sitting: Annotating) -> str:
    assert isinstance(sitting.present, Task)
    return sitting.present.id


def answer_all(folder: Path, name: str, picks: dict[str, int], **more: object) -> list[str]:
    """Answer until nothing is left; the ids in the order in which they were asked."""
    sitting = sit(folder, name, **more)
    found = []
    while isinstance(sitting.present, Task):
        found.append(sitting.present.id)
        sitting.answer((picks.get(sitting.present.id, EVEN),))
    sitting.close()
    return found


def test_a_session_greets_asks_each_question_and_thanks(tmp_path: Path) -> None:
    sitting = Annotating(annotation(tmp_path), "Anna", "Say what it is.")
    assert sitting.present == Interlude("Before you begin", "Say what it is.", continues=True)
    assert sitting.progress is None
    assert not sitting.back()
    assert sitting.forward()
    for place in range(3):
        assert asked(sitting) == f"t{place}"
        assert sitting.progress == Progress("First round", place + 1, 3)
        assert not sitting.forward()
        sitting.answer((ODD,))
    assert isinstance(sitting.present, Interlude)
    assert "Your votes: 3." in sitting.present.text
    assert "waiting for the votes of others: 3." in sitting.present.text
    assert not sitting.present.continues


def test_a_vote_can_be_changed_and_a_session_resumes(tmp_path: Path) -> None:
    sitting = sit(tmp_path, "Anna")
    sitting.answer((ODD,))
    sitting.answer((ODD,))
    sitting.close()
    sitting = sit(tmp_path, "anna")
    assert asked(sitting) == "t2"
    assert sitting.back()
    assert sitting.back()
    assert not sitting.back()
    assert (asked(sitting), sitting.picked) == ("t0", (ODD,))
    sitting.answer((NONE,))
    assert (asked(sitting), sitting.picked) == ("t1", (ODD,))
    assert sitting.forward()
    assert (asked(sitting), sitting.picked) == ("t2", ())
    sitting.close()
    votes = annotation(tmp_path).votes
    assert votes.on("t0", Round.FIRST)["anna"].choice == "none"
    assert votes.on("t1", Round.FIRST)["anna"].choice == "odd"


def test_decided_tasks_are_not_asked_again(tmp_path: Path) -> None:
    assert [len(answer_all(tmp_path, name, {})) for name in "abcd"] == [3, 3, 3, 0]


def test_tasks_finished_by_others_are_not_asked(tmp_path: Path) -> None:
    for name in "ab":
        answer_all(tmp_path, name, {})
    sitting = sit(tmp_path, "c")
    other = sit(tmp_path, "d")
    other.answer((EVEN,))
    other.answer((EVEN,))
    other.close()
    # The first was on the screen already; the second has its three votes by now.
    assert asked(sitting) == "t0"
    sitting.answer((EVEN,))
    assert asked(sitting) == "t2"
    assert sitting.progress == Progress("First round", 2, 2)


def test_disputed_tasks_are_asked_again_and_then_dropped(tmp_path: Path) -> None:
    for name, pick in zip("ab", (EVEN, ODD), strict=True):
        answer_all(tmp_path, name, {"t1": pick})
    # The last one's vote makes the dispute, so they are the first to be asked again.
    assert answer_all(tmp_path, "c", {"t1": NONE}) == ["t0", "t1", "t2", "t1"]
    states = [each.state for _, each in annotation(tmp_path).standings()]
    assert states == [State.DECIDED, State.REANNOTATE, State.DECIDED]
    sitting = sit(tmp_path, "a")
    assert asked(sitting) == "t1"
    assert sitting.progress == Progress("Re-annotation", 1, 1)
    assert sitting.picked == ()
    sitting.answer((EVEN,))
    sitting.close()
    assert answer_all(tmp_path, "new", {"t1": ODD}) == ["t1"]
    found = annotation(tmp_path).standing("t1")
    assert (found.state, dict(found.again)) == (State.DROPPED, {"even": 1, "odd": 1, "none": 1})
    assert answer_all(tmp_path, "late", {}) == []


def test_only_annotators_who_pass_the_test_are_asked(tmp_path: Path) -> None:
    tested = {"tested": (30, 4, 3)}
    golds = {f"q{n}": n % 2 for n in range(30)}
    wrong = {one: 1 - gold for one, gold in golds.items()}
    sitting = sit(tmp_path, "Anna", **tested)
    drawn = []
    for number in range(4):
        assert sitting.progress == Progress("Qualification test", number + 1, 4)
        drawn.append(asked(sitting))
        # One error of four is allowed.
        sitting.answer(((wrong if number == 0 else golds)[drawn[-1]],))
    assert sitting.present == Interlude(
        "Test passed", "Right answers: 3 of 4. What you vote from now on counts.", continues=True
    )
    assert not sitting.back()
    sitting.forward()
    assert asked(sitting) == "t0"
    sitting.answer((EVEN,))
    sitting.close()
    other = answer_all(tmp_path, "Ben", wrong, **tested)
    assert len(other) == 4
    assert set(other) != set(drawn)
    again = sit(tmp_path, "Ben", **tested)
    assert isinstance(again.present, Interlude)
    assert again.present.title == "Test not passed"
    assert not again.forward()
    found = annotation(tmp_path, **tested)  # type: ignore[arg-type]
    assert found.counts("anna")
    assert not found.counts("Ben")
    assert found.standing("t0").first == {"even": 1}


def test_an_interrupted_test_resumes_with_the_same_questions(tmp_path: Path) -> None:
    sitting = sit(tmp_path, "Anna", tested=(30, 6, 3))
    first = [asked(sitting)]
    sitting.answer((EVEN,))
    first.append(asked(sitting))
    sitting.close()
    again = sit(tmp_path, "Anna", tested=(30, 6, 3))
    assert asked(again) == first[1]
    again.back()
    assert asked(again) == first[0]


def test_votes_of_the_disqualified_are_replaced(tmp_path: Path) -> None:
    for name in "abc":
        answer_all(tmp_path, name, {})
    found = annotation(tmp_path)
    found.decide_about("B", counts=False)
    assert {each.state for _, each in found.standings()} == {State.OPEN}
    with pytest.raises(SettingError, match="disqualified"):
        sit(tmp_path, "b")
    assert len(answer_all(tmp_path, "d", {})) == 3
    found.refresh()
    assert {each.state for _, each in found.standings()} == {State.DECIDED}
    assert {each.name: each.disqualified for each in found.annotators()}["b"]
    # Two, not three: the others' agreement with b, c and d each on three tasks.
    assert {each.name: each.with_others for each in found.annotators()}["a"] == (9, 9)
    found.decide_about("b", counts=True)
    assert found.counts("b")


def test_agreement_is_of_complete_tasks_and_the_second_round_replaces_the_first(
    tmp_path: Path,
) -> None:
    for name, pick in zip("abc", (EVEN, ODD, NONE), strict=True):
        answer_all(tmp_path, name, {"t1": pick}, number=3)
    for name in "abc":
        answer_all(tmp_path, name, {"t1": ODD}, number=3)
    found = annotation(tmp_path)
    first, final = agreement([each for _, each in found.standings()], found.rules)
    assert first is not None
    assert final is not None
    assert (first.items, first.raters, first.observed) == (3, 3, pytest.approx(2 / 3))
    # The one who voted last kept to their choice: two of three agree on one task of three.
    assert final.observed == pytest.approx((1 + 1 + 1 / 3) / 3)
    assert agreement([], found.rules) == (None, None)


def test_a_vote_that_cannot_be_kept_is_not_counted(tmp_path: Path) -> None:
    sitting = sit(tmp_path, "Anna")
    sitting.close()
    with pytest.raises(DataError):
        sitting.answer((ODD,))
    assert asked(sitting) == "t0"
    assert sitting.picked == ()


def test_a_vote_is_kept_and_counted_beside_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    sitting = sit(tmp_path, "Anna")
    bad = tmp_path / "votes" / "aa.jsonl"
    bad.write_text("not JSON\n")
    trouble = sitting.answer((ODD,))
    assert trouble is not None
    assert trouble.where == f"{bad}:1"
    assert asked(sitting) == "t1"
    bad.unlink()
    assert sitting.answer((EVEN,)) is None
    sitting.close()
    votes = annotation(tmp_path).votes.of("Anna")
    assert {task: ballot.choice for (task, _), ballot in votes.items()} == {
        "t0": "odd",
        "t1": "even",
    }


def test_votes_on_unknown_tasks_are_reported(tmp_path: Path) -> None:
    answer_all(tmp_path, "a", {}, number=5)
    assert annotation(tmp_path, number=3).unknown() == 2


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_every_task_is_decided_or_dropped_with_enough_annotators(
    tmp_path_factory: pytest.TempPathFactory, chance: random.Random, votes: int
) -> None:
    folder = tmp_path_factory.mktemp("crowd")
    found = annotation(folder, number=4, votes=votes)
    for number in range(2 * votes):
        sitting = sit(folder, f"person {number}", number=4, votes=votes)
        while isinstance(sitting.present, Task):
            sitting.answer((chance.choice((EVEN, EVEN, ODD, NONE)),))
        sitting.close()
    found.refresh()
    for _, each in found.standings():
        assert each.state in {State.DECIDED, State.DROPPED}
        assert sum(each.first.values()) == votes
        assert sum(each.again.values()) in {0, votes}
        assert each.surplus == each.discarded == 0
