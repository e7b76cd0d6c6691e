"""Predictions as rows of an array: nothing of them is lost, and head events keep their numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.abspyramid.prediction_rows import (
    UNKNOWN,
    head_codes,
    of_relation,
    prediction_rows,
)
from core.benchmarks.abspyramid.predictions import DetectionPrediction
from core.benchmarks.abspyramid.tuples import Relation
from core.statistics.clusters import cluster_codes

LABELS = st.sampled_from([None, True, False])
PREDICTIONS = st.lists(
    st.builds(
        DetectionPrediction,
        label=LABELS,
        picked=LABELS,
        p_yes=st.none() | st.floats(0, 1),
        p_unread=st.booleans(),
        relation=st.sampled_from([None, *Relation]),
        head=st.sampled_from(["", "a", "b", "c"]),
    ),
    max_size=30,
)


@given(PREDICTIONS)
@settings(max_examples=60, deadline=None)
def test_rows_have_all_that_the_predictions_say(predictions: list[DetectionPrediction]) -> None:
    rows = prediction_rows(predictions)
    for row, each in zip(rows, predictions, strict=True):
        assert row["label"] == (UNKNOWN if each.label is None else each.label)
        assert row["picked"] == (UNKNOWN if each.picked is None else each.picked)
        assert np.isnan(row["p_yes"]) if each.p_yes is None else row["p_yes"] == each.p_yes
        assert row["p_unread"] == each.p_unread
    for relation in Relation:
        own = [each.p_yes for each in predictions if each.relation is relation]
        found = [None if np.isnan(p) else p for p in of_relation(rows, relation)["p_yes"].tolist()]
        assert found == own


@given(PREDICTIONS, st.randoms())
@settings(max_examples=60, deadline=None)
def test_head_events_of_any_part_are_numbered_as_they_occur(
    predictions: list[DetectionPrediction], random
) -> None:
    chosen = [index for index in range(len(predictions)) if random.random() < 0.6]
    codes = head_codes(prediction_rows(predictions)[chosen])
    assert codes.tolist() == cluster_codes([predictions[index].head for index in chosen]).tolist()
