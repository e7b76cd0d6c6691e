"""Statistics of Tables 1 to 3: counted by hand, and against their definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.abspyramid.bleu import bleu_counts, tokenise_13a
from core.benchmarks.abspyramid.dataset_statistics import (
    ALL,
    NO_SPLIT,
    SOFT_UNIQUENESS,
    Statistics,
    bleu_1,
    statistics,
)
from core.benchmarks.abspyramid.tuple_store import TupleStore

words = st.lists(st.sampled_from(["wild", "animal", "cat", "the", "of"]), min_size=1, max_size=5)


def of(path: Path, name: str, *rows: tuple[str, Any, int | None, str]) -> Path:
    file = path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    keys = ("event", "concept", "label", "type")
    file.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    return path


def counted(path: Path) -> Statistics:
    return statistics(TupleStore(path))


@pytest.fixture
def released(tmp_path: Path) -> Path:
    of(
        tmp_path,
        "Detection/merged_dataset/train.json",
        ("PersonX fed <a cat>", "animal", 1, "noun"),
        ("PersonX fed <a cat>", "animals", 1, "noun"),
        ("PersonX fed <a cat>", "wild animal", 0, "noun"),
        ("PersonX <fed> a cat", "keep", 1, "verb"),
    )
    of(
        tmp_path,
        "Detection/merged_dataset/test.json",
        ("<it rains>", "weather", 1, "event"),
        ("<it rains>", "Weather", 0, "event"),
        ("<it rains>", "rainy weather", None, "event"),
    )
    of(
        tmp_path,
        "Generation/merged_dataset/train.json",
        ("PersonX fed <a cat>", "animal", None, "noun"),
        ("PersonX fed <a cat>", "pet", None, "noun"),
    )
    return of(
        tmp_path,
        "Generation/merged_dataset/valid.json",
        ("PersonX fed <a dog>", ["animal", "pet", "being"], None, "noun"),
        ("<it rains>", "weather [SEP] event", None, "event"),
    )


def test_table_1_counts_by_relation_and_split(released: Path) -> None:
    found = counted(released).detection
    assert list(found) == [ALL, "noun", "verb", "event"]
    assert {name: line.tuples for name, line in found.items()} == {
        ALL: 7, "noun": 3, "verb": 1, "event": 3,
    }  # fmt: skip
    assert found[ALL].by_split == {"train": 4, "test": 3}
    assert found["event"].by_split == {"test": 3}


def test_table_1_positive_rates_are_of_labelled_tuples(released: Path) -> None:
    found = counted(released).detection
    rates = {name: (line.positive.count, line.positive.total) for name, line in found.items()}
    assert rates == {ALL: (4, 6), "noun": (2, 3), "verb": (1, 1), "event": (1, 2)}
    assert found["noun"].positive.rate == pytest.approx(2 / 3)


def test_table_2_vocabulary_is_of_words_without_case(released: Path) -> None:
    found = counted(released).detection
    # personx fed a cat animal animals wild; keep; it rains weather rainy
    assert {name: line.vocabulary for name, line in found.items()} == {
        ALL: 12, "noun": 7, "verb": 5, "event": 4,
    }  # fmt: skip


def test_table_2_counts_unique_concepts(released: Path) -> None:
    found = counted(released).detection
    # “wild animal” covers all of “animal”, which covers half of it; nothing covers “animals”.
    # “weather” comes twice, and covers half of the third.
    assert (found["noun"].unique.count, found["noun"].unique.total) == (2, 3)
    assert (found["event"].unique.count, found["event"].unique.total) == (1, 3)


def test_table_2_social_share_is_of_different_head_events(released: Path) -> None:
    found = counted(released).detection
    shares = {name: (line.social.count, line.social.total) for name, line in found.items()}
    assert shares == {ALL: (1, 2), "noun": (1, 1), "verb": (1, 1), "event": (0, 1)}


@pytest.mark.parametrize(
    ("head", "social"),
    [("PeopleX met", True), ("they met PersonY's dog", True), ("a Person met", False),
     ("Personal matters", False), ("ThePersonX", False)],
)  # fmt: skip
def test_person_variables_are_words(tmp_path: Path, head: str, social: bool) -> None:
    found = counted(of(tmp_path, "rows.json", (f"<{head}>", "meeting", 1, "event")))
    assert found.detection[ALL].social.count == social


def test_table_3_counts_references_and_instances(released: Path) -> None:
    found = counted(released).generation
    assert list(found) == [ALL, "noun", "event"]
    assert found[ALL].by_split == {"train": 2, "valid": 5}
    assert {name: (line.references, line.instances) for name, line in found.items()} == {
        ALL: (7, 3), "noun": (5, 2), "event": (2, 1),
    }  # fmt: skip
    assert found["noun"].average_references == pytest.approx(2.5)


def test_outside_of_task_folders_the_label_tells_the_task(tmp_path: Path) -> None:
    path = of(
        tmp_path,
        "rows.json",
        ("<a cat> ran", "animal", 1, "noun"),
        ("<a cat> ran", "being", None, "noun"),
    )
    found = counted(path)
    assert found.detection[ALL].by_split == {NO_SPLIT: 1}
    assert found.generation[ALL].references == 1


def test_unlabelled_tuples_have_no_positive_rate(tmp_path: Path) -> None:
    path = of(tmp_path, "Detection/x/test.json", ("<a cat> ran", "animal", None, "noun"))
    assert counted(path).detection[ALL].positive.rate is None


@given(concept=words, others=st.lists(words, min_size=1, max_size=4))
def test_bleu_1_is_that_of_the_generation_task(concept: list[str], others: list[list[str]]) -> None:
    texts = [" ".join(other) for other in others]
    counts = bleu_counts(" ".join(concept), texts)
    assert bleu_1(concept, others) == pytest.approx(counts.cumulative(1))
    assert bleu_1(concept, [*others, concept]) == pytest.approx(1)


def test_a_concept_alone_is_unique() -> None:
    assert bleu_1(tokenise_13a("animal"), []) <= SOFT_UNIQUENESS


def test_folders_of_single_relations_give_the_lines_of_the_merged_one(
    released: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    merged = counted(released)
    apart = tmp_path_factory.mktemp("apart")
    for file in released.rglob("*.json"):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        for relation in ("noun", "verb", "event"):
            mine = [
                {name: value for name, value in row.items() if name != "type"}
                for row in rows
                if row["type"] == relation
            ]
            if mine:
                task = file.parent.parent.name
                target = apart / task / f"{relation}_dataset" / file.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("".join(json.dumps(row) + "\n" for row in mine))
    assert counted(apart) == merged
