"""Tiered results of GITA v1: the published totals, and the log's own judgement row by row."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from core.benchmarks.gita.tiered_results import Pair, kinds, read, summarise
from core.text.errors import DataError
from tests.cli.support import ok, run


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
def test_every_row_has_the_verdict_of_its_log(shared_data: Path, part: str) -> None:
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


def test_disagreement_with_the_log_is_noted() -> None:
    notes = summarise([pair({"open": 2}, {})]).notes
    assert any("otherwise: x" in note for note in notes)


def test_kinds_are_read_from_ids_and_repeated_ids_are_noted() -> None:
    ids = ["0-C0", "0-O0", "12-O1", "7", "Ocean", "0-O0"]
    pairs = [pair({}, {}, example_id=key) for key in ids]
    assert kinds(pairs) == {"cloze": 1, "order": 3, "other": 2}
    assert any("more than one row: 0-O0." in note for note in summarise(pairs).notes)


def log(path: Path, *pairs: Pair) -> Path:
    """A log with a row on every line from the second on."""
    rows = ",\n".join(msgspec.json.encode(pair).decode() for pair in pairs)
    path.write_text(f"[\n{rows}\n]\n", "utf-8")
    return path


def test_a_log_is_read_as_it_was_written(tmp_path: Path) -> None:
    pairs = [pair({"open": 2}, {}), pair({}, {}, example_id="y"), pair({}, {}, example_id="y")]
    assert read(log(tmp_path / "log.json", *pairs)) == pairs


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("", 1, "truncated"),
        ("{}", 1, "got object"),
        ("[]", 1, "no pairs"),
        ("[{}]", 1, "example_id"),
        ('[\n\n{"example_id":\n 3}]', 3, "got int, at example_id"),
        ("[\n\n3 4]", 3, "malformed"),
        ("[1,\n2,\n\n", 2, "truncated"),
        ("[" * 5000, 1, "not a tiered log"),
    ],
)
def test_another_file_is_a_typed_error(content: str, line: int, what: str, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(content)
    with pytest.raises(DataError, match=what) as caught:
        read(path)
    assert caught.value.where == f"{path}:{line}"


@pytest.mark.parametrize("row", range(3))
def test_a_bad_row_is_reported_with_its_line(row: int, tmp_path: Path) -> None:
    path = log(tmp_path / "log.json", *[pair({}, {})] * 3)
    lines = path.read_text("utf-8").split("\n")
    lines[row + 1] = lines[row + 1].replace('"story_label":1', '"story_label":"1"')
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(DataError, match="got str, at story_label") as caught:
        read(path)
    assert caught.value.where == f"{path}:{row + 2}"


def test_a_missing_file_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path / "none.json")


# -- import tiered ---------------------------------------------------------------------------------


def test_the_command_prints_the_published_totals(shared_data: Path) -> None:
    folder = shared_data / "gita_v1"
    expected = json.loads((folder / "expected_v1.json").read_text("utf-8"))
    files = [folder / f"{part}_explanations_consistency_test.json" for part in expected]
    parts = ok("import", "tiered", *files, "--json").json["files"]
    assert [part["file"] for part in parts] == [str(file) for file in files]
    for found, (part, totals) in zip(parts, expected.items(), strict=True):
        counted = {key: found[key] for key in ("pairs", "correct", "consistent", "verifiable")}
        assert counted == {key: totals[key] for key in counted}
        assert found["kinds"] == {part: totals["pairs"]}
        for name, value in found["metrics"].items():
            assert value == pytest.approx(totals["published"][name.lower()], abs=1e-9)
            low, high = found["intervals"][name]
            assert 0 <= low < value < high <= 1
    text = ok("import", "tiered", *files).out
    for totals in expected.values():
        for key in ("correct", "consistent", "verifiable"):
            assert f" {totals[key]}/{totals['pairs']} " in text


def test_the_command_counts_an_invented_log(tmp_path: Path) -> None:
    file = log(
        tmp_path / "log.json",
        pair({"open": 2}, {}, example_id="1-O0", valid_explanation=True),
        pair({}, {}, example_id="1-C0"),
        pair({}, {}, example_id="2-C0", conflict_pred=[]),
        pair({}, {}, example_id="\x1b[2J", story_pred=0, valid_explanation=True),
    )
    found = ok("import", "tiered", file, "--json").json["files"][0]
    assert found["kinds"] == {"order": 1, "cloze": 2, "other": 1}
    assert found["right"] == {"Accuracy": 3, "Consistency": 2, "Verifiability": 1}
    assert set(found["denominators"].values()) == {found["pairs"]} == {4}
    assert found["baselines"]["Accuracy"]["chance"]["value"] == 0.5
    assert set(found["baselines"]) == {"Accuracy"}
    # Two right and two wrong: below the mean .35536 a Poisson variable reaches 2 with 5 %.
    low = 0.35536 / 4
    assert found["intervals"]["Consistency"] == pytest.approx([low, 1 - low], abs=1e-5)
    text = ok("import", "tiered", file).out
    assert f"{file}: 4 pairs of stories (1 order, 2 cloze, 1 other)" in text
    accuracy = next(line for line in text.splitlines() if "Accuracy" in line)
    assert accuracy.split() == [
        "Accuracy",
        "0.7500",
        "3/4",
        "0.301",
        "to",
        "0.987",
        "chance",
        "0.500",
    ]
    assert "otherwise: ␛[2J." in text
    assert "\x1b" not in text


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_one_bad_file_leaves_nothing_printed(options: list[str], tmp_path: Path) -> None:
    good = log(tmp_path / "good.json", pair({}, {}))
    bad = tmp_path / "bad.json"
    bad.write_text("[\n{}]", "utf-8")
    ran = run("import", "tiered", good, bad, *options)
    assert (ran.code, ran.out) == (2, "")
    assert f"{bad}:2" in ran.err
