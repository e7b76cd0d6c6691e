"""Released rows and folders, the transfer data sets, and what is wrong with rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.abspyramid.dataset_files import Split, Task, layout
from core.benchmarks.abspyramid.tuple_reader import TupleFile, read_tuples
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.text.errors import DataError

CAT = {"event": "<a cat> chased a mouse", "concept": "animal", "label": 1, "type": "noun"}
texts = st.text(st.characters(exclude_characters="<>", exclude_categories=["Cs"]), max_size=20)
words = texts.filter(lambda text: bool(text.strip()))


def written(path: Path, *rows: dict[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def one(tmp_path: Path, name: str = "rows.json", **changed: Any) -> AbstractTuple:
    row = {key: value for key, value in {**CAT, **changed}.items() if value is not ...}
    (found,) = read_tuples(written(tmp_path / name, row))
    return found


def refused(path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        list(read_tuples(path))
    return caught.value


def test_a_row_is_read_as_a_tuple_with_its_line(tmp_path: Path) -> None:
    found = one(tmp_path)
    assert found.head == "a cat chased a mouse"
    assert found.instance == "a cat"
    assert found.marked == CAT["event"]
    assert found.tail == "animal chased a mouse"
    assert (found.relation, found.concepts, found.label) == (Relation.NOUN, ("animal",), True)
    assert found.origin == f"{tmp_path / 'rows.json'}:1"


@given(before=texts, instance=words, after=texts, concept=words.filter(lambda t: "[SEP]" not in t))
def test_the_marked_words_are_the_instance(
    tmp_path_factory: pytest.TempPathFactory, before: str, instance: str, after: str, concept: str
) -> None:
    path = tmp_path_factory.mktemp("rows")
    found = one(path, event=f"{before}<{instance}>{after}", concept=concept)
    assert found.instance == instance
    assert found.head == before.lstrip() + instance + after.rstrip()
    assert found.concepts == (concept.strip(),)


@pytest.mark.parametrize("label", [1, True, "1", "true", " True ", 1.0])
def test_valid_labels_have_several_spellings(tmp_path: Path, label: Any) -> None:
    assert one(tmp_path, label=label).label is True


@pytest.mark.parametrize("label", [0, False, "0", "false", 0.0])
def test_invalid_labels_have_several_spellings(tmp_path: Path, label: Any) -> None:
    assert one(tmp_path, label=label).label is False


@pytest.mark.parametrize("label", [None, ...])
def test_a_label_may_be_left_out(tmp_path: Path, label: Any) -> None:
    assert one(tmp_path, label=label).label is None


@pytest.mark.parametrize("given", [["animal", "being"], "animal [SEP] being", ["animal ", "being"]])
def test_references_are_a_list_or_divided(tmp_path: Path, given: Any) -> None:
    assert one(tmp_path, concept=given, label=...).concepts == ("animal", "being")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"event": "a cat chased a mouse"}, "No instance is marked"),
        ({"event": "a cat> chased a mouse"}, "No instance is marked"),
        ({"event": "<a cat> chased <a mouse>"}, "one instance"),
        ({"event": "<a <black> cat> chased a mouse"}, "one instance"),
        ({"event": "a cat <> chased a mouse"}, "is empty"),
        ({"event": "a cat < > chased a mouse"}, "is empty"),
        ({"event": "a> cat <chased a mouse"}, "stands before"),
        ({"event": ""}, "no event"),
        ({"event": ...}, "no event"),
        ({"event": 7}, "This is no tuple"),
        ({"concept": ""}, "no concept"),
        ({"concept": []}, "no concept"),
        ({"concept": [" "]}, "no concept"),
        ({"concept": ["animal", 3]}, "This is no tuple"),
        ({"concept": ...}, "no concept"),
        ({"label": 2}, "not a label"),
        ({"label": "maybe"}, "not a label"),
        ({"label": [1]}, "This is no tuple"),
        ({"type": "adjective"}, "not a type"),
        ({"type": "event"}, "whole sentence"),
        ({"type": ...}, "noun or a verb"),
        ({"event": f"<a cat> chased {'a mouse ' * 2000}"}, "longer than"),
    ],
)
def test_a_malformed_tuple_is_refused_with_its_line(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    row = {key: value for key, value in {**CAT, **changed}.items() if value is not ...}
    error = refused(written(tmp_path / "rows.json", CAT, "", row, CAT))
    assert said in error.what
    assert error.where == f"{tmp_path / 'rows.json'}:3"


@pytest.mark.parametrize(
    "line",
    ["{", "[1]x", '"text"', "null", "{}", "[" * 100_000, '{"event": "\\ud800<a>"}', "\x1b[2J"],
)
def test_good_rows_are_read_between_bad_ones(tmp_path: Path, line: str) -> None:
    path = written(tmp_path / "rows.json", CAT, line, CAT)
    errors: list[DataError] = []
    found = list(TupleFile(layout(path).sources[0]).tuples(errors))
    assert len(found) == 2
    assert [error.where for error in errors] == [f"{path}:2"]
    assert "\x1b" not in str(errors[0])


def test_malformed_text_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_bytes(json.dumps(CAT).encode() + b'\n{"event": "<a \xff cat> ran"}\n')
    assert refused(path).where == f"{path}:2"
    path.write_text(json.dumps(CAT), encoding="utf-16")
    assert "UTF-16" in refused(path).what


def test_arrays_and_byte_order_marks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([CAT, CAT], indent=1), encoding="utf-8-sig")
    assert [each.head for each in read_tuples(path)] == ["a cat chased a mouse"] * 2
    assert [each.origin for each in read_tuples(path)] == [f"{path}:2", f"{path}:8"]


def test_an_event_is_its_whole_sentence_and_needs_no_type(tmp_path: Path) -> None:
    found = one(tmp_path, event="<a cat ran>.", concept="escape", type=...)
    assert (found.relation, found.instance, found.tail) == (Relation.EVENT, "a cat ran", "escape")


def test_folder_names_give_task_relation_and_split(tmp_path: Path) -> None:
    bare = {key: value for key, value in CAT.items() if key != "type"}
    written(tmp_path / "Detection/noun_dataset/train.json", bare)
    written(tmp_path / "Detection/verb_dataset/valid.json", bare)
    written(tmp_path / "Generation/noun_dataset/test.json", bare)
    found = layout(tmp_path)
    assert [(place.task, place.relation, place.split) for place in found.sources] == [
        (Task.DETECTION, Relation.NOUN, Split.TRAIN),
        (Task.DETECTION, Relation.VERB, Split.VALID),
        (Task.GENERATION, Relation.NOUN, Split.TEST),
    ]
    relations = [each.relation for each in read_tuples(tmp_path)]
    assert relations == [Relation.NOUN, Relation.VERB, Relation.NOUN]


def test_a_merged_folder_stands_for_those_beside_it_only(tmp_path: Path) -> None:
    for folder in ("Detection/merged", "Detection/noun", "Detection/event", "Generation/noun"):
        written(tmp_path / f"{folder}_dataset/test.json", CAT)
    found = layout(tmp_path)
    kept = [str(place.path.parent.relative_to(tmp_path)) for place in found.sources]
    assert kept == ["Detection/merged_dataset", "Generation/noun_dataset"]
    assert len(found.notes) == 2
    assert all("merged_dataset" in note for note in found.notes)


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_a_folder_without_tuples_is_reported(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    assert str(tmp_path / name) in refused(tmp_path / name).where


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    written(tmp_path / "noun_dataset/test.json", CAT)
    (tmp_path / "noun_dataset" / "up").symlink_to(tmp_path)
    assert len(list(read_tuples(tmp_path))) == 1


def test_generation_rows_of_abstract_atomic_are_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "gen" / "dev.tsv",
        "head_event\trelation\ttail_event",
        "PersonX mends [a fence]. [a fence]\tInstanceOf\tbarrier",
        "[PersonX mends a fence]. [PersonX mends a fence]\tInstanceOf\trepair",
    )
    noun, event = read_tuples(path)
    assert (noun.head, noun.instance) == ("PersonX mends a fence", "a fence")
    assert (noun.relation, noun.concepts, noun.label) == (Relation.NOUN, ("barrier",), None)
    assert (event.relation, event.instance) == (Relation.EVENT, "PersonX mends a fence")
    assert noun.origin == f"{path}:2"


def test_labelled_rows_of_abstract_atomic_are_read(tmp_path: Path) -> None:
    row = {
        "sent_a": "PersonX mends [a fence]",
        "sent_b": "[a fence] is an instance of [barrier]",
        "label": 0,
        "info": {"d_i": 4},
    }
    (found,) = read_tuples(written(tmp_path / "tst.json", row))
    assert (found.marked, found.relation) == ("PersonX mends <a fence>", Relation.NOUN)
    assert (found.concepts, found.label) == (("barrier",), False)


def test_an_atomic_folder_separates_entities_from_events(tmp_path: Path) -> None:
    row = {"event": "PersonX mends <a fence>", "concept": "barrier", "label": 1}
    (found,) = read_tuples(written(tmp_path / "AbstractATOMIC" / "test.json", row))
    assert found.relation is Relation.NOUN


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("PersonX mends [a fence]\tInstanceOf\tbarrier", "not followed"),
        ("PersonX mends [a fence]. [a gate]\tInstanceOf\tbarrier", "not followed"),
        ("PersonX mends [a fence]. [a fence]\tInstanceOf\t ", "concept is empty"),
        ("PersonX mends [a fence]. [a fence]\txWant\tto rest", "no abstraction"),
        ("Gates,founded,Microsoft\tGates,built,Microsoft\tperhaps", "True or False"),
        ("Gates,Bill,founded,Microsoft\tGates,built,Microsoft\tTrue", "subject, a verb"),
        ("Gates,,Microsoft\tGates,built,Microsoft\tTrue", "subject, a verb"),
        ("only one column", "1 columns"),
    ],
)
def test_table_lines_without_an_abstraction_are_refused_with_a_reason(
    tmp_path: Path, line: str, said: str
) -> None:
    error = refused(written(tmp_path / "dev.tsv", line))
    assert said in error.what
    assert error.where.endswith("dev.tsv:1")


def test_inferences_of_abstract_atomic_are_refused(tmp_path: Path) -> None:
    row = {"sent_a": "PersonX mends barrier", "sent_b": "xWant: to rest", "label": 1}
    assert "no abstraction" in refused(written(tmp_path / "tst.json", row)).what


def test_levy_holt_abstracts_a_verb_between_the_same_arguments(tmp_path: Path) -> None:
    path = written(
        tmp_path / "dev" / "dev_s.txt",
        "The fog,is found in,a valley\tFog,has filled,The valley\tTrue",
        "Fog,has filled,the valley\tThe valley,is filled by,fog\tFalse",
    )
    verb, event = read_tuples(tmp_path)
    assert verb.head == "Fog has filled The valley"
    assert (verb.instance, verb.relation, verb.label) == ("has filled", Relation.VERB, True)
    assert verb.tail == "Fog is found in The valley"
    assert (event.instance, event.relation) == ("The valley is filled by fog", Relation.EVENT)
    assert (event.tail, event.label) == ("Fog has filled the valley", False)
    assert layout(path).sources[0].split is Split.VALID


def test_premise_and_hypothesis_are_events(tmp_path: Path) -> None:
    row = {"premise": "Fog fills the valley", "hypothesis": "Fog is there", "label": "1"}
    (found,) = read_tuples(written(tmp_path / "test.json", row))
    assert (found.marked, found.tail) == ("<Fog fills the valley>", "Fog is there")


def test_real_rows_are_read(shared_data: Path) -> None:
    path = shared_data / "abspyramid" / "real_rows.jsonl"
    if not path.exists():
        pytest.skip("needs the real data: rows of AbsPyramid in shared/data/")
    found = list(read_tuples(path))
    counts = {each: sum(one.relation is each for one in found) for each in Relation}
    assert counts == dict.fromkeys(Relation, 10)
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    for row, each in zip(rows, found, strict=True):
        assert (each.marked, each.concepts) == (row["event"].strip(), (row["concept"].strip(),))
        assert each.label is bool(row["label"])
