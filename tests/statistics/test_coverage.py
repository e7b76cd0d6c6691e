"""A short slice of performance/coverage.py: intervals hold what they are about."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from core.statistics.bootstrap import FEWEST_CLUSTERS, percentile_interval
from core.statistics.cluster_interval import mean_interval
from core.statistics.student_t import t_quantile
from performance.coverage import LEAST, SHARES, clustered_cases, exact_cells


def test_shares_of_independent_items_are_covered() -> None:
    assert all((cell.coverage or 0) >= LEAST for cell in exact_cells())


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("clusters", [3, 5, 28])
def test_shares_of_clusters_are_covered(clusters: int, soft: bool) -> None:
    random = np.random.default_rng(3)
    held = given = 0
    for share in SHARES:
        for _ in range(30):
            interval = mean_interval(clustered_cases(random, clusters, 0.5, share, soft=soft))
            assert interval is not None
            assert interval[0] < interval[1]
            given += 1
            held += interval[0] <= share <= interval[1]
    assert held / given >= LEAST


def test_quantiles_are_those_of_scipy() -> None:
    for freedom in (*range(1, 60), 1000):
        assert t_quantile(freedom) == pytest.approx(t.ppf(0.975, freedom), rel=1e-5)


def test_a_bootstrap_of_few_or_equal_values_has_no_interval() -> None:
    values = np.random.default_rng(1).normal(size=1000).tolist()
    assert percentile_interval(values, FEWEST_CLUSTERS - 1) is None
    assert percentile_interval([0.5] * 1000, 100) is None
    assert percentile_interval([*values, *[None] * 1001], 100) is None


def test_percentiles_of_few_clusters_are_further_out() -> None:
    values = np.random.default_rng(1).normal(size=20_000).tolist()
    low, high = percentile_interval(values, 10) or (0.0, 0.0)
    # Those of a normal distribution at t(9) times the root of 10 / 9.
    assert (low, high) == pytest.approx((-2.3845, 2.3845), abs=0.1)


def test_two_clusters_of_several_cases_have_no_interval() -> None:
    assert mean_interval([("a", 1), ("a", 0), ("b", 1), ("b", 1)]) is None
    assert mean_interval([]) is None
