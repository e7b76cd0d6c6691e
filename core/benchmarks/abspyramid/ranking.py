"""ROC-AUC and average precision of P(yes), which need no threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.statistics.cluster_bootstrap import Floats

HIGH_PRECISION = 0.5
"""Lowest precision of a threshold that counts for the average precision."""


class Ranking:
    """Labelled scores in descending order; equal scores form one threshold."""

    def __init__(self, valid: Sequence[bool], scores: Sequence[float]) -> None:
        """Rank tuples by their scores, which must be finite; `valid` are their labels."""
        values = np.asarray(scores, dtype=np.float64)
        self._order = np.argsort(-values, kind="stable")
        ordered = values[self._order]
        self._valid = np.asarray(valid, dtype=np.float64)[self._order]
        first = np.ones(len(ordered), dtype=np.bool_)
        first[1:] = ordered[1:] != ordered[:-1]
        self._starts = np.flatnonzero(first)

    def measures(self, weights: Floats | None = None) -> tuple[float | None, float | None]:
        """ROC-AUC and average precision, with optional weights in the order of the input.

        * ROC-AUC is the probability that a valid tuple ranks above an invalid one, with ties as one
          half: the Mann-Whitney statistic (Hanley and McNeil, 1982). None if only one label
          occurs.
        * The average precision is the paper's APS (table 6, after Hosseini et al., 2021): the
          sum, over the thresholds whose precision is at least 0.5, of the recall gained there
          times the precision there, without interpolation. "Precision > 0.5" in the paper is
          ">= 0.5" in the authors' code, which is followed. None without a valid tuple.
        """
        if not len(self._starts):
            return None, None
        weight = np.ones(len(self._valid)) if weights is None else weights[self._order]
        valid = np.add.reduceat(weight * self._valid, self._starts)
        invalid = np.add.reduceat(weight * (1 - self._valid), self._starts)
        all_valid, all_invalid = valid.sum(), invalid.sum()
        if not all_valid:
            return None, None
        valid_above, invalid_above = np.cumsum(valid), np.cumsum(invalid)
        area = None
        if all_invalid:
            below = all_invalid - invalid_above
            area = float((valid * (below + invalid / 2)).sum() / (all_valid * all_invalid))
        taken = valid_above + invalid_above
        # A bootstrap sample may contain no tuple above some threshold.
        precision = np.divide(valid_above, taken, out=np.zeros_like(taken), where=taken > 0)
        high = precision >= HIGH_PRECISION
        return area, float((valid[high] * precision[high]).sum() / all_valid)
