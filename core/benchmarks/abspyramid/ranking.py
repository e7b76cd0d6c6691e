"""ROC-AUC and average precision of tuples that are ranked by P(yes)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Marks = NDArray[np.bool_]
Counts = NDArray[np.int64]

HIGH_PRECISION = 0.5
"""Lowest precision of a threshold that counts for the average precision."""
_CUT_ERRORS = 2
"""How many standard errors the precision of a threshold may be from `HIGH_PRECISION` for chance to
decide whether it counts."""


class Ranking:
    """Labelled scores in descending order; equal scores form one threshold."""

    def __init__(self, valid: ArrayLike, scores: ArrayLike) -> None:
        """Rank tuples by their scores, which must be finite; `valid` are their labels."""
        values = np.asarray(scores, dtype=np.float64)
        thresholds, self._threshold = np.unique(-values, return_inverse=True)
        self._is_valid = np.asarray(valid, dtype=np.bool_)
        self._valid = self._counts(self._is_valid, len(thresholds))
        self._invalid = self._counts(~self._is_valid, len(thresholds))

    def measures(self, without: Marks | None = None) -> tuple[float | None, float | None]:
        """ROC-AUC and average precision, of all tuples or of those that are not left out.

        Args:
            without: which tuples to leave out, in the order of the input.

        * ROC-AUC is the probability that a valid tuple ranks above an invalid one, with ties as one
          half: the Mann-Whitney statistic (Hanley and McNeil, 1982). None if only one label
          occurs.
        * The average precision is the paper's APS (table 6, after Hosseini et al., 2021): the
          sum, over the thresholds whose precision is at least 0.5, of the recall gained there
          times the precision there, without interpolation. "Precision > 0.5" in the paper is
          ">= 0.5" in the authors' code, which is followed. None without a valid tuple.
        """
        valid, invalid = self._by_threshold(without)
        if not valid.any():
            return None, None
        pairs = int(valid.sum()) * int(invalid.sum())
        wrong, equal = int(valid @ np.cumsum(invalid)), int(valid @ invalid)
        area = (pairs - wrong + equal / 2) / pairs if pairs else None
        return area, _average_precision(valid, invalid, 0)

    def average_precision_range(self) -> tuple[float, float]:
        """Average precision at its lowest and highest, depending on which thresholds are counted.

        For the least, only those whose precision is above 0.5 by more than chance explains; for the
        greatest, all but those that are below it by as much. At least one tuple is valid.
        """
        valid, invalid = self._by_threshold()
        return (
            _average_precision(valid, invalid, _CUT_ERRORS),
            _average_precision(valid, invalid, -_CUT_ERRORS),
        )

    def least_area_error(self, area: float) -> float:
        """The standard error of a ROC-AUC of `area` that follows from the numbers of labels alone.

        It is Hanley and McNeil's (1982, for exponential scores), and a bound from below: what is
        estimated from the tuples is too small where only few pairs are in the wrong order.
        """
        valid, invalid = self._valid.sum(), self._invalid.sum()
        of_two_valid, of_two_invalid = area / (2 - area), 2 * area**2 / (1 + area)
        variance = area * (1 - area)
        variance += (valid - 1) * (of_two_valid - area**2)
        variance += (invalid - 1) * (of_two_invalid - area**2)
        return float(np.sqrt(max(0.0, variance) / (valid * invalid)))

    def _by_threshold(self, without: Marks | None = None) -> tuple[Counts, Counts]:
        """The number of valid and of invalid tuples at each threshold, without those left out."""
        if without is None:
            return self._valid, self._invalid
        thresholds = len(self._valid)
        return (
            self._valid - self._counts(without & self._is_valid, thresholds),
            self._invalid - self._counts(without & ~self._is_valid, thresholds),
        )

    def _counts(self, tuples: Marks, thresholds: int) -> Counts:
        """How many of some tuples are at each threshold."""
        return np.bincount(self._threshold[tuples], minlength=thresholds)


def _average_precision(valid: Counts, invalid: Counts, errors: float) -> float:
    """The average precision with a cut that is so many standard errors above 0.5."""
    taken = np.cumsum(valid + invalid)
    # Without some tuples there may be none above the first thresholds.
    first = np.searchsorted(taken, 0, side="right")
    taken = taken[first:]
    precision = np.cumsum(valid)[first:] / taken
    least = HIGH_PRECISION + errors * 0.5 / np.sqrt(taken) if errors else HIGH_PRECISION
    high = precision >= least
    return float((valid[first:][high] * precision[high]).sum() / valid.sum())
