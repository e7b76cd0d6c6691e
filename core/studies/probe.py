"""Whether the right answer is linearly decodable from the states of a model, with controls.

Folds hold whole clusters. The block is chosen inside each training part by folds of its own (nested
cross-validation), so that the AUC is that of cases which neither chose nor fitted anything. The
control task is that of Hewitt & Liang (2019, "Designing and Interpreting Probes with Control
Tasks"): one random label for all cases of a cluster. Fits and folds are scikit-learn's, which comes
with the extra `studies`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from core.studies.ranking import (
    DECIMALS,
    Estimate,
    Floats,
    Integers,
    Ranked,
    area,
    difference,
    draws,
    mean,
    ranked,
)

Features = NDArray[np.float32] | Floats
FOLDS = 5
INNER_FOLDS = 3
FEWEST = 2 * FOLDS
"""Fewest clusters, and fewest cases of each label."""
SHUFFLES = 3
"""How many random labellings the control of shuffled labels is averaged over."""
INVERSE_PENALTY = 0.01
"""scikit-learn's `C` for standardised features: there are usually more features than cases."""
CHANCE = 0.5
"""The AUC of scores that say nothing."""


class ProbeVerdict(StrEnum):
    """What a probe shows."""

    NOT_ENCODED = "not encoded"
    """It ranks held-out cases no better than chance, or than a probe of shuffled labels."""
    IN_THE_WORDS = "in the words"
    """Features without the model's work rank them as well."""
    NOT_MORE_THAN_SAID = "not more than said"
    """The model's own margin ranks them as well."""
    ENCODED_NOT_USED = "encoded, not used"


@dataclass(frozen=True, slots=True)
class ProbeCases:
    """What is probed: `blocks` has one (n, width) array for each, all other arrays are (n, ...)."""

    blocks: Sequence[Features]
    labels: Integers
    """0 or 1: which of two options is right."""
    clusters: Integers
    margins: Floats
    """The model's own, in nats: log-probability of the option that label 1 calls right minus that
    of the other."""
    surfaces: Mapping[str, Features] = field(default_factory=dict)
    """Features without the model's work, by name: the embeddings, a bag of words."""


@dataclass(frozen=True, slots=True)
class ProbedBlock:
    """The probe of one block."""

    auc: Estimate
    shuffled: float
    """AUC of the probes of shuffled labels."""
    accuracy: float


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """The figures of a probe; differences are paired over the same draws of clusters."""

    cases: int
    clusters: int
    blocks: tuple[ProbedBlock, ...]
    chosen: tuple[int, ...]
    """The block that each fold's training part chose."""
    probe: Estimate
    """AUC of the chosen blocks."""
    margin: Estimate
    """AUC of the model's margin, recalibrated in the same folds."""
    shuffled: Estimate
    surfaces: Mapping[str, Estimate]
    over_margin: Estimate
    over_shuffled: Estimate
    over_surfaces: Mapping[str, Estimate]
    selectivity: float
    base_rate: float
    """The share of the commoner label."""
    own_accuracy: float
    """The model's own."""
    accuracy: float
    """That of the probe of the chosen blocks."""
    naive: Estimate
    """The best block's accuracy minus the model's own: what no conclusion may rest on."""
    verdict: ProbeVerdict
    scores: Sequence[Floats]
    """Held-out log-odds of label 1, (n,) for each block."""
    folds: Integers
    """The fold that held each case out, (n,)."""


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Held-out log-odds of label 1."""

    blocks: Sequence[Floats]
    """(n,) for each block."""
    chosen: tuple[int, ...]
    nested: Floats
    """(n,), each fold's from the block that its training part chose."""


def probe(cases: ProbeCases, *, seed: int = 0) -> ProbeFinding:
    """Probe `cases`; ValueError where a label or clusters are too few for the folds.

    One thread computes: the fits are small and many, so threads would mostly wait for each other,
    the longer the busier the machine is.
    """
    # Comes with scikit-learn.
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return _probed(cases, seed)


def _probed(cases: ProbeCases, seed: int) -> ProbeFinding:
    labels = cases.labels
    clusters = np.unique(cases.clusters, return_inverse=True)[1].astype(np.int64)
    count = int(clusters.max()) + 1
    if count < FEWEST or min(int(labels.sum()), int((1 - labels).sum())) < FEWEST:
        raise ValueError(f"at least {FEWEST} clusters and cases of each label are needed")
    folds = grouped_folds(labels, clusters, FOLDS, seed)
    weights = draws(count)

    def pairs(scores: Floats, of: Integers = labels) -> Ranked:
        return ranked(scores, of, clusters, folds)

    fitted = _fitted(cases.blocks, labels, clusters, folds, seed)
    mixed = [shuffled_within(labels, folds, seed + number) for number in range(SHUFFLES)]
    mixed_fits = [_fitted(cases.blocks, target, clusters, folds, seed) for target in mixed]
    shuffled = reduce(
        add, (pairs(fit.nested, each) for fit, each in zip(mixed_fits, mixed, strict=True))
    )
    probed = pairs(fitted.nested)
    margin = pairs(held_out(cases.margins[:, None], labels, folds))
    surfaces = {
        name: pairs(held_out(features, labels, folds)) for name, features in cases.surfaces.items()
    }
    over_surfaces = {name: difference(probed, each, weights) for name, each in surfaces.items()}
    nested_area = area(probed, weights)
    over_margin = difference(probed, margin, weights)
    over_shuffled = difference(probed, shuffled, weights)
    rights = [(scores > 0) == (labels == 1) for scores in fitted.blocks]
    own = (cases.margins > 0) == (labels == 1)
    best = max(rights, key=lambda right: float(right.mean()))
    return ProbeFinding(
        cases=len(labels),
        clusters=count,
        blocks=tuple(
            ProbedBlock(
                area(pairs(scores), weights),
                float(
                    np.mean(
                        [
                            pairs(fit.blocks[block], each).whole
                            for fit, each in zip(mixed_fits, mixed, strict=True)
                        ]
                    )
                ),
                float(right.mean()),
            )
            for block, (scores, right) in enumerate(zip(fitted.blocks, rights, strict=True))
        ),
        chosen=fitted.chosen,
        probe=nested_area,
        margin=area(margin, weights),
        shuffled=area(shuffled, weights),
        surfaces={name: area(each, weights) for name, each in surfaces.items()},
        over_margin=over_margin,
        over_shuffled=over_shuffled,
        over_surfaces=over_surfaces,
        selectivity=selectivity(
            cases.blocks[max(set(fitted.chosen), key=fitted.chosen.count)], labels, clusters, seed
        ),
        base_rate=float(max(labels.mean(), 1 - labels.mean())),
        own_accuracy=float(own.mean()),
        accuracy=float(((fitted.nested > 0) == (labels == 1)).mean()),
        naive=mean(best.astype(np.float64) - own, clusters, weights),
        verdict=_verdict(nested_area, over_margin, over_shuffled, over_surfaces.values()),
        scores=fitted.blocks,
        folds=folds,
    )


def _verdict(
    nested_area: Estimate,
    over_margin: Estimate,
    over_shuffled: Estimate,
    over_surfaces: Iterable[Estimate],
) -> ProbeVerdict:
    # Written so that an interval which could not be computed (NaN) never makes a finding.
    if not (nested_area.low > CHANCE and over_shuffled.low > 0):
        return ProbeVerdict.NOT_ENCODED
    if not all(surface.low > 0 for surface in over_surfaces):
        return ProbeVerdict.IN_THE_WORDS
    if not over_margin.low > 0:
        return ProbeVerdict.NOT_MORE_THAN_SAID
    return ProbeVerdict.ENCODED_NOT_USED


def grouped_folds(labels: Integers, clusters: Integers, count: int, seed: int) -> Integers:
    """The fold (n,) of each case: clusters stay whole, labels are spread as evenly as may be."""
    from sklearn.model_selection import StratifiedGroupKFold

    folds = np.zeros(len(labels), dtype=np.int64)
    split = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
    for fold, (_, held) in enumerate(split.split(labels[:, None], labels, clusters)):
        folds[held] = fold
    return folds


def held_out(features: Features, labels: Integers, folds: Integers) -> Floats:
    """Log-odds (n,) of label 1 for each case, from a fit of the other folds only, rounded."""
    scores = np.zeros(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        scores[held] = _fitted_scores(features[~held], labels[~held], features[held])
    # As they are kept, so that whoever ranks the kept ones gets the same; -0 becomes 0.
    rounded: Floats = np.round(scores, DECIMALS) + 0.0
    return rounded


def _fitted(
    blocks: Sequence[Features], labels: Integers, clusters: Integers, folds: Integers, seed: int
) -> _Fitted:
    """Held-out log-odds of every block, and of the block that each training part chose."""
    scores = [held_out(features, labels, folds) for features in blocks]
    nested = np.zeros(len(labels))
    chosen: list[int] = []
    for fold in np.unique(folds):
        held = folds == fold
        train = ~held
        inner = grouped_folds(labels[train], clusters[train], INNER_FOLDS, seed)
        areas = [
            ranked(
                held_out(features[train], labels[train], inner),
                labels[train],
                clusters[train],
                inner,
            ).whole
            for features in blocks
        ]
        best = int(np.argmax(np.nan_to_num(areas, nan=CHANCE)))
        chosen.append(best)
        nested[held] = scores[best][held]
    return _Fitted(scores, tuple(chosen), nested)


def shuffled_within(labels: Integers, folds: Integers, seed: int) -> Integers:
    """`labels` permuted inside each fold, so that every fold keeps its base rate."""
    generator = np.random.default_rng(seed)
    mixed = labels.copy()
    for fold in np.unique(folds):
        held = folds == fold
        mixed[held] = generator.permutation(labels[held])
    return mixed


def selectivity(features: Features, labels: Integers, clusters: Integers, seed: int) -> float:
    """AUC of the task minus that of the control task, both in folds that split clusters.

    A probe that learns a random label of each cluster has room to memorise. Descriptive: folds that
    keep clusters whole would put the control task at chance, whatever the probe.
    """
    control = np.random.default_rng(seed).integers(0, 2, int(clusters.max()) + 1)[clusters]
    areas = []
    for target in (labels, control.astype(np.int64)):
        single = np.arange(len(target), dtype=np.int64)
        folds = grouped_folds(target, single, FOLDS, seed)
        pairs = ranked(held_out(features, target, folds), target, single, folds)
        areas.append(float(pairs.won.sum() / pairs.compared.sum()))
    return areas[0] - areas[1]


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
