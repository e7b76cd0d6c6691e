"""Intervals of figures that are no proportions: the percentile bootstrap over clusters.

Tuples of one head event are not independent of each other, so whole head events are drawn with
replacement (Davison and Hinkley, 1997, section 3.8), and every tuple counts as often as its head
event was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from core.statistics.bootstrap import RESAMPLES, SEED

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def cluster_codes(heads: Sequence[str]) -> Codes:
    """The cluster of each tuple, counted from 0; a tuple without a head event is its own."""
    known: dict[str | int, int] = {}
    return np.array(
        [known.setdefault(head or place, len(known)) for place, head in enumerate(heads)],
        dtype=np.intp,
    )


def drawn_weights(codes: Codes) -> Iterator[Floats]:
    """How often each cluster is drawn, for each of `RESAMPLES` draws; one number per cluster."""
    clusters = int(codes.max(initial=-1)) + 1
    if clusters < 2:
        return  # One cluster tells nothing of how clusters differ.
    generator = np.random.default_rng(SEED)
    for _ in range(RESAMPLES):
        picked = generator.integers(0, clusters, size=clusters)
        yield np.bincount(picked, minlength=clusters).astype(np.float64)
