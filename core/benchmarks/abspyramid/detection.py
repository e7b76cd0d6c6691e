"""Figures of abstraction detection, as the paper reports them (section 6.1, table 6).

Accuracy, precision, recall and F1 use the picked answers; ROC-AUC and average precision use
P(yes). An unreadable answer is wrong and counted separately; if there are any, accuracy and
macro-F1 are also given for the readable answers alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.benchmarks.abspyramid.predictions import DetectionPrediction
from core.benchmarks.abspyramid.ranking import HIGH_PRECISION, Ranking
from core.benchmarks.abspyramid.tuples import Relation
from core.contract.summary import Figure
from core.statistics.bootstrap import percentile_interval
from core.statistics.cluster_bootstrap import cluster_codes, drawn_weights

POOLED = "all"
"""Name of the figures over all relations together."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Number or weight of tuples by label and picked answer."""

    valid_yes: float
    valid_no: float
    valid_unread: float
    invalid_yes: float
    invalid_no: float
    invalid_unread: float

    @property
    def accuracy(self) -> float | None:
        """Share of correct answers; None without a tuple."""
        return _share(
            self.valid_yes + self.invalid_no,
            self.valid_yes
            + self.valid_no
            + self.valid_unread
            + self.invalid_yes
            + self.invalid_no
            + self.invalid_unread,
        )

    @property
    def precision(self) -> float:
        """Share of valid concepts among "yes" answers; 0 without a "yes"."""
        return _share(self.valid_yes, self.valid_yes + self.invalid_yes) or 0.0

    @property
    def recall(self) -> float:
        """Share of "yes" answers among valid concepts; 0 without a valid concept."""
        return _share(self.valid_yes, self.valid_yes + self.valid_no + self.valid_unread) or 0.0

    @property
    def f1(self) -> float:
        """F1 of the class "valid"; 0 if undefined."""
        return self._valid_f1 or 0.0

    @property
    def macro_f1(self) -> float | None:
        """Mean F1 of "valid" and "invalid", without a class that is neither a label nor picked."""
        invalid_f1 = _f1(self.invalid_no, self.valid_no, self.invalid_yes + self.invalid_unread)
        values = [value for value in (self._valid_f1, invalid_f1) if value is not None]
        return sum(values) / len(values) if values else None

    @property
    def _valid_f1(self) -> float | None:
        return _f1(self.valid_yes, self.invalid_yes, self.valid_no + self.valid_unread)


@dataclass(frozen=True, slots=True)
class DetectionScores:
    """The figures of one relation, or of all."""

    figures: tuple[Figure, ...]
    counts: Mapping[str, int]
    """Numbers of labels, unreadable answers, head events and so on."""
    accuracy_clustered: tuple[float, float] | None
    """Bootstrap interval of the accuracy over head events; None if they are unknown."""

    @property
    def n(self) -> int:
        """Number of tuples with a label."""
        return self.figures[0].n


def score_detection(predictions: Sequence[DetectionPrediction]) -> dict[str, DetectionScores]:
    """The figures over all predictions ("all") and for each relation that occurs."""
    scores = {POOLED: _scores(predictions)}
    for relation in Relation:
        own = [each for each in predictions if each.relation is relation]
        if own:
            scores[relation.value] = _scores(own)
    return scores


def confusion(predictions: Sequence[DetectionPrediction]) -> Confusion:
    """The confusion matrix of the labelled tuples."""
    return Confusion(*(float(column) for column in _outcomes(predictions).sum(axis=0)))


def chance_macro_f1(positive: float) -> float:
    """Expected macro-F1 of a fair coin if a share `positive` of the labels is "valid".

    For each class, precision is the share of the label and recall is one half. This gives the row
    "Random" of the paper's tables 4 and 20.
    """
    return sum(share / (share + 0.5) for share in (positive, 1 - positive)) / 2


def _scores(predictions: Sequence[DetectionPrediction]) -> DetectionScores:
    labelled = [each for each in predictions if each.label is not None]
    columns = _outcomes(labelled)
    whole = Confusion(*(float(column) for column in columns.sum(axis=0)))
    read = Confusion(whole.valid_yes, whole.valid_no, 0, whole.invalid_yes, whole.invalid_no, 0)
    scored = [i for i, each in enumerate(labelled) if each.p_yes is not None]
    ranking = Ranking(
        [labelled[i].label is True for i in scored],
        [p for i in scored if (p := labelled[i].p_yes) is not None],
    )
    n = len(labelled)
    valid = sum(each.label is True for each in labelled)
    unread = sum(each.picked is None for each in labelled)

    codes = cluster_codes([each.head for each in labelled])
    clusters = int(codes.max(initial=-1)) + 1
    by_cluster = np.zeros((clusters, columns.shape[1]))
    np.add.at(by_cluster, codes, columns)
    drawn: list[Confusion] = []
    drawn_read: list[Confusion] = []
    areas: list[float | None] = []
    averages: list[float | None] = []
    ranked_codes = codes[np.array(scored, dtype=np.intp)]
    for weights in drawn_weights(codes):
        resampled = weights @ by_cluster
        drawn.append(Confusion(*(float(value) for value in resampled)))
        resampled[[2, 5]] = 0
        drawn_read.append(Confusion(*(float(value) for value in resampled)))
        area, average = ranking.measures(weights[ranked_codes])
        areas.append(area)
        averages.append(average)

    trivial = _baselines(valid, n)
    area, average = ranking.measures()
    right = int(whole.valid_yes + whole.invalid_no)
    figures = [
        Figure("accuracy", right, n, trivial.get("accuracy", {})),
        _mean("macro_f1", whole.macro_f1, n, [c.macro_f1 for c in drawn], trivial.get("macro_f1")),
        _mean(
            "roc_auc",
            area,
            len(scored),
            areas,
            trivial.get("roc_auc"),
            "" if area is not None else _no_ranking_reason(scored, "only one label occurs"),
        ),
        _mean(
            "precision",
            whole.precision if n else None,
            n,
            [c.precision for c in drawn],
            trivial.get("precision"),
        ),
        _mean(
            "recall",
            whole.recall if n else None,
            n,
            [c.recall for c in drawn],
            trivial.get("recall"),
        ),
        _mean("f1", whole.f1 if n else None, n, [c.f1 for c in drawn], trivial.get("f1")),
        _mean(
            "average_precision",
            average,
            len(scored),
            averages,
            trivial.get("average_precision"),
            "" if average is not None else _no_ranking_reason(scored, "no tuple is valid"),
        ),
    ]
    if unread:
        figures += [
            Figure("accuracy_read", right, n - unread, note="answers that were read"),
            _mean(
                "macro_f1_read",
                read.macro_f1,
                n - unread,
                [c.macro_f1 for c in drawn_read],
                note="answers that were read",
            ),
        ]
    named = any(each.head for each in labelled)
    return DetectionScores(
        tuple(figures),
        {
            "valid": valid,
            "invalid": n - valid,
            "unlabelled": len(predictions) - n,
            "unreadable": sum(each.picked is None or each.p_unread for each in labelled),
            "unreadable_pred": unread,
            "unreadable_p_yes": sum(each.p_unread for each in labelled),
            "without_p_yes": sum(each.p_yes is None and not each.p_unread for each in labelled),
            "head_events": clusters if named else 0,
        },
        percentile_interval(c.accuracy for c in drawn) if named else None,
    )


def _baselines(valid: int, n: int) -> dict[str, dict[str, float]]:
    """Figures of a fair coin ("random") and of the more frequent label ("majority").

    The paper's tables omit macro-F1 of the majority; here it is the mean over both classes, and
    the class that is never picked has an F1 of 0.
    """
    if not n:
        return {}
    positive = valid / n
    most = max(positive, 1 - positive)
    mixed = 0 < valid < n
    all_yes = positive >= 0.5
    baselines = {
        "accuracy": {"random": 0.5, "majority": most},
        "macro_f1": {
            "random": chance_macro_f1(positive),
            "majority": most / (1 + most) if mixed else 1.0,
        },
        "precision": {"random": positive, "majority": positive if all_yes else 0.0},
        "recall": {"random": 0.5, "majority": 1.0 if all_yes else 0.0},
        "f1": {
            "random": positive / (positive + 0.5),
            "majority": 2 * positive / (1 + positive) if all_yes else 0.0,
        },
        # With equal scores there is one threshold; its precision is the share of "valid".
        "average_precision": {"majority": positive if positive >= HIGH_PRECISION else 0.0},
    }
    if mixed:
        baselines["roc_auc"] = {"random": 0.5, "majority": 0.5}
    return baselines


def _outcomes(
    predictions: Sequence[DetectionPrediction],
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """One-hot rows, shape (predictions, 6), in the order of `Confusion`; zeros if unlabelled."""
    columns = np.zeros((len(predictions), 6))
    for row, each in enumerate(predictions):
        if each.label is not None:
            column = 2 if each.picked is None else 0 if each.picked else 1
            columns[row, column + (0 if each.label else 3)] = 1
    return columns


def _mean(
    name: str,
    value: float | None,
    n: int,
    drawn: Sequence[float | None],
    baselines: Mapping[str, float] | None = None,
    note: str = "",
) -> Figure:
    """A figure that is not a proportion, with its interval; unknown if `value` is None."""
    if value is None:
        return Figure(name, None, n, {}, note)
    return Figure(name, None, n, baselines or {}, note, value, percentile_interval(drawn))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _f1(right: float, false: float, missed: float) -> float | None:
    """F1 of one class; None if it is neither a label nor picked."""
    return _share(2 * right, 2 * right + false + missed)


def _no_ranking_reason(scored: Sequence[int], otherwise: str) -> str:
    return otherwise if scored else "no P(yes) is given"
