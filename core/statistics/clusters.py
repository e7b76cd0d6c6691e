"""Clusters of cases as numbers, and groups of clusters that a jackknife leaves out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.statistics.bootstrap import SEED
from core.statistics.jackknife import GROUPS

Codes = NDArray[np.intp]


def cluster_codes(names: Sequence[str]) -> Codes:
    """The cluster number of each case, from 0; a case without a name has a cluster of its own."""
    known: dict[str | int, int] = {}
    return np.array(
        [known.setdefault(name or index, len(known)) for index, name in enumerate(names)],
        dtype=np.intp,
    )


def cluster_groups(codes: Codes) -> Codes:
    """The group of each case: clusters are dealt at random, with `SEED`, into up to `GROUPS`."""
    clusters = int(codes.max(initial=-1)) + 1
    return np.random.default_rng(SEED).permutation(clusters)[codes] % GROUPS
