"""The delete-a-group jackknife, against closed forms and simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t

from core.statistics.jackknife import FEWEST, jackknife_interval, log_odds_interval
from core.statistics.proportion import wilson


def leave_out(values: list[float]) -> list[float | None]:
    return [(sum(values) - value) / (len(values) - 1) for value in values]


@pytest.mark.parametrize("count", [10, 13, 30, 200])
def test_of_a_mean_it_is_the_interval_of_student(count: int) -> None:
    values = np.random.default_rng(count).normal(2, 3, count).tolist()
    interval = jackknife_interval(float(np.mean(values)), leave_out(values))
    error = float(np.std(values, ddof=1)) / math.sqrt(count)
    assert interval == pytest.approx(t.interval(0.95, count - 1, np.mean(values), error), abs=2e-3)


def test_the_interval_of_a_ratio_covers_it() -> None:
    """Accuracy after a gate: a ratio of two counts, over 30 groups of ten stories."""
    generator = np.random.default_rng(4)
    covered, tries = 0, 300
    for _ in range(tries):
        passed = generator.random((30, 10)) < 0.6
        right = passed & (generator.random((30, 10)) < 0.3)
        estimate = right.sum() / passed.sum()
        without = [
            float((right.sum() - right[group].sum()) / (passed.sum() - passed[group].sum()))
            for group in range(30)
        ]
        interval = jackknife_interval(float(estimate), without)
        assert interval is not None
        covered += interval[0] <= 0.3 <= interval[1]
    assert covered / tries >= 0.92


def test_few_groups_and_figures_that_cannot_vary_have_no_interval() -> None:
    assert jackknife_interval(0.5, [0.4, 0.6] * (FEWEST // 2 - 1)) is None
    assert jackknife_interval(0.5, [0.5] * 30) is None
    assert jackknife_interval(0.5, [*[0.4, 0.6] * 10, None]) is None


def test_an_interval_by_log_odds_is_as_far_above_as_below_there() -> None:
    low, high = log_odds_interval(0.9, 0.02, cases=50)
    odds = [math.log(share / (1 - share)) for share in (low, 0.9, high)]
    assert odds[1] - odds[0] == pytest.approx(odds[2] - odds[1])
    assert odds[1] - odds[0] == pytest.approx(t.ppf(0.975, 29) * 0.02 / 0.09, rel=1e-4)


def test_an_interval_by_log_odds_stays_between_0_and_1() -> None:
    for estimate in (1e-9, 0.5, 1 - 1e-9):
        low, high = log_odds_interval(estimate, 0.4, cases=2)
        assert 0 <= low <= estimate <= high <= 1
    assert log_odds_interval(1.0, 0.0, cases=20) == wilson(20, 20)
    assert log_odds_interval(0.7, 0.0, cases=10) == wilson(7, 10)
