"""`abspyramid score`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sklearn import metrics

from tests.cli.support import in_process_of_its_own, ok, run

DETECTED = [
    {"label": 1, "p_yes": 0.9, "pred": 1, "type": "noun", "event": "a <cat> sat"},
    {"label": 0, "p_yes": 0.7, "pred": 1, "type": "noun", "event": "a cat <sat>"},
    {"label": 0, "p_yes": 0.2, "pred": 0, "type": "noun", "event": "the <sun> rose"},
    {"label": 1, "p_yes": 0.7, "pred": 1, "type": "verb", "event": "the sun <rose>"},
    {"label": 0, "p_yes": 0.4, "pred": 0, "type": "verb", "event": "it <rains>"},
    {"label": 1, "p_yes": 0.3, "pred": 0, "type": "event", "event": "<it rains>"},
]
GENERATED = [
    {"label": ["animal", "living thing"], "pred": "animals", "type": "noun"},
    {"label": "going up[SEP]rising", "pred": "\ngoing up\nIn the sentence", "type": "verb"},
]


@pytest.fixture
def write(tmp_path: Path):
    def _write(rows: list[object]) -> Path:
        path = tmp_path / "predictions.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return path

    return _write


def test_detection_is_scored_pooled_and_by_relation(write) -> None:
    path = write(DETECTED)
    found = ok("abspyramid", "score", "detection", "--predictions", path, "--json").json
    assert list(found) == ["all", "noun", "verb", "event"]
    for name, scores in found.items():
        rows = [row for row in DETECTED if name in {"all", row["type"]}]
        labels, picks = [row["label"] for row in rows], [row["pred"] for row in rows]
        assert scores["n"] == len(rows)
        assert scores["accuracy"] == pytest.approx(metrics.accuracy_score(labels, picks))
        macro = metrics.f1_score(labels, picks, average="macro", zero_division=0)
        assert scores["macro_f1"] == pytest.approx(macro)
        if name == "event":
            assert scores["roc_auc"] is None
            assert scores["figure_notes"]["roc_auc"] == "only one label occurs"
        else:
            area = metrics.roc_auc_score(labels, [row["p_yes"] for row in rows])
            assert scores["roc_auc"] == pytest.approx(area)
    pooled = found["all"]
    assert pooled["counts"]["head_events"] == 3
    accuracy = pooled["baselines"]["accuracy"]
    assert {name: each["value"] for name, each in accuracy.items()} == dict.fromkeys(
        ("random", "majority", "always yes", "always no"), 0.5
    )
    assert accuracy["always no"]["answers"] == "no to everything"
    # Three head events are too few for a jackknife.
    assert set(pooled["intervals"]) == {"accuracy", "recall", "f1"}
    # "Yes" was answered about two of them.
    for name in ("precision", "macro_f1", "roc_auc", "average_precision"):
        assert pooled["withheld"][name].startswith("too few head events")


def test_numbers_that_are_none_and_answers_not_read_are_counted(write) -> None:
    rows = [*DETECTED, {"label": 1, "p_yes": float("nan"), "pred": None, "type": "noun"}]
    path = write(rows)
    found = ok("abspyramid", "score", "detection", "--predictions", path, "--json").json["all"]
    assert (found["n"], found["denominators"]["roc_auc"]) == (7, 6)
    assert found["counts"]["unreadable"] == 1
    assert found["accuracy"] == pytest.approx(4 / 7)
    assert found["accuracy_read"] == pytest.approx(4 / 6)
    printed = ok("abspyramid", "score", "detection", "--predictions", path).out
    assert "1 unreadable" in printed
    assert "0.5714" in printed


def test_generation_is_scored(write) -> None:
    path = write(GENERATED)
    words = ("abspyramid", "score", "generation", "--predictions", path)
    nowhere = path.parent / "dict"
    nowhere.mkdir()
    for name in ("data.noun", "data.verb"):
        (nowhere / name).write_text("")
    ran = in_process_of_its_own(*words, "--json", env={"WNSEARCHDIR": str(nowhere)})
    assert ran.code == 0, ran.err
    assert list(ran.json) == ["all", "noun", "verb"]
    pooled = ran.json["all"]
    assert pooled["bleu_1_precision"] == pytest.approx(2 / 3)
    assert pooled["bleu_2_precision"] == 1
    assert pooled["bleu_2_cumulative"] == pytest.approx((2 / 3) ** 0.5)
    assert (pooled["rouge_l_f"], pooled["rouge_2_recall"]) == (1, 0.5)
    assert pooled["meteor"] is None
    assert "not computed" in pooled["figure_notes"]["meteor"]
    assert "bleu_2_cumulative" in ok(*words).out


def test_a_mistake_is_told_with_its_line(write) -> None:
    path = write([*DETECTED, {"label": 1, "pred": 1, "type": "no\x1b[2Jun"}])
    ran = run("abspyramid", "score", "detection", "--predictions", path, "--json")
    assert (ran.code, ran.out) == (2, "")
    assert f"{path}:7" in ran.err
    assert "\x1b" not in ran.err
    ran = run("abspyramid", "score", "generaton", "--predictions", path)
    assert ran.code == 2
    assert "Did you mean “generation”?" in ran.err
