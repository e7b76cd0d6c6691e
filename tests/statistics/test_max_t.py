"""One permutation test over many means keeps the rate of false findings, and finds effects."""

from __future__ import annotations

import numpy as np
import pytest

from core.statistics.max_t import FEWEST_CLUSTERS, max_t_p_values


def test_false_findings_anywhere_are_at_most_as_many_as_the_level_says() -> None:
    rejected = 0
    for seed in range(200):
        drawn = np.random.default_rng(seed)
        clusters = [str(index // 3) for index in range(30)]
        shared = np.repeat(drawn.standard_normal((10, 1)), 3, axis=0)
        figures = shared + drawn.standard_normal((30, 24))
        figures[drawn.random((30, 24)) < 0.2] = np.nan
        known = [p for p in max_t_p_values(figures, clusters) if p is not None]
        rejected += min(known) < 0.05
    # Of 200 true nulls 5 % are 10; more than 18 would be seen in less than 1 % of the tries.
    assert rejected <= 18


def test_the_cell_with_an_effect_is_found_among_others() -> None:
    drawn = np.random.default_rng(1)
    figures = drawn.standard_normal((20, 30))
    figures[:, 7] += 2.5
    p = max_t_p_values(figures, list(range(20)))
    assert [index for index, each in enumerate(p) if each is not None and each < 0.05] == [7]


def test_cells_without_figures_have_no_p_value() -> None:
    figures = np.ones((8, 3))
    figures[:, 1], figures[:, 2] = np.nan, 0.0
    p = max_t_p_values(figures, list(range(8)))
    assert p[0] == pytest.approx(2 / 2**8)
    assert p[1:] == [None, None]
    assert max_t_p_values(np.empty((0, 2)), []) == [None, None]


@pytest.mark.parametrize("clusters", [FEWEST_CLUSTERS - 1, FEWEST_CLUSTERS])
def test_few_clusters_can_show_nothing(clusters: int) -> None:
    [p] = max_t_p_values(np.ones((clusters, 1)), list(range(clusters)))
    assert p is not None
    assert (p < 0.05) is (clusters >= FEWEST_CLUSTERS)


def test_a_sign_of_all_figures_changes_nothing() -> None:
    figures = np.random.default_rng(3).standard_normal((25, 4)) + 0.3
    assert max_t_p_values(figures, range(25)) == max_t_p_values(-figures, range(25))
