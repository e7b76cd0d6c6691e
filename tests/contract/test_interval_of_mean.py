"""The interval of a mean of estimates: against their own, and by how often it holds."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.summary import interval_of_mean
from core.statistics.proportion import wilson

COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def part(right: int, n: int) -> tuple[float, tuple[float, float]]:
    return right / n, wilson(right, n)


@given(COUNTS)
def test_the_mean_of_one_part_has_the_interval_of_the_part(case: tuple[int, int]) -> None:
    assert interval_of_mean([part(*case)]) == pytest.approx(wilson(*case))


@given(COUNTS, st.integers(2, 9))
def test_the_interval_of_n_equal_parts_is_narrower_by_the_root_of_n(
    case: tuple[int, int], number: int
) -> None:
    value, (low, high) = part(*case)
    interval = interval_of_mean([(value, (low, high))] * number)
    assert interval is not None
    assert value - interval[0] == pytest.approx((value - low) / math.sqrt(number), abs=1e-9)
    assert interval[1] - value == pytest.approx((high - value) / math.sqrt(number), abs=1e-9)


@given(st.lists(COUNTS, min_size=1, max_size=6))
def test_the_interval_contains_the_mean_and_is_not_empty(cases: list[tuple[int, int]]) -> None:
    parts = [part(*case) for case in cases]
    interval = interval_of_mean(parts)
    assert interval is not None
    mean = sum(value for value, _ in parts) / len(parts)
    assert 0 <= interval[0] <= mean + 1e-9
    assert mean - 1e-9 <= interval[1] <= 1
    assert interval[0] < interval[1]


def test_a_part_without_interval_leaves_the_mean_without() -> None:
    assert interval_of_mean([part(3, 4), (0.5, None)]) is None
    assert interval_of_mean([]) is None


@pytest.mark.parametrize(
    ("first", "second"), [((12, 0.3), (20, 0.8)), ((15, 0.5), (15, 0.95)), ((8, 0.1), (40, 0.6))]
)
def test_the_interval_covers_the_true_mean_in_95_percent(
    first: tuple[int, float], second: tuple[int, float]
) -> None:
    """Over every outcome of two samples, each by how likely it is."""
    (n, p), (m, q) = first, second
    covered = 0.0
    for x, y in product(range(n + 1), range(m + 1)):
        likely = math.comb(n, x) * p**x * (1 - p) ** (n - x)
        likely *= math.comb(m, y) * q**y * (1 - q) ** (m - y)
        low, high = interval_of_mean([part(x, n), part(y, m)]) or (1.0, 0.0)
        covered += likely * (low <= (p + q) / 2 <= high)
    assert 0.93 <= covered <= 0.98
