"""A file of another kind is given up after a long beginning, by every benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.contract import registry
from core.files.unreadable import MOST_FAILURES
from core.runs.notes_on_items import notes_on_items
from core.text.errors import DataError
from tests.benchmarks.com2.released_rows import row

STORIES = registry.load("gita").samples()
STORY: dict[str, Any] = json.loads(STORIES.read_text(encoding="utf-8"))["0"]
QUESTION = {
    "id": "q",
    "question": {
        "question_concept": "lantern",
        "choices": [{"label": label, "text": text} for label, text in zip("AB", "xy", strict=True)],
        "stem": "Where is a lantern hung?",
    },
    "answerKey": "A",
}
RELATION = {"causal_relation": {"cause": {"concept": "rain"}, "effect": {"concept": "flood"}}}
TUPLE = {"event": "<a cat> chased a mouse", "concept": "animal", "label": 1, "type": "noun"}
SOUND = [
    ("gita", STORY),
    ("accord", QUESTION),
    ("com2", row()),
    ("abspyramid", TUPLE),
]
OBJECT, WORD = '{"a": 1}', "x"


def lines(path: Path, garbage: str, count: int, sound: dict[str, Any]) -> Path:
    with path.open("w", encoding="utf-8") as handle:
        handle.write(f"{garbage}\n" * count)
        handle.write(json.dumps(sound) + "\n")
    return path


@pytest.mark.parametrize(
    ("name", "sound", "garbage"),
    # Of stories the first character already says that a file of words has none.
    [*((*each, OBJECT) for each in SOUND), *((*each, WORD) for each in SOUND[1:])],
)
def test_what_is_found_after_a_long_beginning_of_garbage(
    name: str, sound: dict[str, Any], garbage: str, tmp_path: Path
) -> None:
    benchmark = registry.load(name)
    patient = lines(tmp_path / "patient.jsonl", garbage, MOST_FAILURES - 1, sound)
    collection = benchmark.open(patient)
    assert len(collection) == 1
    [note] = notes_on_items(collection)
    assert note.startswith(f"{MOST_FAILURES - 1:,} items of the file could not be read")
    long = lines(tmp_path / "long.jsonl", garbage, MOST_FAILURES, sound)
    with pytest.raises(DataError, match=r"None of the first 10,000 rows") as told:
        benchmark.open(long)
    assert told.value.where == f"{long}:1"
    assert told.value.hint or name == "com2"


def test_an_array_and_relations_are_given_up_too(tmp_path: Path) -> None:
    for name, sound in (*SOUND, ("com2", RELATION)):
        path = tmp_path / f"{name}.json"
        rows = [*[{"causal_relation": 1}] * MOST_FAILURES, sound]
        path.write_text(json.dumps(rows), encoding="utf-8")
        with pytest.raises(DataError, match=r"None of the first 10,000 rows"):
            registry.load(name).open(path)


@pytest.mark.parametrize(("name", "sound"), SOUND[1:], ids=[name for name, _ in SOUND[1:]])
def test_beside_a_file_that_is_given_up_another_is_read(
    name: str, sound: dict[str, Any], tmp_path: Path
) -> None:
    lines(tmp_path / "a.jsonl", OBJECT, MOST_FAILURES, sound)
    lines(tmp_path / "b.jsonl", "", 0, sound)
    opened = registry.load(name).open(tmp_path)
    assert len(opened) == 1
    (error,) = opened.errors
    assert "None of the first 10,000 rows" in error.what


@pytest.mark.parametrize("name", [name for name, _ in SOUND])
def test_garbage_behind_what_can_be_read_is_all_told(name: str, tmp_path: Path) -> None:
    sound = dict(SOUND)[name]
    path = tmp_path / "mixed.jsonl"
    garbage = f"{OBJECT}\n" * (MOST_FAILURES + 5)
    path.write_text(json.dumps(sound) + "\n" + garbage, encoding="utf-8")
    opened = registry.load(name).open(path)
    assert len(opened) == 1
    assert not any("None of the first" in error.what for error in opened.errors)


@pytest.mark.parametrize("name", ["gita", "com2", "abspyramid"])
def test_brackets_without_end_are_no_reason_to_look_for_one(name: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(DataError, match="nested too deeply"):
        registry.load(name).open(path)
