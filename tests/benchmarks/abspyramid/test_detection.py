"""Detection figures: against scikit-learn, and against the paper's own baselines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from core.benchmarks.abspyramid.detection import chance_macro_f1, score_detection
from core.benchmarks.abspyramid.predictions import DetectionPrediction
from core.benchmarks.abspyramid.ranking import Ranking
from core.benchmarks.abspyramid.tuples import Relation
from core.statistics.proportion import wilson

LEVELS = [0.0, 0.1, 0.25, 0.5, 0.5000001, 0.75, 1.0]
"""Few scores, so that many are level."""

rows = st.lists(
    st.tuples(st.booleans(), st.sampled_from(LEVELS) | st.floats(0, 1), st.booleans()),
    min_size=1,
    max_size=40,
)


def detected(
    label: bool, p_yes: float | None, picked: bool | None, **more: object
) -> DetectionPrediction:
    return DetectionPrediction(label, picked, p_yes, **more)  # type: ignore[arg-type]


def values(predictions: list[DetectionPrediction], name: str = "all") -> dict[str, float | None]:
    return {figure.name: figure.value for figure in score_detection(predictions)[name].figures}


def aps_with_sklearn(labels: list[bool], scores: list[float]) -> float:
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    gained, precision = -np.diff(recall), precision[:-1]
    return float((gained * precision)[precision >= 0.5].sum())


@given(rows)
@settings(max_examples=60, deadline=None)
def test_the_figures_are_those_of_scikit_learn(given_rows):
    labels, scores, picks = (list(column) for column in zip(*given_rows, strict=True))
    area, average = Ranking(labels, scores).measures()
    assert (area is None) == (len(set(labels)) == 1)
    if area is not None:
        assert area == pytest.approx(metrics.roc_auc_score(labels, scores), abs=1e-12)
    if any(labels):
        assert average == pytest.approx(aps_with_sklearn(labels, scores), abs=1e-12)
    else:
        assert average is None
    # With one head event nothing is resampled, which keeps the figures quick to compute.
    found = values([detected(*row, head="the same") for row in given_rows])
    kwargs = {"zero_division": 0}
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(labels, picks))
    for name, score, defined in (
        ("precision", metrics.precision_score, any(picks)),
        ("recall", metrics.recall_score, any(labels)),
        ("f1", metrics.f1_score, any(picks) or any(labels)),
    ):
        expected = pytest.approx(score(labels, picks, **kwargs)) if defined else None
        assert found[name] == expected, name
    macro_f1 = metrics.f1_score(labels, picks, average="macro", **kwargs)
    assert found["macro_f1"] == pytest.approx(macro_f1)
    assert found["roc_auc"] == area
    assert found["average_precision"] == average


def test_precision_recall_and_f1_stand_with_their_own_denominators() -> None:
    """Of ten tuples four are valid; three have a "yes", two of them rightly."""
    labels, picks = [True] * 4 + [False] * 6, [True] * 2 + [False] * 7 + [True]
    given_rows = zip(labels, picks, strict=True)
    scores = score_detection([detected(y, 0.5, yes, head=str(y)) for y, yes in given_rows])["all"]
    figures = {figure.name: figure for figure in scores.figures}
    assert figures["precision"].counted == "2/3"
    assert figures["recall"].counted == "2/4"
    assert figures["f1"].counted == "n=5"
    assert figures["macro_f1"].counted == "n=10"


def test_without_a_yes_there_is_no_precision_and_the_reason_is_told() -> None:
    predictions = [detected(i < 4, 0.5, False, head=str(i)) for i in range(10)]
    figures = {figure.name: figure for figure in score_detection(predictions)["all"].figures}
    precision = figures["precision"]
    assert (precision.value, precision.n, precision.interval) == (None, 0, None)
    assert precision.note == "no answer is yes"
    assert (figures["recall"].right, figures["recall"].n, figures["f1"].value) == (0, 4, 0)
    # scikit-learn's convention holds inside the mean: the F1 of a class that is never picked is 0.
    assert figures["macro_f1"].value == pytest.approx(12 / 16 / 2)


@given(rows, st.data())
@settings(max_examples=60, deadline=None)
def test_a_tuple_that_is_left_out_is_as_if_it_never_was(given_rows, data):
    labels, scores, _ = (list(column) for column in zip(*given_rows, strict=True))
    without = [data.draw(st.booleans()) for _ in labels]
    kept = [(y, s) for y, s, out in zip(labels, scores, without, strict=True) if not out]
    left = Ranking([y for y, _ in kept], [s for _, s in kept]).measures()
    assert Ranking(labels, scores).measures(np.array(without)) == pytest.approx(left)


@pytest.mark.parametrize(
    ("majority", "macro_f1"),
    [
        (59.30, 49.56),
        (53.15, 49.95),
        (64.14, 48.98),
        (58.11, 49.67),
        (52.40, 49.97),
        (63.94, 49.01),
    ],
)
def test_random_guessing_reaches_the_figures_of_the_paper(majority, macro_f1):
    # Tables 4 (test) and 20 (validation), rows "Random" and "Majority Vote".
    assert round(100 * chance_macro_f1(majority / 100), 2) == pytest.approx(macro_f1, abs=0.011)
    assert chance_macro_f1(majority / 100) == pytest.approx(chance_macro_f1(1 - majority / 100))


def test_baselines_are_of_the_labels_at_hand():
    predictions = [detected(i < 3, 0.5, True) for i in range(10)]
    figures = {figure.name: figure for figure in score_detection(predictions)["all"].figures}
    reached = {
        name: {key: each.value for key, each in figure.baselines.items()}
        for name, figure in figures.items()
    }
    assert reached["accuracy"] == {
        "random": 0.5,
        "majority": 0.7,
        "always yes": 0.3,
        "always no": 0.7,
    }
    assert figures["accuracy"].baselines["majority"].answers == "no to everything"
    majority = metrics.f1_score([1] * 3 + [0] * 7, [0] * 10, average="macro", zero_division=0)
    assert reached["macro_f1"]["majority"] == pytest.approx(majority)
    assert reached["roc_auc"] == {"random": 0.5, "majority": 0.5}
    assert figures["roc_auc"].value == 0.5
    assert reached["average_precision"]["majority"] == 0
    assert figures["average_precision"].value == 0


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.booleans())
@settings(max_examples=50, deadline=None)
def test_one_answer_to_everything_reaches_what_scikit_learn_says(labels, answer):
    predictions = [detected(label, 0.5, True, head="the same") for label in labels]
    figures = {figure.name: figure for figure in score_detection(predictions)["all"].figures}
    name, picks = "always yes" if answer else "always no", [answer] * len(labels)
    kwargs = {"zero_division": 0}
    expected = {
        "accuracy": metrics.accuracy_score(labels, picks),
        "precision": metrics.precision_score(labels, picks, **kwargs),
        "recall": metrics.recall_score(labels, picks, **kwargs),
        "f1": metrics.f1_score(labels, picks, **kwargs),
        "macro_f1": metrics.f1_score(labels, picks, average="macro", **kwargs),
    }
    if not answer:
        del expected["precision"]
        assert name not in figures["precision"].baselines  # There is none without a yes.
    for figure, value in expected.items():
        assert figures[figure].baselines[name].value == pytest.approx(value), figure


def test_every_relation_has_the_baselines_of_its_own_labels():
    predictions = [
        detected(i < 3, 0.5, True, relation=Relation.NOUN if i < 4 else Relation.EVENT)
        for i in range(10)
    ]
    scores = score_detection(predictions)
    noun, event = (scores[name].figures[0].baselines for name in ("noun", "event"))
    assert (noun["always yes"].value, event["always yes"].value) == (0.75, 0.0)
    assert noun["majority"].answers == "yes to everything"
    assert event["majority"].answers == "no to everything"


def test_relations_are_scored_apart_and_together():
    predictions = [
        detected(True, 0.9, True, relation=Relation.NOUN),
        detected(False, 0.8, True, relation=Relation.NOUN),
        detected(False, 0.1, False, relation=Relation.EVENT),
        detected(True, 0.2, False),
    ]
    scores = score_detection(predictions)
    assert list(scores) == ["all", "noun", "event"]
    assert [each.n for each in scores.values()] == [4, 2, 1]
    assert values(predictions)["accuracy"] == 0.5
    assert values(predictions)["roc_auc"] == 0.75
    assert values(predictions, "noun")["roc_auc"] == 1
    assert values(predictions, "event")["roc_auc"] is None


def test_unparsed_answers_are_wrong_and_counted_apart():
    predictions = [
        detected(True, 0.9, True),
        detected(False, 0.2, False),
        detected(True, None, None),
        detected(False, None, None, p_unread=True),
    ]
    scores = score_detection(predictions)["all"]
    found = values(predictions)
    assert found["accuracy"] == 0.5
    assert found["accuracy_read"] == 1
    assert found["macro_f1"] == pytest.approx(2 / 3)
    assert found["macro_f1_read"] == 1
    assert found["roc_auc"] == 1
    assert {figure.name: figure.n for figure in scores.figures}["roc_auc"] == 2
    assert scores.counts["unreadable"] == scores.counts["unreadable_pred"] == 2
    assert scores.counts["unreadable_p_yes"] == 1
    assert scores.counts["without_p_yes"] == 1


def test_tuples_without_a_label_are_left_out():
    predictions = [detected(True, 0.9, True), DetectionPrediction(None, False, 0.1)]
    scores = score_detection(predictions)["all"]
    assert scores.n == 1
    assert scores.counts["unlabelled"] == 1
    unlabelled = score_detection([DetectionPrediction(None, False, 0.1)])["all"]
    assert unlabelled.n == 0
    assert all(figure.interval is None for figure in unlabelled.figures)


def test_intervals_widen_where_tuples_share_a_head_event():
    alone = [detected(i % 2 == 0, i % 7 / 7, i % 3 == 0, head=f"event {i}") for i in range(210)]
    shared = [
        detected(each.label is True, each.p_yes, each.picked, head=f"event {i // 30}")
        for i, each in enumerate(sorted(alone, key=lambda each: each.picked == each.label))
    ]
    apart, together = (score_detection(each)["all"] for each in (alone, shared))
    assert apart.counts["head_events"] == 210
    assert together.counts["head_events"] == 7
    narrow, wide = apart.figures[0].interval, together.figures[0].interval
    assert narrow is not None
    assert wide is not None
    assert np.diff(wide) > 2 * np.diff(narrow)
    # Tuples of different head events are independent.
    assert narrow == pytest.approx(wilson(apart.figures[0].right or 0, 210))


def test_the_same_predictions_give_the_same_intervals():
    predictions = [detected(i % 2 == 0, i % 7 / 7, i % 3 == 0) for i in range(40)]
    once, again = (score_detection(predictions)["all"].figures for _ in range(2))
    assert [figure.interval for figure in once] == [figure.interval for figure in again]
    for figure in once:
        assert figure.interval is not None
        assert figure.value is not None
        assert figure.interval[0] <= figure.value <= figure.interval[1]
