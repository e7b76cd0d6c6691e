"""Files of predictions: our lines, the authors' files, and what is wrong with a line."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from core.benchmarks.abspyramid.predictions import (
    MOST_CHARACTERS,
    DetectionPrediction,
    read_detections,
    read_generations,
)
from core.benchmarks.abspyramid.tuples import Relation
from core.text.errors import DataError


@pytest.fixture
def write(tmp_path):
    def _write(*lines, name="predictions.jsonl"):
        path = tmp_path / name
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        return path

    return _write


def only(path):
    (found,) = read_detections(path)
    return found


def test_a_line_says_label_answer_probability_relation_and_head(write):
    line = {"label": 1, "p_yes": 0.25, "pred": 0, "type": "noun", "event": "a <cat> sat", "id": 7}
    assert only(write(line)) == DetectionPrediction(
        True, False, 0.25, False, Relation.NOUN, "a cat sat"
    )
    assert only(write([line])) == only(write(line))


@pytest.mark.parametrize(
    ("pred", "picked"),
    [
        (1, True),
        (0.0, False),
        (True, True),
        (" Yes. ", True),
        ("no", False),
        ("1", True),
        (None, None),
        (-1, None),
        (math.nan, None),
        ("as an AI \x1b[31m", None),
    ],
)
def test_an_answer_is_yes_no_or_unparsed(write, pred, picked):
    found = only(write({"label": 1, "p_yes": 0.9, "pred": pred}))
    assert found.picked is picked
    assert found.p_yes == 0.9


@pytest.mark.parametrize("p_yes", [math.nan, math.inf, -math.inf, "0.9"])
def test_invalid_probabilities_are_counted_and_not_used(write, p_yes):
    found = only(write({"label": 1, "p_yes": p_yes, "pred": 1}))
    assert (found.p_yes, found.p_unread, found.picked) == (None, True, True)
    assert only(write({"label": 1, "p_yes": p_yes})).picked is None


@pytest.mark.parametrize(("p_yes", "picked"), [(0.5, True), (0.499, False), (1, True)])
def test_a_missing_answer_follows_from_the_probability(write, p_yes, picked):
    assert only(write({"label": 0, "p_yes": p_yes})).picked is picked


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "not JSON"),
        ("[1]", "JSON object"),
        ({"pred": 1}, "label"),
        ({"label": 2, "pred": 1}, "label"),
        ({"label": "1", "pred": 1}, "label"),
        ({"label": [1], "pred": 1}, "label"),
        ({"label": 1}, "p_yes"),
        ({"label": 1, "pred": 3}, "pred"),
        ({"label": 1, "pred": [1]}, "pred"),
        ({"label": 1, "pred": 1, "p_yes": 1.5}, "probability"),
        ({"label": 1, "pred": 1, "p_yes": -2}, "probability"),
        ({"label": 1, "pred": 1, "p_yes": 10**400}, "probability"),
        ({"label": 1, "pred": 1, "p_yes": True}, "p_yes"),
        ({"label": 1, "pred": 1, "p_yes": {}}, "p_yes"),
        ({"label": 1, "pred": 1, "type": "nuon"}, "type"),
        ({"label": 1, "pred": 1, "type": ["noun"]}, "type"),
        ({"label": 1, "pred": 1, "event": 3}, "event"),
    ],
)
def test_a_malformed_line_is_named(write, line, what):
    if line == "[1]":
        path, number = write(line), 1
    else:
        path, number = write({"label": 1, "pred": 1}, "", line), 3
    with pytest.raises(DataError) as caught:
        read_detections(path)
    assert what in str(caught.value)
    assert caught.value.where.startswith(f"{path}:{number}")


def test_a_mistyped_relation_is_guessed(write):
    with pytest.raises(DataError, match="Did you mean “noun”"):
        read_detections(write({"label": 1, "pred": 1, "type": "nuon"}))


def test_missing_empty_and_binary_files_are_refused(tmp_path, write):
    with pytest.raises(DataError, match="no such file"):
        read_detections(tmp_path / "none")
    with pytest.raises(DataError, match="folder"):
        read_detections(tmp_path)
    with pytest.raises(DataError, match="no prediction"):
        read_detections(write(""))
    binary = tmp_path / "binary"
    binary.write_bytes(b"{\xff")
    with pytest.raises(DataError, match="UTF-8"):
        read_detections(binary)


def authors_file(path, logits, labels, *, entailment=None):
    """What the authors' scripts save, by the same call."""
    powers = np.exp(logits)
    share = powers / powers.sum(axis=1, keepdims=True)
    preds = logits.argmax(axis=1) if entailment is None else share[:, entailment] >= 0.5
    columns = [np.arange(len(labels)), *logits.T, labels, preds]
    np.savetxt(path, np.stack(columns, axis=1), fmt="%.3f")
    return share[:, -1], preds


@pytest.mark.parametrize(("columns", "entailment"), [(2, None), (3, 2)])
def test_the_authors_columns_are_read(tmp_path, columns, entailment):
    random = np.random.default_rng(columns)
    logits, labels = random.normal(size=(300, columns)), random.integers(0, 2, 300)
    path = tmp_path / "test_label.txt"
    p_yes, preds = authors_file(path, logits, labels, entailment=entailment)
    found = read_detections(path)
    assert [each.label for each in found] == [bool(label) for label in labels]
    assert [each.picked for each in found] == [bool(pred) for pred in preds]
    assert [each.p_yes for each in found] == pytest.approx(list(p_yes), abs=5e-4)


def test_invalid_logits_are_counted_as_unread(write):
    path = write("0.000 nan nan 1.000 0.000", "1.000 -9999.000 9999.000 1.000 1.000")
    assert read_detections(path)[0] == DetectionPrediction(True, None, None, p_unread=True)
    assert read_detections(path)[1].p_yes == 1


@pytest.mark.parametrize(
    "row",
    [
        "1.000 -1.000 1.000 1.000",
        "1.000 -1.000 1.000 1.000 1.000 1.000 1.000",
        "1.000 -1.000 0.500 1.000 1.000 1.000",
        "2.000 -1.000 1.000 1.000 1.000",
        "1.000 -1.000 1.000 1.000 0.000",
        "1.000 -1.000 1.000 2.000 1.000",
        "1.000 -1.000 one 1.000 1.000",
        "x",
    ],
)
def test_a_malformed_row_is_named(write, row):
    path = write("0.000 -1.000 1.000 1.000 1.000", row, name="test_label.txt")
    with pytest.raises(DataError) as caught:
        read_detections(path)
    assert caught.value.where == f"{path}:2"


def test_the_authors_generations_are_read(write):
    line = {
        "input": 'In the sentence "a cat sat," cat is an instance of',
        "label": ["animal ", "feline"],
        "pred": "animal",
        "raw_input": [1, 2],
        "raw_pred": [1, 2, 3],
        "text_pred": 'In the sentence "a cat sat," cat is an instance of animal',
    }
    (found,) = read_generations(write(line))
    assert (found.references, found.text, found.head) == (
        ("animal", "feline"),
        "animal",
        "a cat sat",
    )


@pytest.mark.parametrize(
    ("pred", "text"),
    [
        ("\n  \n animal \nIn the sentence", "animal"),
        (None, ""),
        (" \n", ""),
        ("a\x1b[2J\u202eb", "a\x1b[2J\u202eb"),
    ],
)
def test_the_first_line_with_a_word_counts(write, pred, text):
    (found,) = read_generations(write({"label": "animal[SEP] living thing[SEP]", "pred": pred}))
    assert found.text == text
    assert found.references == ("animal", "living thing")


@pytest.mark.parametrize(
    "line",
    [
        {"label": "", "pred": "x"},
        {"label": [" "], "pred": "x"},
        {"label": [1], "pred": "x"},
        {"label": None, "pred": "x"},
        {"label": "a"},
        {"label": "a", "pred": 3},
        {"label": "a", "pred": "x" * (MOST_CHARACTERS + 1)},
        {"label": "a" * (MOST_CHARACTERS + 1), "pred": "x"},
        {"pred": "x"},
        "nonsense",
    ],
)
def test_a_malformed_generation_is_named(write, line):
    path = write({"label": "a", "pred": "b"}, line)
    with pytest.raises(DataError) as caught:
        read_generations(path)
    assert caught.value.where == f"{path}:2"
