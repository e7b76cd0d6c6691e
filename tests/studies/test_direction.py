"""Directions are learned from pairs inside groups, and chance is told by shuffled labels."""

from __future__ import annotations

import numpy as np
import pytest

from core.studies.direction import (
    HALVES,
    SHUFFLES,
    chosen_effect,
    directions,
    halves,
    learned,
    permutation_p,
)


def test_a_direction_is_the_mean_of_the_differences_inside_groups() -> None:
    states = np.zeros((5, 1, 2), np.float32)
    states[:, 0] = [[1, 0], [3, 0], [10, 5], [10, 7], [99, 99]]
    labels = np.array([0, 1, 1, 0, 1])
    clusters = np.array([0, 0, 1, 1, 2])
    # The last group has one label only, and what groups differ in is not in the direction.
    assert learned(states, labels, clusters).tolist() == [[1.0, -1.0]]


def test_halves_keep_groups_whole_and_share_out_those_with_both_answers() -> None:
    clusters = np.repeat(np.arange(15), 3)
    labels = np.where(clusters < 11, np.arange(45) % 3 == 0, 1).astype(np.int64)
    half = halves(clusters, labels, seed=3)
    assert all(len(set(half[clusters == cluster])) == 1 for cluster in range(15))
    both = [half[clusters == cluster][0] for cluster in range(11)]
    assert sorted(np.bincount(both, minlength=HALVES)) == [5, 6]
    with pytest.raises(ValueError, match="both answers"):
        halves(clusters[:20], labels[:20], seed=3)


def test_random_directions_have_the_norm_of_the_learned_one_in_every_block() -> None:
    generator = np.random.default_rng(0)
    states = generator.normal(size=(20, 3, 8)).astype(np.float32)
    half = directions(states, np.arange(20) % 2, np.arange(20) // 2, seed=1)
    norms = np.linalg.norm(half.learned, axis=1)
    assert np.linalg.norm(half.random, axis=2) == pytest.approx(np.tile(norms, (3, 1)))
    assert half.shuffled.shape == (SHUFFLES, 3, 8)
    assert not np.allclose(half.shuffled[0], half.learned)


def test_the_last_block_is_never_chosen() -> None:
    half = np.array([0, 0, 1, 1])
    effects = np.array([[1.0, 2.0, 9.0]] * 4)
    assert chosen_effect(effects, half) == 2.0


def test_chance_in_learning_a_direction_makes_findings_as_often_as_it_may() -> None:
    generator = np.random.default_rng(4)
    significant = 0
    for _ in range(400):
        # It does the same to every case, so an interval over cases would find nearly all.
        weights = generator.normal(size=(2, 3, 1 + SHUFFLES))
        half = np.arange(20) % 2
        effects = weights[half] + 0.01 * generator.normal(size=(20, 3, 1 + SHUFFLES))
        significant += permutation_p(effects[:, :, 0], effects[:, :, 1:], half) <= 0.05
    assert 8 <= significant <= 32
