"""Items that the authors' program wrote, opened as a collection and checked like ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.suites.artefact_collection import is_artefacts, open_artefacts
from core.benchmarks.accord.task_layers import ANSWER, BARE
from core.contract.setting import Setting
from core.contract.view import Graph
from core.text.errors import DataError, NotFoundError
from tests.benchmarks.accord.test_artefacts import DATA, FAMILY, GROUP, lines

ACCORD = Accord()
EMPTY = Setting.of((), {})
QUESTION = {
    "id": "lamp",
    "question": "Where does the lantern hang?",
    "choices": {"A": "old kettle", "B": "harbour"},
    "answer": "A",
}
OTHER = GROUP | {"identifier": "G1"}


def artefacts(folder: Path, *rows: object, size: str = "2", question: str = "lamp") -> Path:
    """A folder as the authors' program leaves it, with these groups of one question."""
    converted = folder / "converted"
    converted.mkdir(parents=True, exist_ok=True)
    lines(converted / "questions.jsonl", QUESTION)
    below = folder / "qa_data" / size / question / "results"
    below.mkdir(parents=True, exist_ok=True)
    lines(below / "groups.jsonl", *rows)
    lines(below / "families.jsonl", FAMILY)
    lines(below / "data.jsonl", *DATA)
    return folder


def test_a_folder_of_the_authors_program_opens_as_items(tmp_path: Path) -> None:
    folder = artefacts(tmp_path, GROUP, OTHER)
    assert is_artefacts(folder)
    collection = ACCORD.open(folder)
    assert [collection.entry(place).id for place in range(2)] == ["2/lamp/G0", "2/lamp/G1"]
    assert not collection.errors
    item = collection.item(collection.find("2/lamp/G0"))
    structure = item.fixed.structure
    assert (structure.hops, structure.distractors) == (2, 0)
    assert item.fixed.copies == (("old kettle", "moss", "lantern"), ("harbour", "sand", "lantern"))
    assert item.fixed.default
    entry = collection.entry(0)
    assert "2 hops" in entry.detail
    assert entry.group == "lamp"
    assert list(collection.matching("LANTERN")) == [0, 1]
    assert list(collection.matching("g1")) == [1]


def test_items_of_the_authors_are_shown_asked_and_toggled(tmp_path: Path) -> None:
    item = ACCORD.open(artefacts(tmp_path, GROUP)).item(0)
    view = ACCORD.view(item, EMPTY)
    assert any(isinstance(block, Graph) for block in view.sections)
    asked = ACCORD.question(item, EMPTY, ANSWER)
    assert asked is not None
    assert asked.gold == 0
    assert "[moss]" in asked.text
    assert "[lantern]" in asked.text
    assert ACCORD.question(item, EMPTY, BARE) is None
    for setting in (way for _, way in ACCORD.contrasts(item, EMPTY)):
        flipped = ACCORD.question(item, setting, ANSWER)
        assert flipped is not None
        assert flipped.tags["variant"] == ("factual" if flipped.gold == 0 else "anti-factual")


def test_items_of_different_sizes_have_different_names(tmp_path: Path) -> None:
    artefacts(tmp_path, GROUP, size="2")
    collection = open_artefacts(artefacts(tmp_path, GROUP, size="3"))
    assert [collection.entry(place).id for place in range(2)] == ["2/lamp/G0", "3/lamp/G0"]


def test_an_unreadable_group_is_reported_with_its_line(tmp_path: Path) -> None:
    lost = GROUP | {"identifier": "G2", "data_ids": {"A": "I0"}, "mapping_map": {"A": None}}
    collection = open_artefacts(artefacts(tmp_path, "{", GROUP, lost))
    assert len(collection) == 1
    wheres = [error.where.rpartition(":") for error in collection.errors]
    assert [line for _, _, line in wheres] == ["1", "3"]
    assert all(path.endswith("groups.jsonl") for path, _, _ in wheres)


def test_a_missing_question_is_reported(tmp_path: Path) -> None:
    artefacts(tmp_path, GROUP)
    folder = artefacts(tmp_path, GROUP, question="lost \u202ex")
    collection = open_artefacts(folder)
    assert len(collection) == 1
    (error,) = collection.errors
    assert "lost" in error.what
    assert "\u202e" not in str(error)


def test_a_folder_without_items_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no folder"):
        open_artefacts(artefacts(tmp_path / "a", GROUP, question="lost"))
    with pytest.raises(DataError):
        open_artefacts(artefacts(tmp_path / "b", "{"))
    assert not is_artefacts(tmp_path / "nowhere")
    assert not is_artefacts(tmp_path / "a" / "converted" / "questions.jsonl")


def test_an_unknown_id_is_reported(tmp_path: Path) -> None:
    collection = open_artefacts(artefacts(tmp_path, GROUP))
    with pytest.raises(NotFoundError) as told:
        collection.find("2/lamp/G9\x1b")
    assert "2/lamp/G0" in told.value.hint
    assert "\x1b" not in str(told.value)


def test_the_files_are_not_changed(tmp_path: Path) -> None:
    folder = artefacts(tmp_path, GROUP)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    collection = open_artefacts(folder)
    ACCORD.view(collection.item(0), EMPTY)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_content_hash_depends_on_the_items(tmp_path: Path) -> None:
    one = open_artefacts(artefacts(tmp_path / "a", GROUP)).content_hash
    same = open_artefacts(artefacts(tmp_path / "b", GROUP)).content_hash
    sand = json.loads(json.dumps(GROUP).replace("sand", "salt"))
    other = open_artefacts(artefacts(tmp_path / "c", sand)).content_hash
    assert one == same != other
