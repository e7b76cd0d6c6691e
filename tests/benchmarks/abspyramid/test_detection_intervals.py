"""Intervals of detection figures: what they are worth where labels are rare or rankings poor."""

from __future__ import annotations

import numpy as np
import pytest

from core.benchmarks.abspyramid.detection import score_detection
from core.benchmarks.abspyramid.predictions import DetectionPrediction
from core.benchmarks.abspyramid.ranking import Ranking
from core.contract.summary import Figure
from core.statistics.proportion import proportion_interval
from performance.coverage import LEAST, Detector, detector_predictions


def figures_of(predictions: list[DetectionPrediction]) -> dict[str, Figure]:
    return {figure.name: figure for figure in score_detection(predictions)["all"].figures}


@pytest.mark.parametrize(
    ("heads", "detector"),
    [
        (100, Detector(0.0, 0.1, 2.0)),
        (100, Detector(0.0, 0.4, 0.5)),
        (28, Detector(0.5, 0.6, 3.5)),
    ],
    ids=["few are valid", "poor ranking", "alike tuples"],
)
def test_hard_cases_are_covered(heads: int, detector: Detector) -> None:
    random = np.random.default_rng(2)
    truth = figures_of(detector_predictions(random, 4_000, detector))
    held = dict.fromkeys(truth, 0)
    tries = 120
    for _ in range(tries):
        for name, figure in figures_of(detector_predictions(random, heads, detector)).items():
            value = truth[name].value
            assert figure.interval is not None
            assert value is not None
            held[name] += figure.interval[0] <= value <= figure.interval[1]
    # A share of 120 tries is within .03 of the coverage.
    assert {name: n for name, n in held.items() if n / tries < LEAST - 0.03} == {}


def test_f1_has_the_interval_of_the_share_that_decides_it() -> None:
    picked = [(True, True)] * 30 + [(True, False)] * 7 + [(False, True)] * 5 + [(False, False)] * 9
    predictions = [DetectionPrediction(label, pick, None) for label, pick in picked]
    low, high = proportion_interval(30, 42)
    expected = (2 * low / (1 + low), 2 * high / (1 + high))
    assert figures_of(predictions)["f1"].interval == pytest.approx(expected)


def test_a_ranking_without_a_mistake_may_still_be_imperfect() -> None:
    predictions = [
        DetectionPrediction(i % 3 == 0, i % 3 == 0, 0.9 if i % 3 == 0 else 0.1) for i in range(60)
    ]
    for name in ("roc_auc", "average_precision", "macro_f1"):
        figure = figures_of(predictions)[name]
        assert figure.value == 1
        assert figure.interval is not None
        assert 0.7 < figure.interval[0] < 0.95


def test_few_head_events_with_a_label_have_no_interval_and_the_reason() -> None:
    predictions = [DetectionPrediction(i >= 2, i % 4 > 0, i / 100) for i in range(100)]
    figures = figures_of(predictions)
    for name in ("roc_auc", "average_precision", "macro_f1"):
        assert figures[name].interval is None
        assert figures[name].withheld == "too few head events with a label"
    assert figures["precision"].interval is not None


def test_the_least_error_of_an_area_is_that_of_hanley_and_mcneil() -> None:
    # Their example: 51 abnormal and 58 normal cases, an area of .893 and an error of .032.
    ranking = Ranking([True] * 51 + [False] * 58, [i / 200 for i in range(109)])
    assert ranking.least_area_error(0.893) == pytest.approx(0.032, abs=0.001)
    assert ranking.least_area_error(1.0) == 0


def test_an_average_precision_is_within_what_its_cut_leaves_open() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        valid = random.random(60) < 0.4
        ranking = Ranking(valid.tolist(), (valid * 0.3 + random.random(60)).tolist())
        _area, average = ranking.measures()
        least, greatest = ranking.average_precision_range()
        assert average is not None
        assert least <= average <= greatest
