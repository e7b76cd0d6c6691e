"""Files of sound syntax and an extreme shape are read or refused soon and in little memory."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_hostile_files import MOST_MIB, MOST_SECONDS, SAMPLES, measured
from tools.attack.made_stores import made_store

BLANKS = " " * 100_000
QUESTION = {"type": "direct", "question": "Why?", "options": ["a b", "c d"], "answer": "A"}
SAMPLE = {
    "doc_id": 0, "doc": {"story_id": 0}, "resps": [[["-1.0", "True"]], [["-2.0", "False"]]],
    "arguments": [["Why?", " a"], ["Why?", " b"]], "acc": 1.0,
}  # fmt: skip


def rows(*values: Any) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")

    return make


def titled(path: Path) -> None:
    path.write_text(f"title: a{BLANKS[:99_000]}b\n", encoding="utf-8")


def without_an_end(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps({"status": "success", "eval": {"task": "t"}}))
        archive.writestr("samples/1_epoch_1.json", '{"id":NaN,"input":"' + '\\"' * 400_000)


def brackets(path: Path) -> None:
    sample = '{"id":1,"epoch":1,"events":[' + "[]," * (4 * 2**20) + "1]}"
    path.write_text('{"status":"success","eval":{"task":"t"},"samples":[' + sample + "]}")


def tasks(path: Path) -> None:
    rows(SAMPLE)(path.with_name(SAMPLES))
    path.write_text(json.dumps({"results": {str(number): {} for number in range(600_000)}}))


def repeats(path: Path) -> None:
    made_store(path)
    with closing(sqlite3.connect(path)) as db, db:
        columns = [column[1] for column in db.execute("PRAGMA table_info(runs)")]
        kept = ", ".join(f'"{name}"' for name in columns if name not in {"id", "seed"})
        db.execute(
            f"""INSERT INTO runs (id, seed, {kept})
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            SELECT 'copy-' || i, i % 500, {kept} FROM runs, n"""
        )


CHAIN = [f"w{number:03} " + "ab " * 53_000 for number in range(100)]
PLAIN = "nothing extreme"
"""Loads the libraries that others need, too."""
CASES: dict[str, tuple[str, str, int, Callable[[Path], None]]] = {
    PLAIN: (
        "predictions.jsonl",
        "abspyramid score generation --predictions {}",
        0,
        rows({"label": ["a"], "pred": "a"}),
    ),
    "blanks before an arrow": (
        "rows.jsonl",
        "show com2 --data {}",
        0,
        rows(QUESTION | {"chains": [f"x -> y{BLANKS}z"]}),
    ),
    "blanks behind a bracket": (
        "rows.jsonl",
        "show com2 --data {}",
        0,
        rows(QUESTION | {"chains": [[f"Counterfactual_of_given_event(a){BLANKS}b", "y"]]}),
    ),
    "a chain of long events": (
        "rows.jsonl",
        "show com2 --data {}",
        0,
        rows(QUESTION | {"chains": [CHAIN]}),
    ),
    "blanks in a title": ("a.yaml", "show com2 --data {folder}", 0, titled),
    "a string without an end": (
        "log.eval",
        "import inspect {} --store {folder}/r.sqlite",
        2,
        without_an_end,
    ),
    "brackets": ("log.json", "import inspect {} --store {folder}/r.sqlite", 2, brackets),
    "tasks": ("results_1.json", "import lm-eval {folder} --store {folder}/r.sqlite", 2, tasks),
    "one reference many times": (
        "predictions.jsonl",
        "abspyramid score generation --predictions {}",
        0,
        rows({"label": ["a"] * 20_000, "pred": "a b " * 2_490}),
    ),
    "many references": (
        "predictions.jsonl",
        "abspyramid score generation --predictions {}",
        2,
        rows({"label": [f"a{number}" for number in range(900_000)], "pred": "a b " * 2_490}),
    ),
    "long references": (
        "predictions.jsonl",
        "abspyramid score generation --predictions {}",
        0,
        rows({"label": [f"a{n} " + "c d " * 2_390 for n in range(5)], "pred": "a b " * 2_490}),
    ),
    "a type of a million letters": (
        "answers.jsonl",
        "com2 score --answers {}",
        2,
        rows({"type": "n" * 15 * 2**20}),
    ),
    "another type of a million letters": (
        "predictions.jsonl",
        "abspyramid score generation --predictions {}",
        2,
        rows({"label": ["a"], "pred": "a", "type": "n" * 15 * 2**20}),
    ),
    "runs that are alike": ("r.sqlite", "runs list --store {}", 0, repeats),
}
"""For each shape the file, the words that are typed, the exit code, and what makes the file."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the commands did, in a process of their own."""
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc, which says how much memory a process took at most")
    typed: dict[str, list[str]] = {}
    for name, (file, words, _code, make) in CASES.items():
        folder = tmp_path_factory.mktemp("shape")
        make(folder / file)
        typed[name] = [word.format(folder / file, folder=folder) for word in words.split()]
    return measured(typed)


@pytest.mark.parametrize("name", CASES)
def test_a_file_of_an_extreme_shape_is_read_or_refused_soon_and_in_little_memory(
    name: str, results: dict[str, Any]
) -> None:
    result = results[name]
    assert result["code"] == CASES[name][2], result
    assert len(result["message"]) < 5_000
    assert result["seconds"] < MOST_SECONDS
    assert result["mib"] < results[PLAIN]["mib"] + MOST_MIB
