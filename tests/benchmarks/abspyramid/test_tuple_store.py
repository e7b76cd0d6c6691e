"""The store: what it finds is what a plain reading of the same files finds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.abspyramid.pyramids import concept_key
from core.benchmarks.abspyramid.tuple_reader import read_tuples
from core.benchmarks.abspyramid.tuple_store import MOST_LISTED, TupleStore
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.text.errors import DataError

Row = dict[str, Any]
nouns = st.sampled_from(["cat", "a cat", "The Cat", "dog", "animal", "ünïcode", "pet"])
rows = st.builds(
    lambda noun, verb, concept, label, kind: {
        "event": {
            "noun": f"<{noun}> {verb} home",
            "verb": f"{noun} <{verb}> home",
            "event": f"<{noun} {verb} home>",
        }[kind],
        "concept": concept,
        "label": label,
        "type": kind,
    },
    nouns,
    st.sampled_from(["ran", "walked"]),
    nouns | st.lists(nouns, min_size=1, max_size=3),
    st.sampled_from([0, 1, None]),
    st.sampled_from(["noun", "verb", "event"]),
)


def folder_of(path: Path, **files: Sequence[Row | str]) -> Path:
    folder = path / "Detection" / "merged_dataset"
    folder.mkdir(parents=True)
    for name, given_rows in files.items():
        lines = [row if isinstance(row, str) else json.dumps(row) for row in given_rows]
        (folder / f"{name}.json").write_text("".join(f"{line}\n" for line in lines))
    return path


def tuples_of(store: TupleStore, head: int) -> list[AbstractTuple]:
    return [each for _, each in store.of_head(head)]


def row(event: str, concept: Any, label: int | None = 1, kind: str = "noun") -> Row:
    return {"event": event, "concept": concept, "label": label, "type": kind}


@settings(max_examples=60, deadline=None)
@given(train=st.lists(rows, min_size=1, max_size=12), test=st.lists(rows, max_size=12))
def test_the_store_finds_every_tuple(
    tmp_path_factory: pytest.TempPathFactory, train: list[Row], test: list[Row]
) -> None:
    path = folder_of(tmp_path_factory.mktemp("data"), train=train, test=test)
    read = list(read_tuples(path))
    store = TupleStore(path)
    heads = list(dict.fromkeys(each.head for each in read))
    assert [store.head(i) for i in range(len(store))] == heads
    assert store.tuple_count == len(read)
    for i, head in enumerate(heads):
        assert tuples_of(store, i) == [each for each in read if each.head == head]
    for text in ["CAT", "an animal", "ran", "nowhere"]:
        _agrees(store, read, text)


def _agrees(store: TupleStore, read: list[AbstractTuple], text: str) -> None:
    same = [each for each in read if concept_key(each.instance) == concept_key(text)]
    assert [store.read(number) for number in store.of_instance(text)] == same
    covered = {
        (each.head, each.start, each.end, each.relation)
        for each in read
        if each.label is not False and concept_key(text) in map(concept_key, each.concepts)
    }
    numbers = store.of_concept(text)
    found = [store.read(number) for number in numbers]
    assert {(each.head, each.start, each.end, each.relation) for each in found} == covered
    assert len(found) == len(covered)
    heads = [store.head(store.head_of(number)) for number in numbers]
    assert heads == [each.head for each in found]
    entailed = {
        concept_key(concept)
        for each in same
        if each.label and each.relation is not Relation.EVENT
        for concept in each.concepts
    }
    assert set(store.entailments(text)) == entailed
    needle = text.casefold()
    matching = [
        i
        for i in range(len(store))
        if needle in store.head(i).casefold()
        or any(
            needle in concept_key(t) for e in tuples_of(store, i) for t in (e.instance, *e.concepts)
        )
    ]
    assert list(store.matching(text)) == matching


def test_an_empty_search_finds_everything(tmp_path: Path) -> None:
    store = TupleStore(folder_of(tmp_path, test=[row("<a cat> ran", "animal")]))
    assert list(store.matching("")) == [0]


def test_splits_of_one_head_event_come_together(tmp_path: Path) -> None:
    path = folder_of(
        tmp_path,
        train=[row("<a cat> ran", "animal"), row("<a dog> ran", "animal")],
        test=[row("a cat <ran>", "move", 0, "verb")],
    )
    store = TupleStore(path)
    assert len(store) == 2
    assert [each.origin.rpartition("/")[2] for each in tuples_of(store, 0)] == [
        "train.json:1",
        "test.json:1",
    ]


def test_a_search_reads_no_tuple(tmp_path: Path) -> None:
    path = folder_of(tmp_path, test=[row(f"<a cat> ran {i}", "animal") for i in range(5)])
    store = TupleStore(path)
    (path / "Detection/merged_dataset/test.json").write_text("")
    numbers = store.of_instance("cat")
    assert len(numbers) == 5
    with pytest.raises(DataError):
        store.read(numbers[0])
    with pytest.raises(DataError):
        _ = store.content_hash


def test_repeated_and_contradictory_labels_are_kept_and_reported(tmp_path: Path) -> None:
    path = folder_of(
        tmp_path,
        train=[
            row("<a cat> ran", "animal"),
            row("<a cat> ran", "pet"),
            row("<a cat> ran", "an Animal"),
        ],
        valid=[row("<a cat> ran", "pet", 0), row("<a cat> ran", "animal", None)],
    )
    store = TupleStore(path)
    assert len(tuples_of(store, 0)) == 5
    again, contrary = store.repairs
    assert again.where.endswith("train.json:3")
    assert "said before" in again.what
    assert "train.json:1" in again.what
    assert contrary.where.endswith("valid.json:1")
    assert "“pet” for “cat” is not valid here and valid at" in contrary.what


def test_good_rows_open_and_bad_ones_are_counted(tmp_path: Path) -> None:
    bad = ["{"] * (MOST_LISTED + 20)
    path = folder_of(tmp_path, test=[row("<a cat> ran", "animal"), *bad])
    store = TupleStore(path)
    assert len(store) == 1
    assert len(store.errors) == MOST_LISTED + 1
    assert store.errors[0].where.endswith("test.json:2")
    assert store.errors[-1].what == "20 more rows cannot be read."


def test_repetitions_without_end_are_counted(tmp_path: Path) -> None:
    path = folder_of(tmp_path, test=[row("<a cat> ran", "animal")] * (MOST_LISTED + 8))
    repairs = TupleStore(path).repairs
    assert len(repairs) == MOST_LISTED + 1
    assert repairs[-1].what == "more concepts said twice: 7"
    assert "test.json:1" in repairs[-2].what


def test_a_folder_without_tuples_does_not_open(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        TupleStore(folder_of(tmp_path / "bad", test=["{"]))
    assert caught.value.where.endswith("test.json:1")
    with pytest.raises(DataError):
        TupleStore(folder_of(tmp_path / "empty", test=[]))


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    one = folder_of(tmp_path / "one", test=[row("<a cat> ran", "animal")])
    same = folder_of(tmp_path / "same", test=[row("<a cat> ran", "animal")])
    other = folder_of(tmp_path / "other", test=[row("<a cat> ran", "animal", 0)])
    hashes = [TupleStore(path).content_hash for path in (one, same, other)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_folders_that_repeat_others_are_named(tmp_path: Path) -> None:
    path = folder_of(tmp_path, test=[row("<a cat> ran", "animal")])
    (path / "Detection" / "noun_dataset").mkdir()
    (path / "Detection" / "noun_dataset" / "test.json").write_text(
        json.dumps(row("<a cat> ran", "animal"))
    )
    store = TupleStore(path)
    assert store.tuple_count == 1
    assert "noun_dataset" in store.notes[0]
