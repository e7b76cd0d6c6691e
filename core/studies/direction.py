"""Directions of the residual stream: the difference of means over counterfactual pairs.

In each group of cases (a family of stories, a graph) the mean state of those with one right answer
is taken from that of those with the other; a direction is the mean of these differences (difference
in means, as Marks & Tegmark 2023, "The Geometry of Truth", section 5, and Rimsky et al. 2024,
"Steering Llama 2 via Contrastive Activation Addition", section 3, use it). It is learned on half of
the groups and added to the cases of the other half.

A direction does much the same to every case, so the interval of a mean over cases says nothing of
chance in learning it. That is tested by directions that were learned alike from labels shuffled
inside the groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.studies.probe_cases import shuffled_within
from core.studies.ranking import Floats, Integers

HALVES = 2
FEWEST = 5
"""Fewest groups of each half that hold both answers."""
RANDOM = 3
"""How many random directions a direction is compared with, in every block."""
SHUFFLES = 19
"""How many directions of shuffled labels: the fewest that can give a p-value of .05."""
STRENGTHS = (0.5, 1.0, 2.0)
"""What a direction is multiplied by before it is added."""
WHOLE = STRENGTHS.index(1.0)
"""The index of a direction that is added as it is."""
States = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Directions:
    """The directions of one half, with random ones of the same norm."""

    learned: Floats
    """(blocks, width)."""
    random: Floats
    """(`RANDOM`, blocks, width)."""
    shuffled: Floats
    """(`SHUFFLES`, blocks, width), learned from shuffled labels."""


def halves(clusters: Integers, labels: Integers, seed: int) -> Integers:
    """The half (n,) of each case: groups stay whole, and those with both answers are split evenly.

    ValueError where fewer than `FEWEST` such groups are in a half.
    """
    count = int(clusters.max()) + 1
    both = (np.bincount(clusters, labels == 1, count) > 0) & (
        np.bincount(clusters, labels == 0, count) > 0
    )
    if int(both.sum()) < HALVES * FEWEST:
        raise ValueError(f"at least {HALVES * FEWEST} groups with both answers are needed")
    generator = np.random.default_rng(seed)
    half = np.zeros(count, np.int64)
    for kind in (both, ~both):
        members = generator.permutation(np.flatnonzero(kind))
        half[members] = np.arange(len(members)) % HALVES
    return half[clusters]


def learned(states: States, labels: Integers, clusters: Integers) -> Floats:
    """The direction from label 0 to label 1 in every block, (blocks, width).

    `states` is (n, blocks, width). Groups without both labels do not count.
    """
    differences = []
    for cluster in np.unique(clusters):
        ones, zeros = (states[(clusters == cluster) & (labels == label)] for label in (1, 0))
        if len(ones) and len(zeros):
            ones, zeros = ones.astype(np.float64), zeros.astype(np.float64)
            differences.append(ones.mean(axis=0) - zeros.mean(axis=0))
    mean: Floats = np.mean(differences, axis=0)
    return mean


def directions(states: States, labels: Integers, clusters: Integers, seed: int) -> Directions:
    """The directions of some cases, and random ones drawn with `seed`."""
    direction = learned(states, labels, clusters)
    generator = np.random.default_rng(seed)
    drawn = generator.normal(size=(RANDOM, *direction.shape))
    drawn *= np.linalg.norm(direction, axis=1)[:, None] / np.linalg.norm(drawn, axis=2)[..., None]
    shuffled = [
        learned(states, shuffled_within(labels, clusters, generator), clusters)
        for _ in range(SHUFFLES)
    ]
    return Directions(direction, drawn, np.array(shuffled))


def chosen_blocks(effects: Floats, half: Integers) -> list[int]:
    """For each half the block with the largest mean effect (n, blocks) in the other half.

    The last block is never chosen: what is added there is read out as it is.
    """
    return [
        int(np.argmax(effects[half != h, :-1].mean(axis=0))) if effects.shape[1] > 1 else 0
        for h in range(HALVES)
    ]


def chosen_effect(effects: Floats, half: Integers) -> float:
    """The mean effect in the blocks that the other half chose."""
    blocks = np.array(chosen_blocks(effects, half))[half]
    return float(effects[np.arange(len(half)), blocks].mean())


def permutation_p(effects: Floats, shuffled: Floats, half: Integers) -> float:
    """The share of labellings, the real one included, with an effect as large, one-sided.

    Args:
        effects: of the learned directions, (n, blocks).
        shuffled: of those of shuffled labels, (n, blocks, `SHUFFLES`).
        half: of each case, (n,).
    """
    own = chosen_effect(effects, half)
    others = [chosen_effect(shuffled[:, :, index], half) for index in range(shuffled.shape[2])]
    return (1 + sum(other >= own for other in others)) / (1 + len(others))
