"""Whether the right answer is linearly decodable from the states of a model, with controls.

Folds hold whole clusters. The block is chosen inside each training part by folds of its own (nested
cross-validation), so that the AUC is that of cases which neither chose nor fitted anything.
The control task is that of Hewitt & Liang (2019): one random label for all cases of a cluster.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.studies.ranking import (
    Estimate,
    Floats,
    Integers,
    Ranked,
    area,
    difference,
    draws,
    ranked,
)

FOLDS = 5
INNER_FOLDS = 3
# Strength of the L2 penalty of standardised features: more features than cases is the usual case.
INVERSE_PENALTY = 0.01


class Verdict(StrEnum):
    """What a probe shows."""

    NOT_ENCODED = "not encoded"
    IN_THE_WORDS = "in the words"
    NOT_MORE_THAN_SAID = "not more than said"
    ENCODED_NOT_USED = "encoded, not used"


@dataclass(frozen=True)
class Cases:
    """What is probed: `blocks` holds one (n, width) array a block, all other arrays are (n, ...).

    `margins` are the model's own, in nats: log-probability of the option that label 1
    calls right minus that of the other. `surfaces` are features without the model's work: the
    embedding layer, a bag of words.
    """

    blocks: Sequence[Floats]
    labels: Integers
    clusters: Integers
    margins: Floats
    surfaces: Sequence[Floats] = ()


@dataclass(frozen=True)
class Probed:
    """The figures of a probe; differences are paired over the same draws of clusters."""

    cases: int
    clusters: int
    base_rate: float
    accuracy: float
    chosen: tuple[int, ...]
    probe: Estimate
    margin: Estimate
    shuffled: Estimate
    over_margin: Estimate
    over_shuffled: Estimate
    over_surfaces: tuple[Estimate, ...]
    selectivity: float
    verdict: Verdict


def probed(cases: Cases, *, seed: int = 0) -> Probed:
    """Probe `cases`; ValueError where a label or clusters are too few for the folds."""
    labels = cases.labels
    clusters = np.unique(cases.clusters, return_inverse=True)[1].astype(np.int64)
    count = int(clusters.max()) + 1
    if count < FOLDS * 2 or min(int(labels.sum()), int((1 - labels).sum())) < FOLDS * 2:
        raise ValueError(f"at least {FOLDS * 2} clusters and cases of each label are needed")
    folds = grouped_folds(labels, clusters, FOLDS, seed)
    weights = draws(count)

    def pairs(scores: Floats, of: Integers = labels) -> Ranked:
        return ranked(scores, of, clusters, folds)

    scores, chosen = nested_scores(cases.blocks, labels, clusters, folds, seed)
    probe = pairs(scores)
    margin = pairs(held_out(cases.margins[:, None], labels, folds))
    mixed = shuffled_within(labels, folds, seed)
    shuffled = pairs(nested_scores(cases.blocks, mixed, clusters, folds, seed)[0], mixed)
    surfaces = [pairs(held_out(features, labels, folds)) for features in cases.surfaces]
    over_surfaces = tuple(difference(probe, surface, weights) for surface in surfaces)
    found = area(probe, weights)
    over_margin = difference(probe, margin, weights)
    over_shuffled = difference(probe, shuffled, weights)
    commonest = max(set(chosen), key=chosen.count)
    return Probed(
        cases=len(labels),
        clusters=count,
        base_rate=float(max(labels.mean(), 1 - labels.mean())),
        accuracy=float(((scores > 0) == (labels == 1)).mean()),
        chosen=chosen,
        probe=found,
        margin=area(margin, weights),
        shuffled=area(shuffled, weights),
        over_margin=over_margin,
        over_shuffled=over_shuffled,
        over_surfaces=over_surfaces,
        selectivity=selectivity(cases.blocks[commonest], labels, clusters, seed),
        verdict=_verdict(found, over_margin, over_shuffled, over_surfaces),
    )


def _verdict(
    probe: Estimate, margin: Estimate, shuffled: Estimate, surfaces: tuple[Estimate, ...]
) -> Verdict:
    # Written so that an interval which could not be computed (NaN) never makes a finding.
    if not (probe.low > 0.5 and shuffled.low > 0):
        return Verdict.NOT_ENCODED
    if not all(surface.low > 0 for surface in surfaces):
        return Verdict.IN_THE_WORDS
    return Verdict.ENCODED_NOT_USED if margin.low > 0 else Verdict.NOT_MORE_THAN_SAID


def grouped_folds(labels: Integers, clusters: Integers, count: int, seed: int) -> Integers:
    """The fold (n,) of each case: clusters stay whole, labels are spread as evenly as may be."""
    from sklearn.model_selection import StratifiedGroupKFold

    folds = np.zeros(len(labels), dtype=np.int64)
    split = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
    for fold, (_, held) in enumerate(split.split(labels[:, None], labels, clusters)):
        folds[held] = fold
    return folds


def held_out(features: Floats, labels: Integers, folds: Integers) -> Floats:
    """Log-odds (n,) of label 1 for each case, from a fit of the other folds only."""
    scores = np.zeros(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        scores[held] = _fitted_scores(features[~held], labels[~held], features[held])
    return scores


def nested_scores(
    blocks: Sequence[Floats], labels: Integers, clusters: Integers, folds: Integers, seed: int
) -> tuple[Floats, tuple[int, ...]]:
    """Held-out log-odds (n,), and the block that each fold's training part chose by its own AUC."""
    scores = np.zeros(len(labels))
    chosen: list[int] = []
    for fold in np.unique(folds):
        held = folds == fold
        train = ~held
        inner = grouped_folds(labels[train], clusters[train], INNER_FOLDS, seed)
        whole = np.ones((1, int(clusters.max()) + 1))
        areas = []
        for features in blocks:
            guess = held_out(features[train], labels[train], inner)
            # The last cluster may be held out; `ranked` sizes by what it is given.
            pairs = ranked(guess, labels[train], clusters[train], inner)
            areas.append(float(pairs.area(whole[:, : len(pairs.won)])[0]))
        best = int(np.argmax(areas))
        chosen.append(best)
        scores[held] = _fitted_scores(blocks[best][train], labels[train], blocks[best][held])
    return scores, tuple(chosen)


def shuffled_within(labels: Integers, folds: Integers, seed: int) -> Integers:
    """`labels` permuted inside each fold, so that every fold keeps its base rate."""
    generator = np.random.default_rng(seed)
    mixed = labels.copy()
    for fold in np.unique(folds):
        held = folds == fold
        mixed[held] = generator.permutation(labels[held])
    return mixed


def selectivity(features: Floats, labels: Integers, clusters: Integers, seed: int) -> float:
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


def _fitted_scores(train: Floats, labels: Integers, held: Floats) -> Floats:
    from sklearn.linear_model import LogisticRegression

    if labels.min() == labels.max():
        return np.zeros(len(held))
    centre, spread = train.mean(axis=0), train.std(axis=0)
    spread = np.where(spread > 0, spread, 1)
    fit = LogisticRegression(C=INVERSE_PENALTY, max_iter=500)
    fit.fit((train - centre) / spread, labels)
    return np.asarray(fit.decision_function((held - centre) / spread), dtype=np.float64)
