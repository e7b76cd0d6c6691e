"""Figures: the Wilson interval by its defining equation, and values without a denominator."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.summary import Figure, Summary
from core.statistics.proportion import wilson

Z = 1.959963984540054


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_ends_of_the_interval_are_z_standard_errors_away(case: tuple[int, int]) -> None:
    right, n = case
    observed = right / n
    low, high = wilson(right, n)
    assert 0 <= low <= observed <= high <= 1
    for end in (low, high):
        if 0 < end < 1:
            assert abs(observed - end) == pytest.approx(
                Z * math.sqrt(end * (1 - end) / n), abs=1e-9
            )


def test_zero_right_of_93_has_an_upper_end_of_four_percent() -> None:
    low, high = wilson(0, 93)
    assert low == 0
    assert high == pytest.approx(0.0397, abs=5e-5)


def test_a_figure_over_nothing_is_zero_and_has_no_interval() -> None:
    figure = Figure("Consistency", 0, 0)
    assert figure.value == 0
    assert figure.interval is None


def test_a_figure_that_cannot_be_known_says_so() -> None:
    summary = Summary("unified", (Figure("Accuracy", 3, 4), Figure("Cloze Accuracy", None, 4)))
    assert summary.figures[1].value is None
    assert summary.figures[1].interval is None
    assert summary.not_checkable == ("Cloze Accuracy",)
