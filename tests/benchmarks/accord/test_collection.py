"""Questions and suites as collections: listed, found, searched, asked, whatever is in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.collection import open_collection
from core.benchmarks.accord.grounding.search_trace import Unsatisfied
from core.benchmarks.accord.item import AccordItem
from core.benchmarks.accord.suites.collection import SuiteCollection, bare_id
from core.benchmarks.accord.suites.files import ITEMS, MANIFEST
from core.benchmarks.accord.switches import situation, switches
from core.benchmarks.accord.task_layers import ANSWER, BARE
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.setting import Setting
from core.files.shipped import samples
from core.text.errors import DataError, NotFoundError
from tests.benchmarks.accord.suites import bundled, bundled_questions, generator, instances, written

ACCORD = Accord()
SAMPLES = samples() / "accord"
EMPTY = Setting.of((), {})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("suite")
    written(generator((1, 2), per_cell=2, seed=6), made)
    return made


def suite(path: Path) -> SuiteCollection:
    found = ACCORD.open(path)
    assert isinstance(found, SuiteCollection)
    return found


# -- the benchmark -------------------------------------------------------------------------------


def test_it_is_a_benchmark_whose_suggestions_are_reviewed() -> None:
    benchmark: Benchmark = ACCORD
    collection: Collection = benchmark.open(SAMPLES)
    assert benchmark.reviewed
    assert benchmark.suggestions(collection.item(0))


def test_each_kind_of_path_opens_as_what_it_is(folder: Path) -> None:
    titles = {
        "folder": ACCORD.open(SAMPLES).about.title,
        "file": ACCORD.open(SAMPLES / "questions.yaml").about.title,
        "sweep": ACCORD.open(SAMPLES / "sweep.yaml").about.title,
        "suite": ACCORD.open(folder).about.title,
        "items": ACCORD.open(folder / ITEMS).about.title,
    }
    assert titles["folder"] == titles["file"]
    assert "sweep" in titles["sweep"]
    assert titles["suite"] == titles["items"] == f"Suite {folder.name}"


# -- questions -----------------------------------------------------------------------------------


def test_questions_are_listed_found_and_searched() -> None:
    collection = open_collection(SAMPLES)
    for place in range(len(collection)):
        entry = collection.entry(place)
        assert collection.find(entry.id) == place
        item = collection.item(place)
        assert item.id == entry.id
        assert item.question.question in entry.label
        assert place in collection.matching(item.question.choices[0][1].upper())
    assert list(collection.matching("KETTLE")) == [0]
    assert list(collection.matching("")) == list(range(len(collection)))
    assert not collection.matching("no such words at all")
    assert not collection.errors
    assert not collection.repairs


def test_an_unknown_id_is_reported_with_the_nearest_ones() -> None:
    with pytest.raises(NotFoundError, match="kettel") as told:
        open_collection(SAMPLES).find("kettel")
    assert "kettle" in told.value.hint


def test_unreadable_questions_are_reported_with_their_lines_and_the_rest_opens(
    tmp_path: Path,
) -> None:
    good = {"id": "a", "question": "q?", "choices": {"A": "x", "B": "y"}, "answer": "A"}
    rows = [json.dumps(good), "{", json.dumps(good | {"id": "b", "answer": "Z"})]
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(rows) + "\n")
    collection = open_collection(path)
    assert [collection.entry(place).id for place in range(len(collection))] == ["a"]
    assert [error.where for error in collection.errors] == [f"{path}:2", f"{path}:3"]


def test_questions_without_a_knowledge_base_use_the_bundled_one_and_say_so(
    tmp_path: Path,
) -> None:
    (tmp_path / "questions.yaml").write_bytes((SAMPLES / "questions.yaml").read_bytes())
    item = open_collection(tmp_path).item(0)
    assert item.grounds.borrowed
    assert item.grounds.name == bundled().grounds.name
    notes = [getattr(block, "text", "") for block in ACCORD.view(item, EMPTY).sections]
    assert any("bundled one" in note for note in notes)
    assert not bundled().item(0).grounds.borrowed


def test_the_content_hash_depends_on_questions_and_knowledge_base(tmp_path: Path) -> None:
    hashes = set()
    questions, knowledge = tmp_path / "questions.yaml", tmp_path / "knowledge"
    questions.write_bytes((SAMPLES / "questions.yaml").read_bytes())
    hashes.add(open_collection(tmp_path).content_hash)
    knowledge.mkdir()
    (knowledge / "AtLocation.csv").write_text("kettle,kitchen\n")
    hashes.add(open_collection(tmp_path).content_hash)
    (knowledge / "AtLocation.csv").write_text("kettle,garage\n")
    hashes.add(open_collection(tmp_path).content_hash)
    questions.write_text(questions.read_text().replace("Steam rises", "Steam is rising"))
    hashes.add(open_collection(tmp_path).content_hash)
    assert len(hashes) == 4
    assert open_collection(tmp_path).content_hash in hashes


def test_a_missing_relation_is_reported_if_a_tree_needs_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "questions.yaml").write_bytes((SAMPLES / "questions.yaml").read_bytes())
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "AtLocation.csv").write_text("kettle,kitchen\npan,attic\n")
    item = open_collection(tmp_path).item(0)
    setting = Setting.of(switches(item), {"hops": "4"})
    reason = situation(item, setting).grounded
    assert isinstance(reason, Unsatisfied)
    notes = [getattr(block, "text", "") for block in ACCORD.view(item, setting).sections]
    assert reason.reason in notes
    assert ACCORD.question(item, setting, ANSWER) is None
    assert ACCORD.skip_reason(item, setting, ANSWER)
    assert ACCORD.question(item, setting, BARE) is not None


# -- suites --------------------------------------------------------------------------------------


def test_a_suite_is_listed_in_its_order(folder: Path) -> None:
    collection = suite(folder)
    lines = (folder / ITEMS).read_bytes().splitlines()
    made = instances(lines)
    kept = [line for line in lines if not line.startswith(b'{"refused"')]
    assert len(collection) == len(kept) == len(made) + 4
    for place in range(len(collection)):
        item, entry = collection.item(place), collection.entry(place)
        assert isinstance(item, AccordItem)
        assert item.id == entry.id
        assert entry.group == item.question.id
        assert collection.item(place) is item
        if item.bare:
            assert entry.id == bare_id(item.question.id)
            assert ACCORD.question(item, EMPTY, BARE) is not None
            assert ACCORD.question(item, EMPTY, ANSWER) is None
        else:
            assert item.fixed is not None
            asked = ACCORD.question(item, EMPTY, ANSWER)
            assert asked is not None
            assert asked.gold == item.question.labels.index(item.fixed.chosen)
            assert ACCORD.question(item, EMPTY, BARE) is None
            is_factual = item.fixed.chosen == item.question.answer
            variant = "factual" if is_factual else "anti-factual"
            assert entry.detail.startswith(f"{variant}, ")
    assert [
        collection.item(p).fixed
        for p in range(len(collection))
        if p and not collection.item(p).bare
    ] == made


def test_items_of_a_suite_are_found_by_id_and_text(folder: Path) -> None:
    collection = suite(folder)
    for place in (0, 1, len(collection) - 1):
        assert collection.find(collection.entry(place).id) == place
    first = bundled_questions(1)[0]
    found = collection.matching(first.question.upper())
    assert found == [p for p in range(len(collection)) if collection.entry(p).group == first.id]
    with pytest.raises(NotFoundError):
        collection.find("\x1b[2Jnothing")


def test_refused_items_are_reported_but_not_listed(folder: Path) -> None:
    collection = suite(folder)
    refused = (folder / ITEMS).read_bytes().count(b'{"refused"')
    assert refused > 0
    assert str(refused) in collection.repairs[0].what


def test_an_unfinished_suite_opens(folder: Path, tmp_path: Path) -> None:
    raw = (folder / ITEMS).read_bytes()
    (tmp_path / MANIFEST).write_bytes((folder / MANIFEST).read_bytes())
    (tmp_path / ITEMS).write_bytes(raw[: len(raw) // 2])
    collection = suite(tmp_path)
    whole = suite(folder)
    assert 0 < len(collection) < len(whole)
    for place in range(len(collection)):
        assert collection.entry(place) == whole.entry(place)
    assert collection.content_hash != whole.content_hash


def test_an_invalid_line_is_reported_and_the_other_items_open(folder: Path, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes((folder / MANIFEST).read_bytes())
    lines = (folder / ITEMS).read_bytes().splitlines()
    lines[1] = b'{"id": "\\u001b[2J"}'
    lines[2] = b"\xff\x00"
    (tmp_path / ITEMS).write_bytes(b"\n".join(lines) + b"\n")
    collection = suite(tmp_path)
    for place, number in ((1, 2), (2, 3)):
        with pytest.raises(DataError) as told:
            collection.item(place)
        assert told.value.where.endswith(f"{ITEMS}:{number}")
        assert "\x1b" not in str(told.value)
        assert "\x1b" not in "".join(str(part) for part in (collection.entry(place),))
    assert collection.item(3).fixed == suite(folder).item(3).fixed


def test_an_item_of_another_knowledge_base_is_shown_unchecked(tmp_path: Path) -> None:
    written(generator((2,), questions=bundled_questions(1)), tmp_path)
    other = tmp_path / "knowledge"
    other.mkdir()
    (other / "AtLocation.csv").write_text("kettle,kitchen\n")
    collection = suite(tmp_path)
    item = collection.item(1)
    notes = [getattr(block, "text", "") for block in ACCORD.view(item, EMPTY).sections]
    assert any(note.startswith("Not checked") for note in notes)
    assert ACCORD.question(item, EMPTY, ANSWER) is not None


def test_a_suite_without_items_is_reported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes((folder / MANIFEST).read_bytes())
    with pytest.raises(DataError, match="no items yet"):
        ACCORD.open(tmp_path)
