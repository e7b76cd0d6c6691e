"""What a probe is fitted on, and how its scores are compared: questions with two answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from core.studies.probe_fits import Features, held_out
from core.studies.ranking import Floats, Integers, Ranked, ranked

Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ProbeCases:
    """Questions with the same two options: all arrays are (n, ...)."""

    blocks: Sequence[Features]
    labels: Integers
    """0 or 1: which of two options is right."""
    clusters: Integers
    margins: Floats
    """The model's own, in nats: log-probability of the option that label 1 calls right minus that
    of the other."""
    surfaces: Mapping[str, Features] = field(default_factory=dict)
    """Features without the model's work, by name: the embeddings, a bag of words."""

    @property
    def own_rights(self) -> Truths:
        """Whether the margin is above 0 just where label 1 is right."""
        return self.rights(self.margins)

    @property
    def question_clusters(self) -> Integers:
        """(n,)."""
        return self.clusters

    @property
    def base_rate(self) -> float:
        """The share of the commoner label."""
        return float(max(self.labels.mean(), 1 - self.labels.mean()))

    def held_out(self, features: Features, folds: Integers) -> Floats:
        """Log-odds of label 1 from fits of the other folds."""
        return held_out(features, self.labels, folds)

    def recalibrated(self, folds: Integers) -> Floats:
        """The model's own margins, fitted as a probe is."""
        return self.held_out(self.margins[:, None], folds)

    def surface_scores(self, folds: Integers) -> Mapping[str, Floats]:
        """Held-out scores of each feature that needs no block of the model."""
        return {name: self.held_out(features, folds) for name, features in self.surfaces.items()}

    def ranking(self, scores: Floats, folds: Integers) -> Ranked:
        """Pairs of one fold."""
        return ranked(scores, self.labels, self.clusters, folds)

    def rights(self, scores: Floats) -> Truths:
        """Whether scores are above 0 just where label 1 is right."""
        truths: Truths = (scores > 0) == (self.labels == 1)
        return truths

    def shuffled(self, folds: Integers, seed: int) -> Self:
        """Labels permuted inside each fold, so that every fold keeps its base rate."""
        generator = np.random.default_rng(seed)
        return replace(self, labels=shuffled_within(self.labels, folds, generator))

    def control_task(self, seed: int) -> Self:
        """One random label for all cases of a cluster."""
        count = int(self.clusters.max()) + 1
        drawn = np.random.default_rng(seed).integers(0, 2, count)[self.clusters]
        return replace(self, labels=drawn.astype(np.int64))

    def ungrouped(self) -> Self:
        """The same cases with each a cluster of its own."""
        return replace(self, clusters=np.arange(len(self.labels), dtype=np.int64))


def shuffled_within(labels: Integers, groups: Integers, generator: np.random.Generator) -> Integers:
    """`labels` permuted inside each group, such as a fold or a cluster."""
    mixed = labels.copy()
    for group in np.unique(groups):
        inside = groups == group
        mixed[inside] = generator.permutation(labels[inside])
    return mixed
