"""Logistic regression on counts, with intervals that leave out one cluster at a time.

The models are fitted by statsmodels, and whether they have an estimate at all is decided by
scipy; both come with the extra `stats`. Whoever calls imports this module when it is used.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

from core.statistics.jackknife import jackknife_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Log odds ratios, with those of the samples without each cluster."""

    values: Floats
    """Shape (coefficients,), that of the constant first."""
    without: Floats
    """Shape (clusters, coefficients); not a number where a sample has no estimate."""

    def interval(self, weights: Sequence[float]) -> tuple[float, float] | None:
        """The 95 % interval of a weighted sum of coefficients by the jackknife over clusters."""
        sums = [None if np.isnan(each) else float(each) for each in self.without @ weights]
        return jackknife_interval(float(self.values @ weights), sums)


def logistic(
    rows: Sequence[tuple[float, ...]], right: Sequence[bool], clusters: Sequence[Hashable]
) -> Coefficients | None:
    """Fit the log odds of being right as a linear function of the columns of `rows`.

    Args:
        rows: the explaining numbers of each case, of equal length; at least one case.
        right: whether each case is right.
        clusters: the cluster of each case; cases of one cluster may be alike.

    Returns:
        None where the data have no finite estimate: columns that depend on each other, or a
        weighted sum of them that separates right from wrong cases (Albert and Anderson, 1984).
    """
    kinds, kind_of = np.unique(np.array(rows, dtype=np.float64), axis=0, return_inverse=True)
    names = {cluster: index for index, cluster in enumerate(dict.fromkeys(clusters))}
    cluster_of = [names[cluster] for cluster in clusters]
    counts = np.zeros((len(names), len(kinds), 2))
    for cluster, kind, answer in zip(cluster_of, kind_of.reshape(-1), right, strict=True):
        counts[cluster, kind, 0 if answer else 1] += 1
    design = np.column_stack([np.ones(len(kinds)), kinds])
    whole = counts.sum(axis=0)
    values = _fit(design, whole)
    if values is None:
        return None
    unknown = np.full(design.shape[1], np.nan)
    fits = [_fit(design, whole - part) for part in counts]
    return Coefficients(values, np.array([unknown if fit is None else fit for fit in fits]))


def _fit(design: Floats, counts: Floats) -> Floats | None:
    """Coefficients for counts of right and wrong cases, shape (kinds, 2); None without a finite
    estimate."""
    asked = counts.sum(axis=1) > 0
    design, counts = design[asked], counts[asked]
    if np.linalg.matrix_rank(design) < design.shape[1] or _separated(design, counts):
        return None
    # With as many coefficients as kinds the fit is perfect: statsmodels takes it for separation,
    # and divides by the 0 degrees of freedom that are left, for a scale that is not used here.
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        fitted = GLM(counts, design, family=Binomial()).fit()
    values = np.asarray(fitted.params, dtype=np.float64)
    return values if np.isfinite(values).all() else None


def _separated(design: Floats, counts: Floats) -> bool:
    """Whether a weighted sum of the columns is never negative for right cases, never positive for
    wrong ones, and not always zero: then the likelihood has no maximum (Konis, 2007)."""
    signed = np.concatenate([design[counts[:, 0] > 0], -design[counts[:, 1] > 0]])
    best = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=(-1, 1))
    return bool(-best.fun > 1e-9)
