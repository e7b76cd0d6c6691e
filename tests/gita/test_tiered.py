"""Tiered results of GITA v1: the published totals, and the log's own judgement row by row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import DataError
from core.gita.tiered import Pair, read, summarise


@pytest.mark.parametrize("part", ["cloze", "order"])
def test_the_published_totals(shared_data: Path, part: str) -> None:
    folder = shared_data / "gita_v1"
    expected = json.loads((folder / "expected_v1.json").read_text("utf-8"))[part]
    pairs = read(folder / f"{part}_explanations_consistency_test.json")
    summary = summarise(pairs)
    rights = [figure.right for figure in summary.figures]
    assert rights == [expected["correct"], expected["consistent"], expected["verifiable"]]
    assert {figure.n for figure in summary.figures} == {expected["pairs"]}
    for figure in summary.figures:
        assert figure.value == pytest.approx(expected["published"][figure.name.lower()], abs=1e-9)


@pytest.mark.parametrize("part", ["cloze", "order"])
def test_every_row_is_judged_as_its_log_does(shared_data: Path, part: str) -> None:
    path = shared_data / "gita_v1" / f"{part}_explanations_consistency_test.json"
    rows = json.loads(path.read_text("utf-8"))
    for pair, row in zip(read(path), rows, strict=True):
        assert pair.verifiable == row["valid_explanation"]
        # A log tells consistency of the accurate pairs only.
        assert pair.consistent == row.get("consistent", False)


def pair(effects: dict[str, int], before: dict[str, int], **fields: object) -> Pair:
    """A pair in conflict between 1 and 3, about a door that is opened there."""
    given: dict[str, object] = {
        "example_id": "x",
        "story_label": 1,
        "story_pred": 1,
        "conflict_label": [1, 3],
        "conflict_pred": [1, 3],
        "effects_label": {"porta": {"1": {"open": 2}}},
        "effects_pred": {"porta": {"1": effects, "2": {"open": 1}}},
        "preconditions_label": {"porta": {"3": {"open": 1}}},
        "preconditions_pred": {"porta": {"3": before}},
        "valid_explanation": False,
        **fields,
    }
    return Pair(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("effects", "before", "verifiable"),
    [
        ({"open": 2}, {"open": 1}, True),
        ({"open": 2}, {}, True),
        ({}, {"open": 1}, True),
        ({}, {}, False),
        ({"open": 1}, {"open": 1}, False),
        ({"open": 2, "wet": 1}, {"open": 1}, False),
        ({"exist": 2}, {}, False),
        ({"exist": 2}, {"open": 1}, True),
        ({"exist": 0}, {"open": 1}, False),
        ({"wet": 0}, {"open": 1}, True),
    ],
)
def test_the_states_that_count(
    effects: dict[str, int], before: dict[str, int], verifiable: bool
) -> None:
    assert pair(effects, before).verifiable is verifiable


def test_a_tier_needs_the_tiers_before() -> None:
    wrong_sentences = pair({"open": 2}, {}, conflict_pred=[1, 2])
    wrong_story = pair({"open": 2}, {}, story_pred=0)
    assert (wrong_sentences.accurate, wrong_sentences.consistent) == (True, False)
    assert (wrong_story.accurate, wrong_story.consistent) == (False, False)
    assert not wrong_sentences.verifiable
    assert not wrong_story.verifiable


def test_disagreement_with_the_log_is_told() -> None:
    notes = summarise([pair({"open": 2}, {})]).notes
    assert any("otherwise: x" in note for note in notes)


@pytest.mark.parametrize("content", ["", "{}", "[{}]", '[{"example_id": 3}]', "[" * 5000])
def test_another_file_is_a_typed_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(content)
    with pytest.raises(DataError) as caught:
        read(path)
    assert caught.value.where == str(path)


def test_a_missing_file_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path / "none.json")
