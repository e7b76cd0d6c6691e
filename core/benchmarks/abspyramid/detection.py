"""Figures of abstraction detection, as the paper reports them (section 6.1, table 6).

Accuracy, precision, recall and F1 use the picked answers; ROC-AUC and average precision use
P(yes). An unreadable answer is wrong and counted separately; if there are any, accuracy and
macro-F1 are also given for the readable answers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from core.benchmarks.abspyramid.predictions import DetectionPrediction
from core.benchmarks.abspyramid.relation_scores import Scores, score_by_relation
from core.contract.summary import Baseline, Figure
from core.statistics.bootstrap import FEWEST_CLUSTERS, percentile_interval
from core.statistics.cluster_bootstrap import Floats, cluster_codes, drawn_weights
from core.statistics.cluster_interval import mean_interval
from core.text.language import N_, _

HIGH_PRECISION = 0.5
"""Lowest precision of a threshold that counts for the average precision."""
TOO_FEW_HEADS = N_("too few head events")
"""Why a figure has no interval."""


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


class Confusion(NamedTuple):
    """Number or weight of tuples by label and picked answer."""

    valid_yes: float
    valid_no: float
    valid_unread: float
    invalid_yes: float
    invalid_no: float
    invalid_unread: float

    def readable(self) -> Confusion:
        """The same without unreadable answers."""
        return self._replace(valid_unread=0, invalid_unread=0)

    @property
    def accuracy(self) -> float | None:
        """Share of correct answers; None without a tuple."""
        return _share(self.valid_yes + self.invalid_no, sum(self))

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


_RIGHT = (Confusion._fields.index("valid_yes"), Confusion._fields.index("invalid_no"))
_UNREAD = (Confusion._fields.index("valid_unread"), Confusion._fields.index("invalid_unread"))


def score_detection(predictions: Sequence[DetectionPrediction]) -> dict[str, Scores]:
    """The figures over all predictions ("all") and for each relation that occurs."""
    return score_by_relation(predictions, lambda each: each.relation, _scores)


def chance_macro_f1(positive: float) -> float:
    """Expected macro-F1 of a fair coin if a share `positive` of the labels is "valid".

    For each class, precision is the share of the label and recall is one half. This gives the row
    "Random" of the paper's tables 4 and 20.
    """
    return sum(share / (share + 0.5) for share in (positive, 1 - positive)) / 2


def _scores(predictions: Sequence[DetectionPrediction]) -> Scores:
    labelled = [each for each in predictions if each.label is not None]
    n = len(labelled)
    valid = sum(each.label is True for each in labelled)
    unread = sum(each.picked is None for each in labelled)
    columns = _outcomes(labelled)
    whole = Confusion(*columns.sum(axis=0).tolist())
    scored = [i for i, each in enumerate(labelled) if each.p_yes is not None]
    ranking = Ranking(
        [labelled[i].label is True for i in scored],
        [p for i in scored if (p := labelled[i].p_yes) is not None],
    )

    codes = cluster_codes([each.head for each in labelled])
    clusters = int(codes.max(initial=-1)) + 1
    by_cluster = np.zeros((clusters, columns.shape[1]))
    np.add.at(by_cluster, codes, columns)
    ranked_codes = codes[np.array(scored, dtype=np.intp)]
    resampled: list[Confusion] = []
    rankings: list[tuple[float | None, float | None]] = []
    for weights in drawn_weights(codes):
        resampled.append(Confusion(*(weights @ by_cluster).tolist()))
        rankings.append(ranking.measures(weights[ranked_codes]))

    baselines = _baselines(valid, n)

    def mean(
        name: str, value: float | None, n: int, drawn: Iterable[float | None], note: str = ""
    ) -> Figure:
        """A figure that is not a proportion, with its interval; unknown if `value` is None."""
        if value is None:
            return Figure(name, None, n, {}, note)
        interval = percentile_interval(drawn, clusters)
        withheld = TOO_FEW_HEADS if clusters < FEWEST_CLUSTERS else ""
        return Figure(
            name, None, n, baselines.get(name, {}), note, value, interval, withheld=withheld
        )

    def accuracy(name: str, counted: Floats, note: str = "") -> Figure:
        """The share of right answers among the tuples that `counted` marks with 1."""
        among = np.flatnonzero(counted)
        right = columns[:, _RIGHT].sum(axis=1)[among]
        interval = mean_interval(zip(codes[among].tolist(), right.tolist(), strict=True))
        return Figure(
            name,
            int(right.sum()),
            len(among),
            baselines.get(name, {}),
            note,
            own_interval=interval,
            withheld=TOO_FEW_HEADS if interval is None and len(among) else "",
        )

    def of_answers(name: str, measure: Callable[[Confusion], float | None]) -> Figure:
        return mean(name, measure(whole) if n else None, n, map(measure, resampled))

    def of_ranking(name: str, index: int, why_unknown: str) -> Figure:
        value = ranking.measures()[index]
        note = why_unknown if scored else "no P(yes) is given"
        drawn = (measures[index] for measures in rankings)
        return mean(name, value, len(scored), drawn, note if value is None else "")

    figures = [
        accuracy("accuracy", np.ones(n)),
        of_answers("macro_f1", lambda counts: counts.macro_f1),
        of_ranking("roc_auc", 0, "only one label occurs"),
        of_answers("precision", lambda counts: counts.precision),
        of_answers("recall", lambda counts: counts.recall),
        of_answers("f1", lambda counts: counts.f1),
        of_ranking("average_precision", 1, "no tuple is valid"),
    ]
    if unread:
        note = "answers that were read"
        macro_f1, *drawn = (each.readable().macro_f1 for each in (whole, *resampled))
        read = whole.readable()
        of_read = _baselines(int(read.valid_yes + read.valid_no), n - unread)
        baselines |= {f"{name}_read": values for name, values in of_read.items()}
        figures += [
            accuracy("accuracy_read", 1 - columns[:, _UNREAD].sum(axis=1), note),
            mean("macro_f1_read", macro_f1, n - unread, drawn, note),
        ]
    named = any(each.head for each in labelled)
    return Scores(
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
    )


def _baselines(valid: int, n: int) -> dict[str, dict[str, Baseline]]:
    """What a fair coin and the same answer to everything reach in each figure.

    The paper's tables have the rows "Random" and "Majority Vote" but no macro-F1 of the latter;
    here it is the mean over both classes, and the class that is never picked has an F1 of 0.
    """
    if not n:
        return {}
    positive = valid / n
    mixed = 0 < valid < n
    coin = {
        "accuracy": 0.5,
        "macro_f1": chance_macro_f1(positive),
        "precision": positive,
        "recall": 0.5,
        "f1": positive / (positive + 0.5),
    }
    yes = _constant(Confusion(valid, 0, 0, n - valid, 0, 0))
    no = _constant(Confusion(0, valid, 0, 0, n - valid, 0))
    # With equal scores there is one threshold; its precision is the share of "valid".
    ranking = {"average_precision": positive if positive >= HIGH_PRECISION else 0.0}
    if mixed:
        coin["roc_auc"] = ranking["roc_auc"] = 0.5
    named = {
        N_("random"): (coin, _("yes and no equally often")),
        N_("majority"): (
            (yes | ranking, _("yes to everything"))
            if 2 * valid >= n
            else (no | ranking, _("no to everything"))
        ),
        N_("always yes"): (yes, _("yes to everything")),
        N_("always no"): (no, _("no to everything")),
    }
    figures: dict[str, dict[str, Baseline]] = {}
    for name, (values, answers) in named.items():
        for figure, value in values.items():
            figures.setdefault(figure, {})[name] = Baseline(value, answers)
    return figures


def _constant(counts: Confusion) -> dict[str, float]:
    """The figures of one answer to everything."""
    return {
        "accuracy": counts.accuracy or 0.0,
        "macro_f1": counts.macro_f1 or 0.0,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
    }


def _outcomes(
    predictions: Sequence[DetectionPrediction],
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """One-hot rows of labelled tuples, shape (predictions, 6), in the order of `Confusion`."""
    columns = np.zeros((len(predictions), 6))
    for row, each in enumerate(predictions):
        answer = 2 if each.picked is None else 0 if each.picked else 1
        columns[row, answer if each.label else answer + 3] = 1
    return columns


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _f1(right: float, false: float, missed: float) -> float | None:
    """F1 of one class; None if it is neither a label nor picked."""
    return _share(2 * right, 2 * right + false + missed)
