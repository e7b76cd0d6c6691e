"""Whether the right answer is linearly decodable from the states of a model, with controls.

Folds hold whole clusters. The block is chosen inside each training part by folds of its own (nested
cross-validation), so that the AUC is that of cases which neither chose nor fitted anything. The
control task is that of Hewitt & Liang (2019, "Designing and Interpreting Probes with Control
Tasks"): random labels that can only be memorised. What the cases are, and which of them are
compared, is said by a `ProbeTask`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import add

import numpy as np

from core.studies.option_cases import OptionCases
from core.studies.probe_cases import ProbeCases, Truths
from core.studies.probe_fits import grouped_folds
from core.studies.ranking import LEFT_OUT, Estimate, Floats, Integers, area, difference, draws, mean

ProbeTask = ProbeCases | OptionCases
"""Cases with labels, of which a probe says how likely label 1 is: questions, or their options."""

FOLDS = 5
INNER_FOLDS = 3
FEWEST = 2 * FOLDS
"""Fewest clusters, and fewest cases of each label."""
SHUFFLES = 3
"""How many random labellings the control of shuffled labels is averaged over."""
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
class ProbedBlock:
    """The probe of one block."""

    auc: Estimate
    shuffled: float
    """AUC of the probes of shuffled labels."""
    accuracy: float


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """The figures of a probe; differences are paired over the same draws of clusters."""

    questions: int
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
    """The share of questions that the best constant answer is right about."""
    own_accuracy: float
    """The model's own."""
    accuracy: float
    """That of the probe of the chosen blocks."""
    naive: Estimate
    """The best block's accuracy minus the model's own: what no conclusion may rest on."""
    verdict: ProbeVerdict
    scores: Sequence[Floats]
    """Held-out log-odds of label 1, (cases,) for each block."""
    folds: Integers
    """The fold that held each case out, (cases,)."""


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Held-out log-odds of label 1."""

    blocks: Sequence[Floats]
    """(cases,) for each block."""
    chosen: tuple[int, ...]
    nested: Floats
    """(cases,), each fold's from the block that its training part chose."""


def probe(task: ProbeTask, *, seed: int = 0) -> ProbeFinding:
    """Probe the cases of a task; ValueError where a label or clusters are too few for the folds.

    One thread computes: the fits are small and many, so threads would mostly wait for each other,
    the longer the busier the machine is.
    """
    # Comes with scikit-learn.
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return _probed(task, seed)


def _probed(task: ProbeTask, seed: int) -> ProbeFinding:
    count = int(task.clusters.max()) + 1
    positives = int(task.labels.sum())
    if count < FEWEST or min(positives, len(task.labels) - positives) < FEWEST:
        raise ValueError(f"at least {FEWEST} clusters and cases of each label are needed")
    folds = folds_of(task, FOLDS, seed)
    weights = draws(count)
    fitted = _fitted(task, folds, seed)
    mixed = [task.shuffled(folds, seed + number) for number in range(SHUFFLES)]
    mixed_fits = [_fitted(each, folds, seed) for each in mixed]
    shuffled = reduce(
        add,
        (each.ranking(fit.nested, folds) for fit, each in zip(mixed_fits, mixed, strict=True)),
    )
    probed = task.ranking(fitted.nested, folds)
    margin = task.ranking(task.recalibrated(folds), folds)
    surfaces = {
        name: task.ranking(scores, folds) for name, scores in task.surface_scores(folds).items()
    }
    over_surfaces = {name: difference(probed, each, weights) for name, each in surfaces.items()}
    nested_area = area(probed, weights)
    over_margin = difference(probed, margin, weights)
    over_shuffled = difference(probed, shuffled, weights)
    rights = [task.rights(scores) for scores in fitted.blocks]
    own = task.own_rights
    best = max(rights, key=lambda right: float(right.mean()))
    return ProbeFinding(
        questions=len(own),
        clusters=count,
        blocks=tuple(
            ProbedBlock(
                area(task.ranking(scores, folds), weights),
                float(
                    np.mean(
                        [
                            each.ranking(fit.blocks[block], folds).whole
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
        selectivity=selectivity(task, max(set(fitted.chosen), key=fitted.chosen.count), seed),
        base_rate=task.base_rate,
        own_accuracy=float(own.mean()),
        accuracy=float(task.rights(fitted.nested).mean()),
        naive=mean(best.astype(np.float64) - own, task.question_clusters, weights),
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


def folds_of(task: ProbeTask, count: int, seed: int, among: Truths | None = None) -> Integers:
    """The fold (cases,) of each case: clusters stay whole, labels are spread evenly.

    Cases that are not `among` those to be parted are left out.
    """
    if among is None:
        return grouped_folds(task.labels, task.clusters, count, seed)
    folds = np.full(len(task.labels), LEFT_OUT, dtype=np.int64)
    folds[among] = grouped_folds(task.labels[among], task.clusters[among], count, seed)
    return folds


def _fitted(task: ProbeTask, folds: Integers, seed: int) -> _Fitted:
    """Held-out log-odds of every block, and of the block that each training part chose."""
    scores = [task.held_out(features, folds) for features in task.blocks]
    nested = np.zeros(len(task.labels))
    chosen: list[int] = []
    for fold in np.unique(folds):
        held = folds == fold
        inner = folds_of(task, INNER_FOLDS, seed, ~held)
        areas = [
            task.ranking(task.held_out(features, inner), inner).whole for features in task.blocks
        ]
        best = int(np.argmax(np.nan_to_num(areas, nan=CHANCE)))
        chosen.append(best)
        nested[held] = scores[best][held]
    return _Fitted(scores, tuple(chosen), nested)


def selectivity(task: ProbeTask, block: int, seed: int) -> float:
    """AUC of a block less that of its control task, both in folds that split clusters.

    A probe that learns random labels has room to memorise. Descriptive: folds that keep clusters
    whole would put the control task at chance, whatever the probe.
    """
    areas = []
    for each in (task.ungrouped(), task.control_task(seed).ungrouped()):
        folds = folds_of(each, FOLDS, seed)
        areas.append(each.ranking(each.held_out(each.blocks[block], folds), folds).whole)
    return areas[0] - areas[1]
