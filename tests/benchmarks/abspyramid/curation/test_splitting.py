"""Splits keep a head event and instance together, whatever the order of the rows."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.abspyramid.curation.splits import (
    RATIOS,
    Group,
    Ratios,
    grouped,
    set_sizes,
    split,
    task_for_ratios,
    task_tuples,
    write_release,
)
from core.benchmarks.abspyramid.dataset_files import Split, Task
from core.benchmarks.abspyramid.tuple_reader import read_tuples
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.text.errors import DataError, SettingError


def made(head: str, relation: Relation, concept: str, label: bool | None = True) -> AbstractTuple:
    """A tuple whose instance is the first word, or the whole event."""
    end = len(head) if relation is Relation.EVENT else len(head.split()[0])
    return AbstractTuple(head, 0, end, relation, (concept,), label, "x:1")


tuples = st.lists(
    st.builds(
        made,
        st.integers(0, 12).map(lambda i: f"{'cat' * (i % 3 + 1)} number {i}"),
        st.sampled_from(Relation),
        st.sampled_from(["animal", "pet", "being", "thing"]),
        st.booleans(),
    ),
    max_size=60,
)
ratios = st.sampled_from(list(RATIOS.values()))


def content(groups: Sequence[Group]) -> list[tuple[object, ...]]:
    return [(g.relation, t.head, t.instance, t.concepts, t.label) for g in groups for t in g.tuples]


@given(tuples, ratios, st.integers())
def test_a_head_event_and_instance_are_in_one_set(
    rows: list[AbstractTuple], parts: Ratios, seed: int
) -> None:
    sets = split(rows, parts, seed)
    where: dict[tuple[object, ...], set[Split]] = {}
    for by_split in sets.values():
        for name, groups in by_split.items():
            for row in content(groups):
                where.setdefault(row[:3], set()).add(name)
    assert all(len(names) == 1 for names in where.values())
    every = [
        row for by_split in sets.values() for groups in by_split.values() for row in content(groups)
    ]
    assert Counter(every) == Counter(
        (t.relation, t.head, t.instance, t.concepts, t.label) for t in rows
    )


@given(tuples, ratios, st.integers(), st.randoms())
def test_the_order_of_the_rows_does_not_matter(
    rows: list[AbstractTuple], parts: Ratios, seed: int, chance: random.Random
) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)
    for relation, by_split in split(rows, parts, seed).items():
        other = split(shuffled, parts, seed)[relation]
        assert {n: content(g) for n, g in by_split.items()} == {
            n: content(g) for n, g in other.items()
        }


@given(tuples, ratios, st.integers())
def test_sizes_miss_the_ratios_by_less_than_a_group(
    rows: list[AbstractTuple], parts: Ratios, seed: int
) -> None:
    for relation, by_split in set_sizes(split(rows, parts, seed)).items():
        own = [row for row in rows if row.relation.value == relation]
        largest = max(Counter((t.head, t.instance) for t in own).values())
        for part, name in zip(parts, Split, strict=True):
            assert abs(by_split[name.value] - len(own) * part / sum(parts)) <= largest


def test_the_paper_s_ratios_of_a_thousand_instances() -> None:
    rows = [made(f"cat {i}", Relation.NOUN, c) for i in range(1000) for c in ("a", "b", "c")]
    assert set_sizes(split(rows, RATIOS[Task.DETECTION], 0)) == {
        "noun": {"train": 2400, "valid": 300, "test": 300}
    }
    assert set_sizes(split(rows, RATIOS[Task.GENERATION], 0)) == {
        "noun": {"train": 2700, "valid": 150, "test": 150}
    }


def test_another_seed_makes_other_sets() -> None:
    rows = [made(f"cat {i}", Relation.NOUN, "a") for i in range(50)]
    assert content(grouped(rows, 0)) != content(grouped(rows, 1))


def test_ratios_name_the_task_and_its_tuples() -> None:
    assert task_for_ratios("80:10:10") is Task.DETECTION
    assert task_for_ratios("90:5:5") is Task.GENERATION
    with pytest.raises(SettingError, match="no ratios") as error:
        task_for_ratios("70:20:10")
    assert error.value.hint == "80:10:10 (detection) or 90:5:5 (generation)"
    rows = [made("cat a", Relation.NOUN, "x"), made("cat a", Relation.NOUN, "y", False)]
    assert list(task_tuples(rows, Task.DETECTION)) == rows
    assert list(task_tuples(rows, Task.GENERATION)) == rows[:1]
    with pytest.raises(DataError, match="no label") as error2:
        list(task_tuples([made("cat a", Relation.NOUN, "x", None)], Task.GENERATION))
    assert error2.value.where == "x:1"


def test_references_are_valid_concepts_of_generation_alone() -> None:
    labelled = [made("cat a", Relation.NOUN, "x"), made("cat a", Relation.NOUN, "y", False)]
    references = [
        replace(made("cat a", Relation.NOUN, "x", None), concepts=("x", "z", "z")),
        made("cat b", Relation.NOUN, "x", None),
    ]
    assert list(task_tuples(labelled, Task.DETECTION, references)) == labelled
    found = list(task_tuples(labelled, Task.GENERATION, references))
    assert [(each.head, each.concepts) for each in found] == [
        ("cat a", ("x",)), ("cat a", ("z",)), ("cat b", ("x",)),
    ]  # fmt: skip
    with pytest.raises(DataError, match="only references") as error:
        list(task_tuples([], Task.DETECTION, references))
    assert "--ratios 90:5:5" in error.value.hint


@pytest.fixture
def labelled() -> list[AbstractTuple]:
    return [
        made(f"cats café {i}", relation, concept, concept != "pet")
        for i in range(20)
        for relation in (Relation.NOUN, Relation.EVENT)
        for concept in ("animal", "pet", "being")
    ]


def test_the_release_is_read_back(tmp_path: Path, labelled: list[AbstractTuple]) -> None:
    for task in Task:
        sets = split(task_tuples(labelled, task), RATIOS[task], 3)
        assert write_release(tmp_path, task, sets).parent == tmp_path
    assert sorted(p.name for p in tmp_path.iterdir()) == ["Detection", "Generation"]
    assert sorted(p.name for p in (tmp_path / "Detection").iterdir()) == [
        "event_dataset", "merged_dataset", "noun_dataset",
    ]  # fmt: skip
    found = list(read_tuples(tmp_path / "Detection"))
    want = Counter((t.marked, t.relation, t.concepts, t.label) for t in labelled)
    assert Counter((t.marked, t.relation, t.concepts, t.label) for t in found) == want
    single = [
        row
        for relation in ("noun", "event")
        for row in read_tuples(tmp_path / "Detection" / f"{relation}_dataset")
    ]
    assert Counter((t.marked, t.relation, t.concepts, t.label) for t in single) == want


def test_references_are_lists_where_they_are_scored(
    tmp_path: Path, labelled: list[AbstractTuple]
) -> None:
    sets = split(task_tuples(labelled, Task.GENERATION), RATIOS[Task.GENERATION], 0)
    write_release(tmp_path, Task.GENERATION, sets)
    folder = tmp_path / "Generation" / "noun_dataset"
    rows = {n: [json.loads(x) for x in (folder / f"{n}.json").open()] for n in Split}
    assert {row["concept"] for row in rows[Split.TRAIN]} == {"animal", "being"}
    assert [row["concept"] for row in rows[Split.TEST]] == [["animal", "being"]]
    assert [len(rows[n]) for n in Split] == [36, 1, 1]
    assert all("label" not in row for by_split in rows.values() for row in by_split)


def test_files_are_never_overwritten_nor_left_half_written(
    tmp_path: Path, labelled: list[AbstractTuple]
) -> None:
    sets = split(labelled, RATIOS[Task.DETECTION], 0)
    (tmp_path / ".detection-unfinished").mkdir()
    (tmp_path / ".detection-unfinished" / "x").write_text("")
    write_release(tmp_path, Task.DETECTION, sets)
    assert [p.name for p in tmp_path.iterdir()] == ["Detection"]
    with pytest.raises(DataError, match="already"):
        write_release(tmp_path, Task.DETECTION, sets)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        write_release(tmp_path / "file", Task.DETECTION, sets)
