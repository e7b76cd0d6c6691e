"""States of a model in which what can be decoded is known because it was put there."""

from __future__ import annotations

import numpy as np

from core.studies.probe_cases import ProbeCases


def states(
    seed: int,
    *,
    families: int = 40,
    planted: float = 0.0,
    said: float = 0.0,
    base_rate: float = 0.5,
    shared: float = 0.5,
) -> ProbeCases:
    """Three cases a family and three blocks of width 16.

    Block 1 holds the label with strength `planted`; the margin holds it with strength `said` and
    stands in block 2 too; a family shares `shared` of its noise.
    """
    generator = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(families), 3)
    labels = (generator.random(len(clusters)) < base_rate).astype(np.int64)
    sign = 2.0 * labels - 1

    def noise() -> np.ndarray:
        own = generator.normal(size=(len(labels), 16))
        return own + shared * generator.normal(size=(families, 16))[clusters]

    margins = said * sign + generator.normal(size=len(labels))
    blocks = [noise(), noise(), noise()]
    blocks[1][:, 0] += planted * sign
    blocks[2][:, 0] = margins
    return ProbeCases(blocks, labels, clusters, margins, {"words": noise()})
