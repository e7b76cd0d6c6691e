"""Differences of two answerers on the same questions, against closed forms and simulations."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, permutation_test

from core.statistics.paired import detectable_difference, mcnemar, paired_difference, permutation_p

right_or_wrong = st.integers(0, 1).map(float)
questions = st.lists(
    st.tuples(right_or_wrong, right_or_wrong, st.integers(0, 9)), min_size=2, max_size=60
)


def test_mcnemar_is_the_binomial_tail_doubled() -> None:
    for first_only in range(12):
        for second_only in range(12):
            discordant = first_only + second_only
            fewer = min(first_only, second_only)
            tail = sum(math.comb(discordant, k) for k in range(fewer + 1)) / 2**discordant
            assert mcnemar(first_only, second_only) == pytest.approx(min(1.0, 2 * tail))


def test_without_scipy_there_is_no_p_value_and_no_power(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    assert mcnemar(3, 8) is None
    assert detectable_difference(356, 157) is None


@given(questions)
def test_exchanging_the_answerers_turns_the_difference_around(
    asked: list[tuple[float, float, int]],
) -> None:
    first, second, clusters = zip(*asked, strict=True)
    forth = paired_difference(first, second, clusters)
    back = paired_difference(second, first, clusters)
    assert forth.difference == pytest.approx(-back.difference)
    assert forth.clusters == len(set(clusters))
    if forth.interval is None or back.interval is None:
        assert forth.interval is back.interval is None
    else:
        # The draws are random, and so the ends of both agree in distribution only.
        assert forth.interval[0] == pytest.approx(-back.interval[1], abs=0.1)
        assert forth.interval[0] <= forth.difference + 1e-9
        assert forth.difference - 1e-9 <= forth.interval[1]


def test_questions_of_one_cluster_count_as_one_case() -> None:
    generator = np.random.default_rng(5)
    first = generator.integers(0, 2, 40).astype(float).tolist()
    second = generator.integers(0, 2, 40).astype(float).tolist()
    alone = paired_difference(first, second, range(40))
    copied = paired_difference(first * 9, second * 9, [*range(40)] * 9)
    assert alone.interval == pytest.approx(copied.interval)
    independent = paired_difference(first * 9, second * 9, range(360))
    assert alone.interval is not None
    assert independent.interval is not None
    width = alone.interval[1] - alone.interval[0]
    narrow = independent.interval[1] - independent.interval[0]
    assert width == pytest.approx(3 * narrow, rel=0.1)


def test_equal_answers_have_no_interval() -> None:
    assert paired_difference([1, 0, 1], [1, 0, 1], "abc").interval is None
    assert paired_difference([0, 0, 0], [1, 1, 1], "abc").interval is None
    assert paired_difference([1, 0, 1], [0, 1, 1], "aaa").interval is None


def test_the_interval_covers_the_difference_of_the_population() -> None:
    """40 clusters of five questions that share half of their difference; nominal 95 %."""
    generator = np.random.default_rng(11)
    truth, covered, tries = 0.1, 0, 100
    for _ in range(tries):
        ease = np.repeat(generator.normal(0, 0.15, 40), 5)
        first = (generator.random(200) < 0.5).astype(float)
        second = (generator.random(200) < 0.6 + ease).astype(float)
        made = paired_difference(first.tolist(), second.tolist(), np.repeat(range(40), 5).tolist())
        assert made.interval is not None
        covered += made.interval[0] <= truth <= made.interval[1]
    assert covered / tries >= 0.9


def test_permuted_soft_scores_give_the_p_value_of_scipy() -> None:
    generator = np.random.default_rng(2)
    first = generator.choice([0, 1 / 3, 1 / 2, 1], 60)
    second = np.clip(first + generator.choice([0, 0, 0, 1 / 2, -1 / 3], 60), 0, 1)
    theirs = permutation_test(
        (first, second),
        lambda one, other, axis: (other - one).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    )
    ours = permutation_p(first.tolist(), second.tolist(), range(60))
    assert ours == pytest.approx(theirs.pvalue, abs=0.015)


def test_the_sign_of_a_cluster_is_exchanged_as_a_whole() -> None:
    # Ten clusters that all prefer the second: 2 of 1,024 sign patterns are as extreme.
    first, second = [0.0] * 50, [1.0] * 50
    clusters = [i // 5 for i in range(50)]
    assert permutation_p(first, second, clusters) == pytest.approx(2 / 1024, abs=0.0015)


def exact_power(n: int, share: float, difference: float) -> float:
    """The probability of every table of discordant pairs whose p-value is below .05."""
    better = (share + difference) / 2
    return sum(
        float(binom.pmf(more, n, better) * binom.pmf(fewer, n - more, rest))
        for rest in [min(1.0, (share - difference) / 2 / (1 - better))]
        for more in range(n + 1)
        for fewer in range(n - more + 1)
        if (mcnemar(more, fewer) or 0.0) < 0.05
    )


@pytest.mark.parametrize(("n", "discordant"), [(8, 8), (20, 10), (40, 12)])
def test_at_a_detectable_difference_the_power_is_four_in_five(n: int, discordant: int) -> None:
    difference = detectable_difference(n, discordant)
    assert difference is not None
    assert exact_power(n, discordant / n, difference) == pytest.approx(0.8, abs=1e-5)


@pytest.mark.parametrize(("n", "discordant"), [(356, 157), (100, 40), (1000, 100)])
def test_a_detectable_difference_is_found_four_times_in_five(n: int, discordant: int) -> None:
    difference = detectable_difference(n, discordant)
    assert difference is not None
    share = discordant / n
    generator = np.random.default_rng(7)
    cells = [(share + difference) / 2, (share - difference) / 2, 1 - share]
    tables = generator.multinomial(n, cells, size=400)
    p_values = [mcnemar(int(more), int(fewer)) for more, fewer, _ in tables]
    found = sum(p is not None and p < 0.05 for p in p_values) / len(p_values)
    assert 0.74 <= found <= 0.86


def test_too_few_questions_would_show_no_difference() -> None:
    assert detectable_difference(4, 2) is None
    # Of five discordant pairs in one direction the p-value is .0625.
    assert detectable_difference(5, 5) is None
    assert detectable_difference(50, 0) is None
