"""Verdicts on multiple select: what is picked, what is right, and what part of it counts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers.scoring import score_answer, shows_letters
from core.contract import registry
from core.contract.question import (
    Answer,
    OptionScore,
    Question,
    Scoring,
    Shot,
    Status,
    Verdict,
    score_by_likelihood,
)
from core.contract.setting import Setting

LETTERED = "Which?\nA) a\nB) b\nC) c\nD) d\nE) e\nF) f"


def asked(*golds: int, options: int = 6) -> Question:
    names = tuple(f"option {i}" for i in range(options))
    return Question("i", "l", "", LETTERED, names, None, golds=golds, multiple=True)


def generated(text: str) -> Answer:
    return Answer(text=text, scoring=Scoring.GENERATED)


def scored(*sums: float) -> Answer:
    return Answer(tuple(OptionScore(value) for value in sums))


@pytest.mark.parametrize("bench", ["gita", "accord", "com2", "abspyramid"])
def test_a_question_is_known_again_when_it_is_asked_with_worked_examples(bench: str) -> None:
    benchmark = registry.load(bench)
    collection = benchmark.open(benchmark.samples())
    shots = (Shot("Is a cat an animal?", "yes"),)
    for position in range(0, len(collection), 40):
        item = collection.item(position)
        for layer in benchmark.layers:
            bare = benchmark.question(item, Setting(), layer.id)
            with_examples = benchmark.question(item, Setting(), layer.id, shots)
            if bare is not None and with_examples is not None:
                assert with_examples.base() != bare.base()
                assert with_examples.digest() == bare.digest()


@pytest.mark.parametrize(
    ("text", "credit"),
    [
        ("Answer: A), B), D), F)", 1.0),
        ("Answer: F, D, B, A", 1.0),
        ("Answer: A)_____B)____", 0.5),
        ("Answer: D", 0.25),
        ("Answer: A, B, D", 0.75),
        ("Answer: A, C", 0.0),
        ("Answer: A, B, C, D, F", 0.0),
        ("Nothing helps.", 0.0),
    ],
)
def test_credit_is_the_soft_score_of_the_paper(text: str, credit: float) -> None:
    """Com² (Xiong et al., 2025, section 3.1), with four right options of six."""
    verdict = score_answer(asked(0, 1, 3, 5), generated(text))
    assert verdict.credit == credit
    assert verdict.right is (credit == 1.0)


@given(st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5), min_size=1))
def test_credit_is_between_0_and_1(picked: set[int], golds: set[int]) -> None:
    letters = ", ".join("ABCDEF"[i] for i in sorted(picked))
    verdict = score_answer(asked(*golds), generated(f"Answer: {letters}"))
    assert verdict.credit is not None
    assert 0 <= verdict.credit <= 1
    assert (verdict.credit == 1) == bool(verdict.right) == (picked == golds)
    assert (verdict.credit > 0) == (bool(picked) and picked <= golds)
    assert verdict.golds == tuple(sorted(golds))


def test_without_gold_nothing_is_right_or_wrong() -> None:
    verdict = score_answer(asked(), generated("Answer: A"))
    assert (verdict.right, verdict.credit, verdict.answers) == (None, None, (0,))


def test_single_choice_has_all_the_credit_or_none() -> None:
    one = Question("i", "l", "", LETTERED, ("a", "b"), 1)
    assert [score_answer(one, generated(f"Answer: {letter}")).credit for letter in "BA"] == [
        1.0,
        0.0,
    ]
    assert (
        score_answer(
            Question("i", "l", "", LETTERED, ("a", "b"), None), generated("Answer: A")
        ).credit
        is None
    )


@pytest.mark.parametrize(
    ("sums", "picked", "status"),
    [
        ((-1, -1, -9), (0, 1), Status.OK),
        ((-9, -1, -9), (1,), Status.OK),
        ((-1, -1, -1), (), Status.TIE),
        ((-1, math.nan, -9), (0,), Status.OK),
        ((-1, -math.inf, -1.5), (0,), Status.OK),
        ((math.nan,) * 3, (), Status.NO_ANSWER),
        ((), (), Status.NO_ANSWER),
    ],
)
def test_likely_options_are_those_above_the_uniform_share(
    sums: tuple[float, ...], picked: tuple[int, ...], status: Status
) -> None:
    verdict = score_by_likelihood(asked(0, options=3), scored(*sums))
    assert (verdict.answers, verdict.status) == (picked, status)
    assert isinstance(verdict, Verdict)


@given(st.lists(st.floats(-50, 0), min_size=2, max_size=8))
def test_the_likeliest_is_picked_and_never_all(sums: list[float]) -> None:
    verdict = score_by_likelihood(asked(0, options=len(sums)), scored(*sums))
    assert len(verdict.answers) < len(sums)
    if verdict.answers:
        assert sums.index(max(sums)) in verdict.answers


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A) x B) y", True),
        ("（A）x（B）y", True),
        ("A. x\nB. y", True),
        ("Ａ、x Ｂ、y", True),
        ("A story: who is B", False),
        ("Is it true?", False),
        ("A) x", False),
    ],
)
def test_letters_are_shown_where_every_option_has_one(text: str, shown: bool) -> None:
    assert shows_letters(Question("i", "l", "", text, ("x", "y"), 0)) is shown
