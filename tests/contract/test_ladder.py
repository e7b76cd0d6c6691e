"""Judging and climbing: the first maximum wins, the first failure ends what counts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.ladder import climb
from core.contract.question import (
    Answer,
    OptionScore,
    Question,
    Shot,
    Status,
    Verdict,
    score_by_likelihood,
    shares,
)


def question(layer: str = "one", gold: int | None = 0, options: int = 3) -> Question:
    return Question(
        "item",
        layer,
        "Instruction.\n\n\n",
        " Text: ",
        tuple(f"option {i}" for i in range(options)),
        gold,
    )


def verdict(*sums: float, layer: str = "one", gold: int | None = 0) -> Verdict:
    answer = Answer(tuple(OptionScore(value) for value in sums))
    return score_by_likelihood(question(layer, gold, len(sums)), answer)


@given(st.lists(st.integers(-9, 0), min_size=2, max_size=14))
def test_the_first_of_the_highest_sums_wins_and_ties_are_marked(sums: list[int]) -> None:
    judged = verdict(*map(float, sums))
    assert judged.answer == sums.index(max(sums))
    assert (judged.status is Status.TIE) == (sums.count(max(sums)) > 1)
    assert judged.right == (judged.answer == 0)


def test_a_score_that_is_not_a_number_never_wins() -> None:
    assert verdict(math.nan, -3.0, -2.0).answer == 2
    nothing = verdict(math.nan, math.nan)
    assert nothing.answer is None
    assert nothing.status is Status.NO_ANSWER
    assert nothing.right is False


def test_rungs_after_the_first_failure_are_kept_and_not_counted() -> None:
    right, wrong = (-1.0, -2.0), (-2.0, -1.0)
    ladder = climb(
        [verdict(*right, layer="a"), verdict(*wrong, layer="b"), verdict(*right, layer="c")]
    )
    assert ladder.first_failure == "b"
    assert [rung.counted for rung in ladder.rungs] == [True, True, False]
    assert ladder.rungs[2].verdict.right is True


def test_a_rung_without_gold_neither_fails_nor_counts() -> None:
    ladder = climb([verdict(-1.0, -2.0, gold=None)])
    assert ladder.first_failure is None
    assert ladder.rungs[0].counted is False


@given(st.lists(st.floats(-2000, 0), min_size=1, max_size=14))
def test_probabilities_add_up_and_keep_the_order_of_scores(sums: list[float]) -> None:
    probabilities = shares(verdict(*sums).scores)
    assert math.fsum(probabilities) == pytest.approx(1)
    for a, share in zip(sums, probabilities, strict=True):
        for b, other in zip(sums, probabilities, strict=True):
            assert a <= b or share >= other


def test_base_prompt_drops_one_newline_of_the_instruction() -> None:
    asked = Question("i", "l", "Do it.\n\n\n", "Text:", ("a",), 0, shots=(Shot("Text:", "b"),))
    assert asked.base() == "Do it.\n\nText: b\n\nText:"


def test_chat_turns_follow_whether_the_template_takes_a_system_turn() -> None:
    asked = Question("i", "l", "Do it.\n\n\n", "Text: ", ("a",), 0, shots=(Shot("Text: ", "b"),))
    with_system = [(turn.role, turn.content) for turn in asked.chat(system=True)]
    assert with_system == [
        ("system", "Do it."),
        ("user", "Text:"),
        ("assistant", "b"),
        ("user", "Text:"),
    ]
    without = [(turn.role, turn.content) for turn in asked.chat(system=False)]
    assert without == [("user", "Do it.\n\n\nText:"), ("assistant", "b"), ("user", "Text:")]
