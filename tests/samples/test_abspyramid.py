"""The bundled abstraction tuples: enough of each relation, several contexts, originality."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.benchmarks.abspyramid.dataset_files import Task
from core.benchmarks.abspyramid.dataset_statistics import statistics
from core.benchmarks.abspyramid.pyramids import concept_key
from core.benchmarks.abspyramid.tuple_store import TupleStore
from core.benchmarks.abspyramid.tuples import Relation

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDER = CHECKOUT / "samples" / "abspyramid"
REAL = CHECKOUT.parent / "shared" / "data" / "abspyramid" / "real_rows.jsonl"

Row = dict[str, Any]


def rows(task: Task) -> list[Row]:
    path = FOLDER / task.value.title() / "merged_dataset" / "test.json"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


DETECTION, GENERATION = rows(Task.DETECTION), rows(Task.GENERATION)


def head(event: str) -> str:
    return event.replace("<", "").replace(">", "")


def instance(event: str) -> str:
    found = re.fullmatch(r"[^<>]*<([^<>]+)>[^<>]*", event)
    assert found, event
    return found[1]


def words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[\w']+", text.casefold()))


def test_there_are_enough_of_every_relation() -> None:
    assert len({head(row["event"]) for row in DETECTION}) >= 60
    assert len(DETECTION) >= 400
    counts = Counter((row["type"], row["label"]) for row in DETECTION)
    assert set(counts) == {(relation.value, label) for relation in Relation for label in (0, 1)}
    for relation in Relation:
        valid, invalid = counts[relation.value, 1], counts[relation.value, 0]
        # Neither yes nor no is right so often that saying it would do.
        assert 0.5 < valid / (valid + invalid) < 0.65


def test_rows_have_the_released_fields() -> None:
    for row in DETECTION:
        assert list(row) == ["event", "concept", "label", "type"]
        assert row["label"] in (0, 1)
        assert isinstance(row["concept"], str)
        if row["type"] == Relation.EVENT:
            assert instance(row["event"]) == head(row["event"])
        else:
            assert len(words(instance(row["event"]))) < len(words(head(row["event"])))
        assert row["concept"] == row["concept"].strip() != ""
    for row in GENERATION:
        assert {"event", "concept", "type"} <= set(row)
        assert len(row["concept"]) >= 2


def test_tuples_are_unique_and_consistent() -> None:
    seen = Counter((row["event"], row["type"], concept_key(row["concept"])) for row in DETECTION)
    assert [tuple_ for tuple_, count in seen.items() if count > 1] == []
    assert len({row["event"] for row in GENERATION}) == len(GENERATION)
    assert all(
        concept_key(row["concept"]) != concept_key(instance(row["event"])) for row in DETECTION
    )


def test_references_are_the_valid_concepts() -> None:
    valid = defaultdict(list)
    for row in DETECTION:
        if row["label"]:
            valid[row["event"], row["type"]].append(row["concept"])
    for row in GENERATION:
        assert row["concept"] == valid[row["event"], row["type"]]


def test_an_instance_means_something_else_elsewhere() -> None:
    meant: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in DETECTION:
        if row["label"] and row["type"] != Relation.EVENT:
            of = meant[row["type"], concept_key(instance(row["event"]))]
            of[head(row["event"])].add(concept_key(row["concept"]))
    other = [
        text
        for text, by_head in meant.items()
        if any(not one & two for one in by_head.values() for two in by_head.values())
    ]
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(other) >= 10
    assert f"{len(other)} words are instances in two or more sentences" in readme


def test_the_about_file_tells_the_true_counts() -> None:
    readme = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())
    about = yaml.safe_load((FOLDER / "ABOUT.yaml").read_text(encoding="utf-8"))
    store = TupleStore(FOLDER)
    assert (list(store.errors), list(store.repairs)) == ([], [])
    found = statistics(store).detection
    assert f"{len(store)} head events" in readme
    assert about["title"].startswith(f"{len(store)} everyday head events")
    for name, each in found.items():
        of_relation = [r for r in DETECTION if name in ("all", r["type"])]
        instances = len({(row["event"], row["type"]) for row in of_relation})
        valid = sum(row["label"] for row in of_relation)
        assert (each.tuples, each.positive.count) == (len(of_relation), valid)
        share = f"{100 * valid / len(of_relation):.1f} %"
        assert f"| {name} | {instances} | {each.tuples:,} | {valid} | {share} |" in readme
    labelled = about["files"]["Detection/merged_dataset/test.json"]
    assert (
        labelled
        == f"{len(DETECTION):,} labelled tuples, {found['all'].positive.count} of them valid"
    )
    assert f"{len(GENERATION)} of the same instances" in readme
    assert about["files"]["Generation/merged_dataset/test.json"].startswith(f"{len(GENERATION)} ")
    assert "not benchmark rows" in about["note"]


def test_no_sentence_is_one_of_the_benchmark() -> None:
    if not REAL.exists():
        pytest.skip("needs the real data: rows of AbsPyramid in shared/data/")
    real = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    theirs = {words(head(row["event"])) for row in real}
    assert len(theirs) > 10
    assert not theirs & {words(head(row["event"])) for row in [*DETECTION, *GENERATION]}
