"""Figures of abstraction detection, as the paper reports them (section 6.1, table 6).

Accuracy, precision, recall and F1 use the picked answers; ROC-AUC and average precision use
P(yes). An unreadable answer is wrong and counted separately; if there are any, accuracy and
macro-F1 are also given for the readable answers alone.

Tuples of one head event are not independent. Accuracy, precision and recall are shares, and have
the interval of clustered shares. So has F1, which is 2J / (1 + J) for the share J of valid tuples
with a "yes" among all that are valid or have a "yes". The other figures have the interval of a
jackknife over head events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.benchmarks.abspyramid.prediction_rows import (
    UNKNOWN,
    Rows,
    head_codes,
    of_relation,
    prediction_rows,
)
from core.benchmarks.abspyramid.predictions import DetectionPrediction
from core.benchmarks.abspyramid.ranking import HIGH_PRECISION, Ranking
from core.benchmarks.abspyramid.relation_scores import Scores, score_by_relation
from core.contract.summary import Baseline, Figure
from core.statistics.cluster_errors import FEWEST_CLUSTERS
from core.statistics.cluster_interval import interval_of_totals
from core.statistics.clusters import Codes, cluster_groups
from core.statistics.jackknife import jackknife_error, log_odds_interval
from core.text.language import N_, _

TOO_FEW_HEADS = N_("too few head events")
"""Why a figure has no interval."""
_TOO_FEW_OF_A_LABEL = N_("too few head events with a label")


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


_Interval = tuple[float, float] | None
_Marks = NDArray[np.bool_]
"""Which of the labelled tuples are meant."""

_VALID = [Confusion._fields.index(name) for name in ("valid_yes", "valid_no", "valid_unread")]
_YES = [Confusion._fields.index(name) for name in ("valid_yes", "invalid_yes")]
_RIGHT = [Confusion._fields.index(name) for name in ("valid_yes", "invalid_no")]
_UNREAD = [Confusion._fields.index(name) for name in ("valid_unread", "invalid_unread")]


def score_detection(predictions: Sequence[DetectionPrediction]) -> dict[str, Scores]:
    """The figures over all predictions ("all") and for each relation that occurs."""
    return score_rows(prediction_rows(predictions))


def score_rows(rows: Rows) -> dict[str, Scores]:
    """The same figures for predictions that are already rows."""
    return score_by_relation(rows, lambda relation: of_relation(rows, relation), _scores)


def chance_macro_f1(positive: float) -> float:
    """Expected macro-F1 of a fair coin if a share `positive` of the labels is "valid".

    For each class, precision is the share of the label and recall is one half. This gives the row
    "Random" of the paper's tables 4 and 20.
    """
    return sum(share / (share + 0.5) for share in (positive, 1 - positive)) / 2


class _Intervals:
    """The intervals of figures over labelled tuples of head events."""

    def __init__(self, labelled: Rows) -> None:
        self.codes = head_codes(labelled)
        self.clusters = _distinct(self.codes)
        self._groups = cluster_groups(self.codes)
        self._valid = labelled["label"] == 1

    @property
    def groups(self) -> Iterator[_Marks]:
        """The tuples of each group of head events that a jackknife leaves out."""
        for group in np.flatnonzero(np.bincount(self._groups)):
            yield self._groups == group

    def of_share(self, right: _Marks, among: _Marks) -> tuple[_Interval, str]:
        """The interval of a share, or why there is none."""
        counts = np.bincount(self.codes[among])
        rights = np.bincount(self.codes[among & right], minlength=len(counts))
        held = counts > 0
        totals = zip(rights[held].tolist(), counts[held].tolist(), strict=True)
        interval = interval_of_totals(Counter(totals))
        return interval, TOO_FEW_HEADS if interval is None and among.any() else ""

    def of_figure(
        self, value: float, without: Sequence[float | None], among: _Marks, least_error: float = 0
    ) -> tuple[_Interval, str]:
        """The interval of a figure that both labels decide, or why there is none.

        Args:
            value: the figure, from 0 to 1.
            without: the figure without each of `groups`.
            among: the tuples that it is about.
            least_error: the least standard error that it can have.
        """
        holding = [
            _distinct(self.codes[among & labelled]) for labelled in (self._valid, ~self._valid)
        ]
        if min(holding) < FEWEST_CLUSTERS:
            return None, _TOO_FEW_OF_A_LABEL
        error = jackknife_error(without)
        if error is None:
            return None, TOO_FEW_HEADS
        return log_odds_interval(value, max(error, least_error), cases=min(holding)), ""


def _distinct(codes: Codes) -> int:
    """How many different numbers there are; ten times as fast as sorting."""
    return int(np.count_nonzero(np.bincount(codes)))


def _scores(predictions: Rows) -> Scores:
    labelled = predictions[predictions["label"] != UNKNOWN]
    n = len(labelled)
    outcomes = _outcomes(labelled)
    whole = _confusion(outcomes)
    valid = int(whole.valid_yes + whole.valid_no + whole.valid_unread)
    unread = int(whole.valid_unread + whole.invalid_unread)
    baselines = _baselines(valid, n)
    intervals = _Intervals(labelled)
    without = _without_each(outcomes, intervals.groups)
    is_valid, is_yes = _having(outcomes, _VALID), _having(outcomes, _YES)
    is_right, is_read = _having(outcomes, _RIGHT), ~_having(outcomes, _UNREAD)

    def accuracy(name: str, among: _Marks, note: str = "") -> Figure:
        interval, withheld = intervals.of_share(is_right, among)
        return Figure(
            name,
            int(is_right[among].sum()),
            int(among.sum()),
            baselines.get(name, {}),
            note,
            own_interval=interval,
            withheld=withheld,
        )

    def share(name: str, among: _Marks, why_unknown: str) -> Figure:
        """Precision or recall: the share of valid tuples with a "yes" among some."""
        interval, withheld = intervals.of_share(is_valid & is_yes, among)
        counted = int(among.sum())
        return Figure(
            name,
            int((is_valid & is_yes).sum()) if counted else None,
            counted,
            baselines.get(name, {}),
            "" if counted or not n else why_unknown,
            own_interval=interval,
            withheld=withheld,
        )

    def f1() -> Figure:
        """F1 with the interval of its share, over the tuples of that share."""
        figure = share("f1", is_valid | is_yes, "no tuple is valid, and no answer is yes")
        if figure.right is None:
            return figure
        ends = figure.own_interval
        interval = None if ends is None else (_f1_of_share(ends[0]), _f1_of_share(ends[1]))
        return replace(figure, right=None, mean=whole.f1, own_interval=interval)

    def macro_f1(name: str, read: Callable[[Confusion], Confusion], among: _Marks) -> Figure:
        value = read(whole).macro_f1
        counted = int(among.sum())
        if value is None:
            return Figure(name, None, counted)
        left_out = [read(confusion).macro_f1 for confusion in without]
        interval, withheld = intervals.of_figure(value, left_out, among)
        return Figure(
            name, None, counted, baselines.get(name, {}), "", value, interval, withheld=withheld
        )

    everything = np.ones(n, dtype=np.bool_)
    area, average_precision = _ranking_figures(labelled, intervals, baselines)
    figures = [
        accuracy("accuracy", everything),
        macro_f1("macro_f1", lambda confusion: confusion, everything),
        area,
        share("precision", is_yes, "no answer is yes"),
        share("recall", is_valid, "no tuple is valid"),
        f1(),
        average_precision,
    ]
    if unread:
        note = "answers that were read"
        read = whole.readable()
        of_read = _baselines(int(read.valid_yes + read.valid_no), n - unread)
        baselines |= {f"{name}_read": values for name, values in of_read.items()}
        figures += [
            accuracy("accuracy_read", is_read, note),
            replace(macro_f1("macro_f1_read", Confusion.readable, is_read), note=note),
        ]
    p_unread, without_p_yes = labelled["p_unread"], np.isnan(labelled["p_yes"])
    return Scores(
        tuple(figures),
        {
            "valid": valid,
            "invalid": n - valid,
            "unlabelled": len(predictions) - n,
            "unreadable": int(((labelled["picked"] == UNKNOWN) | p_unread).sum()),
            "unreadable_pred": unread,
            "unreadable_p_yes": int(p_unread.sum()),
            "without_p_yes": int((without_p_yes & ~p_unread).sum()),
            "head_events": intervals.clusters if (labelled["head"] >= 0).any() else 0,
        },
    )


def _ranking_figures(
    labelled: Rows,
    intervals: _Intervals,
    baselines: Mapping[str, Mapping[str, Baseline]],
) -> tuple[Figure, Figure]:
    """ROC-AUC and average precision of the tuples with a P(yes)."""
    scored = ~np.isnan(labelled["p_yes"])
    n = int(scored.sum())
    ranking = Ranking(labelled["label"][scored] == 1, labelled["p_yes"][scored])
    whole = ranking.measures()
    without = [ranking.measures(group[scored]) for group in intervals.groups]

    def figure(name: str, index: int, least_error: float, why_unknown: str) -> Figure:
        value = whole[index]
        if value is None:
            return Figure(name, None, n, note=why_unknown if n else "no P(yes) is given")
        interval, withheld = intervals.of_figure(
            value, [measures[index] for measures in without], scored, least_error
        )
        return Figure(
            name, None, n, baselines.get(name, {}), "", value, interval, withheld=withheld
        )

    area, _average = whole
    area_error = 0.0 if area is None else ranking.least_area_error(area)
    average = figure("average_precision", 1, 0.0, "no tuple is valid")
    if average.own_interval is not None:
        low, high = average.own_interval
        least, greatest = ranking.average_precision_range()
        average = replace(average, own_interval=(min(low, least), max(high, greatest)))
    return figure("roc_auc", 0, area_error, "only one label occurs"), average


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
    del no["precision"]  # Without a yes there is none.
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


def _outcomes(labelled: Rows) -> _Marks:
    """One-hot rows of labelled tuples, shape (tuples, 6), in the order of `Confusion`."""
    labels, picks = labelled["label"], labelled["picked"]
    columns = [(labels == label) & (picks == pick) for label in (1, 0) for pick in (1, 0, UNKNOWN)]
    return np.column_stack(columns)


def _having(outcomes: _Marks, columns: Sequence[int]) -> _Marks:
    """The tuples with one of some outcomes, given by column."""
    return np.asarray(outcomes[:, columns].any(axis=1))


def _confusion(outcomes: _Marks) -> Confusion:
    return Confusion(*outcomes.sum(axis=0).tolist())


def _without_each(outcomes: _Marks, groups: Iterable[_Marks]) -> list[Confusion]:
    """The confusion of all tuples but those of a group, for each of `groups`, by subtraction."""
    whole = outcomes.sum(axis=0)
    return [Confusion(*(whole - outcomes[group].sum(axis=0)).tolist()) for group in groups]


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _f1_of_share(right: float) -> float:
    """F1 by the share of valid tuples with a "yes" among all that are valid or have a "yes"."""
    return 2 * right / (1 + right)


def _f1(right: float, false: float, missed: float) -> float | None:
    """F1 of one class; None if it is neither a label nor picked."""
    return _share(2 * right, 2 * right + false + missed)
