"""Verdicts on multiple select: what is picked, what is right, and what part of it counts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers.scoring import score_answer, shows_letters
from core.contract.question import (
    Answer,
    OptionScore,
    Question,
    Scoring,
    Status,
    Verdict,
    score_by_likelihood,
)

LETTERED = "Which?\nA) a\nB) b\nC) c\nD) d\nE) e\nF) f"


def asked(*golds: int, options: int = 6) -> Question:
    names = tuple(f"option {i}" for i in range(options))
    return Question("i", "l", "", LETTERED, names, None, golds=golds, multiple=True)


def said(text: str) -> Answer:
    return Answer(text=text, scoring=Scoring.GENERATED)


def scored(*sums: float) -> Answer:
    return Answer(tuple(OptionScore(value) for value in sums))


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
    found = score_answer(asked(0, 1, 3, 5), said(text))
    assert found.credit == credit
    assert found.right is (credit == 1.0)


@given(st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5), min_size=1))
def test_credit_is_between_0_and_1(picked: set[int], golds: set[int]) -> None:
    letters = ", ".join("ABCDEF"[i] for i in sorted(picked))
    found = score_answer(asked(*golds), said(f"Answer: {letters}"))
    assert found.credit is not None
    assert 0 <= found.credit <= 1
    assert (found.credit == 1) == bool(found.right) == (picked == golds)
    assert (found.credit > 0) == (bool(picked) and picked <= golds)
    assert found.golds == tuple(sorted(golds))


def test_without_gold_nothing_is_right_or_wrong() -> None:
    found = score_answer(asked(), said("Answer: A"))
    assert (found.right, found.credit, found.answers) == (None, None, (0,))


def test_single_choice_has_all_the_credit_or_none() -> None:
    one = Question("i", "l", "", LETTERED, ("a", "b"), 1)
    assert [score_answer(one, said(f"Answer: {letter}")).credit for letter in "BA"] == [1.0, 0.0]
    assert (
        score_answer(Question("i", "l", "", LETTERED, ("a", "b"), None), said("Answer: A")).credit
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
    found = score_by_likelihood(asked(0, options=3), scored(*sums))
    assert (found.answers, found.status) == (picked, status)
    assert isinstance(found, Verdict)


@given(st.lists(st.floats(-50, 0), min_size=2, max_size=8))
def test_the_likeliest_is_picked_and_never_all(sums: list[float]) -> None:
    found = score_by_likelihood(asked(0, options=len(sums)), scored(*sums))
    assert len(found.answers) < len(sums)
    if found.answers:
        assert sums.index(max(sums)) in found.answers


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
