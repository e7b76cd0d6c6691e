"""Logistic fits of held-out cases; fits and folds are scikit-learn's, from the extra `studies`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.studies.ranking import DECIMALS, LEFT_OUT, Floats, Integers, fold_numbers

Features = NDArray[np.float32] | Floats
INVERSE_PENALTY = 0.01
"""scikit-learn's `C` for standardised features: there are usually more features than cases."""
_ROUNDING = 1e-12
"""Of a number of a feature, relative to its largest."""


def grouped_folds(labels: Integers, clusters: Integers, count: int, seed: int) -> Integers:
    """The fold (n,) of each case: clusters stay whole, labels are spread as evenly as may be."""
    from sklearn.model_selection import StratifiedGroupKFold

    folds = np.zeros(len(labels), dtype=np.int64)
    split = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
    for fold, (_, held) in enumerate(split.split(labels[:, None], labels, clusters)):
        folds[held] = fold
    return folds


def held_out(
    features: Features, labels: Integers, folds: Integers, places: Integers | None = None
) -> Floats:
    """Log-odds (n,) of label 1 for each case, from a fit of the other folds only, rounded.

    Cases of the fold `LEFT_OUT` are neither fitted nor scored. With `places` (n,) the mean of a
    case's place over the other folds is taken from its features first: where all places have one
    mean, no linear fit can tell them apart (Belrose et al. 2023, "LEACE", theorem 3.1).
    """
    scores = np.zeros(len(labels))
    for fold in fold_numbers(folds):
        held = folds == fold
        train = ~held & (folds != LEFT_OUT)
        used = features if places is None else less_means(features, places, train)
        scores[held] = _fitted_scores(used[train], labels[train], used[held])
    # As they are kept, so that whoever ranks the kept ones gets the same; -0 becomes 0.
    rounded: Floats = np.round(scores, DECIMALS) + 0.0
    return rounded


def less_means(
    features: Features, groups: Integers, known: NDArray[np.bool_] | None = None
) -> Floats:
    """The features (n, width) less the mean of their group, (n,), over the `known` ones.

    Of a group without a known one nothing is taken.
    """
    known = np.ones(len(groups), dtype=np.bool_) if known is None else known
    count = int(groups.max()) + 1
    sums = np.zeros((count, features.shape[1]))
    np.add.at(sums, groups[known], features[known].astype(np.float64))
    means = sums / np.maximum(np.bincount(groups[known], minlength=count), 1)[:, None]
    less = features - means[groups]
    # What is left of equal numbers by rounding would be scaled up, and say which group it is.
    less[np.abs(less) < _ROUNDING * np.abs(features).max(axis=0)] = 0.0
    return less


def _fitted_scores(train: Features, labels: Integers, held: Features) -> Floats:
    from sklearn import config_context
    from sklearn.linear_model import LogisticRegression

    if labels.min() == labels.max():
        return np.zeros(len(held))
    train, held = train.astype(np.float64), held.astype(np.float64)
    centre, spread = train.mean(axis=0), train.std(axis=0)
    spread = np.where(spread > 0, spread, 1)
    train, held = (train - centre) / spread, (held - centre) / spread
    if train.shape[1] > len(train):
        # The penalised fit lies in the span of the cases, so its coordinates there suffice.
        basis = np.linalg.qr(train.T)[0]
        train, held = train @ basis, held @ basis
    # What scikit-learn would check takes longer than most of these fits.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        fit = LogisticRegression(C=INVERSE_PENALTY, solver="newton-cholesky")
        fit.fit(train, labels)
        return np.asarray(fit.decision_function(held), dtype=np.float64)
