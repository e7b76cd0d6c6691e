"""The percentile bootstrap over clusters.

Tuples of one head event are not independent, so whole head events are resampled with replacement
(Davison and Hinkley, 1997, section 3.8), and every tuple is weighted by the number of times that
its head event was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from core.statistics.bootstrap import RESAMPLES, SEED

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def cluster_codes(heads: Sequence[str]) -> Codes:
    """The cluster number of each tuple, from 0; a tuple without a head event has its own."""
    known: dict[str | int, int] = {}
    return np.array(
        [known.setdefault(head or index, len(known)) for index, head in enumerate(heads)],
        dtype=np.intp,
    )


def drawn_weights(codes: Codes) -> Iterator[Floats]:
    """For each of `RESAMPLES` resamples: how often each cluster is drawn, shape (clusters,)."""
    clusters = int(codes.max(initial=-1)) + 1
    if clusters < 2:
        return  # The variance between clusters cannot be estimated from one.
    generator = np.random.default_rng(SEED)
    for _ in range(RESAMPLES):
        picked = generator.integers(0, clusters, size=clusters)
        yield np.bincount(picked, minlength=clusters).astype(np.float64)
