"""`study`: findings over a collection are measured once, shown, exported and found again."""

from __future__ import annotations

import csv
import json
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from core.files.shipped import samples
from tests.cli import support

pytestmark = pytest.mark.usefixtures("demo_model")
FEW = ("--limit", "5")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a trace of the first stories."""
    path = tmp_path_factory.mktemp("studies") / "runs.sqlite"
    support.ok("study", "trace", "gita", *FEW, "--store", path, "--quiet")
    return path


@pytest.fixture
def study(store: Path) -> str:
    [listed] = support.ok("study", "list", "--store", store, "--json").json["studies"]
    return str(listed["id"])


def test_the_document_has_a_figure_for_every_role_and_block(store: Path, study: str) -> None:
    found = support.ok("study", "show", study, "--store", store, "--json").json
    assert found["n"] + sum(found["excluded"].values()) == found["of"] == 5
    shape = len(found["roles"]), len(found["blocks"])
    assert shape[1] == 6
    for name in ("effect", "interval", "control", "difference", "p"):
        assert (len(found[name]), {len(row) for row in found[name]}) == (shape[0], {shape[1]})
    assert {"conflict", "breakpoint", "instruction", "question"} <= set(found["roles"])
    assert found["effect"][found["roles"].index("question")][-1] is None
    for row, n in enumerate(found["n_by_row"]):
        held = [
            each
            for each in found["items"]
            if each["valid"] and found["roles"][row] in each["effects"]
        ]
        assert len(held) == n
        values = [each["effects"][found["roles"][row]][0] for each in held]
        assert found["effect"][row][0] == pytest.approx(sum(values) / n)
    assert found["fingerprint"].startswith("sha256:")
    assert (found["state"], found["kind"], found["layer"]) == ("done", "trace", "story_class")


def test_an_equal_study_is_not_measured_again(store: Path, study: str) -> None:
    before = store.read_bytes()
    again = support.ok("study", "trace", "gita", *FEW, "--store", store, "--json")
    assert again.json["id"] == study
    assert "It is done already." in again.err
    assert store.read_bytes() == before


def test_the_table_says_the_method_and_has_a_row_for_every_cell(
    store: Path, study: str, tmp_path: Path
) -> None:
    to = tmp_path / "trace.csv"
    assert support.ok("study", "show", study, "--store", store, "--to", to).out.strip() == str(to)
    lines = to.read_text("utf-8").splitlines()
    method = [line for line in lines if line.startswith("# ")]
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    found = support.ok("study", "show", study, "--store", store, "--json").json
    cells = len(found["roles"]) * len(found["blocks"])
    assert len(rows) == cells * (1 + len(found["split"]))
    assert {row["group"] for row in rows[:cells]} == {"all valid pairs"}
    assert {row["group"] for row in rows[cells:]} == {each["group"] for each in found["split"]}
    assert rows[0]["role"] == found["roles"][0]
    assert float(rows[7]["effect"]) == pytest.approx(found["effect"][1][1])
    said = "\n".join(method)
    for part in (f"{found['n']} of 5 items", "Left out: ", "Student's t", "seed 0", study):
        assert part in said
    assert found["fingerprint"][:12] in said
    columns = support.ok("study", "show", study, "--store", store, "--jsonl").lines
    assert [str(row["role"]) for row in columns] == [row["role"] for row in rows]
    table = parquet.read_table(_written(store, study, tmp_path / "trace.parquet"))
    assert table.num_rows == len(rows)
    assert found["method"][0] in (table.schema.metadata or {})[b"method"].decode()


@pytest.mark.parametrize("ending", ["svg", pytest.param("pdf", marks=pytest.mark.slow)])
def test_the_picture_is_written_with_its_method(
    store: Path, study: str, tmp_path: Path, ending: str
) -> None:
    picture = _written(store, study, tmp_path / f"trace.{ending}").read_bytes()
    assert picture.startswith(b"<?xml" if ending == "svg" else b"%PDF")
    assert len(picture) > 10_000


def _written(store: Path, study: str, to: Path) -> Path:
    support.ok("study", "show", study, "--store", store, "--to", to)
    return to


def test_the_text_has_the_finding_the_map_and_the_demonstration(store: Path, study: str) -> None:
    shown = support.ok("study", "show", study[:9], "--store", store).out
    for part in ("effect of the residual by role and block", "breakpoint (", "No cell is named"):
        assert part in shown
    assert "its figures are no results" in " ".join(shown.split())
    assert study in support.ok("study", "list", "--store", store).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("study", "show", "trace-none"), "no study"),
        (("study", "trace", "gita", "--to", "x.xlsx"), "cannot be written"),
        (("study", "trace", "gita", "--part", "head:1"), "cannot be averaged"),
        (("study", "trace", "gita", "--part", "odd"), "cannot be traced"),
        (("study", "trace", "gita", "--task-layer", "odd"), "no task layer"),
        (("study", "trace", "nowhere"), "no benchmark"),
        (("study", "trace", "gita", "--set", "a=b"), "no switch “a”"),
    ],
)
def test_what_cannot_be_is_said_with_exit_code_2(
    store: Path, words: tuple[str, ...], said: str
) -> None:
    ran = support.run(*words, "--store", store)
    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_a_study_in_which_no_item_counts_says_so_and_draws_nothing(tmp_path: Path) -> None:
    kept = ("--store", tmp_path / "runs.sqlite")
    ran = support.ok("study", "trace", "accord", "--task-layer", "twin", "--limit", "1", *kept)
    assert "No item of 0 has a valid pair" in ran.out
    [listed] = support.ok("study", "list", *kept, "--json").json["studies"]
    drawn = support.run("study", "show", listed["id"], *kept, "--to", tmp_path / "trace.svg")
    assert (drawn.code, "nothing to draw" in drawn.err) == (2, True), drawn.err


@pytest.mark.parametrize(
    "words",
    [("probe", "gita", "--task-layer", "conflict_detec"), ("probe", "gita", "--limit", "3")],
    ids=["options", "groups"],
)
def test_a_study_that_is_refused_is_not_recorded(words: tuple[str, ...], tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    ran = support.run("study", *words, "--store", store)
    assert ran.code == 2
    assert "goes on" not in ran.err
    assert support.ok("study", "list", "--store", store, "--json").json["studies"] == []


@pytest.mark.parametrize("shard", ["3/2", "0/2", "x"])
def test_what_names_no_shard_is_told_as_runs_tell_it(shard: str, tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    told = [
        support.run(*words, "--shard", shard, "--store", store)
        for words in (("study", "probe", "gita"), ("evaluate", "gita", "--model", "demo"))
    ]
    assert [ran.code for ran in told] == [2, 2]
    assert f"“{shard}” names no shard." in told[0].err
    assert told[0].err == told[1].err
    assert not store.exists()


@pytest.mark.parametrize(
    "words", [("trace", "gita", "--to", "t.csv"), ("direction", "gita", "--vector", "v.npy")]
)
def test_a_shard_writes_no_result(words: tuple[str, ...], tmp_path: Path) -> None:
    ran = support.run("study", *words, "--shard", "1/2", "--store", tmp_path / "runs.sqlite")
    assert ran.code == 2
    assert "A shard has no result that could be written." in ran.err
    assert f"Leave {words[2]} out." in ran.err
    assert not (tmp_path / "runs.sqlite").exists()


@pytest.mark.slow
def test_shards_say_what_comes_next_and_the_whole_finds_them(store: Path, tmp_path: Path) -> None:
    shards = [tmp_path / f"{number}.sqlite" for number in (1, 2)]
    words = ("study", "trace", "gita", *FEW)
    for number, path in enumerate(shards, 1):
        ran = support.ok(*words, "--shard", f"{number}/2", "--store", path, "--json")
        assert (ran.json["state"], "effect" in ran.json) == ("paused", False)
        assert f"Shard {number}/2 of study {ran.json['id']} is measured." in ran.err
    merged = tmp_path / "merged.sqlite"
    said = support.ok("runs", "merge", shards[0], "--into", merged).out
    [held] = support.ok("runs", "merge", *shards, "--into", merged, "--json").json["studies"]
    before = held["values"] - held["added"]
    assert said == f"{held['id']}: paused, {before} values, {before} of them new\n"
    found = support.ok(*words, "--store", merged, "--json").json
    whole = support.ok(*words, "--store", store, "--json").json
    assert {**found, "created": ""} == {**whole, "created": ""}
    assert held["id"] == whole["id"]


def test_a_study_that_is_killed_goes_on_and_measures_nothing_twice(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    words = ("study", "heads", "gita", "--limit", "2", "--store", str(store))
    with support.spawn(*words) as process:
        end = time.monotonic() + 120
        while not (kept := _kept(store)) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert len(kept) > 0
    [listed] = support.ok("study", "list", "--store", store, "--json").json["studies"]
    assert listed["state"] == "paused"
    assert support.run("study", "show", listed["id"], "--store", store).code == 2
    before = _kept(store)
    found = support.ok(*words, "--json").json
    assert found["id"] == listed["id"]
    assert {key: value for key, value in _kept(store).items() if key in before} == before
    assert (len(found["effect"]), len(found["effect"][0])) == (6, 5)
    assert [each["block"] for each in found["top"]] != []


def _kept(store: Path) -> dict[str, str]:
    """The values on disk, by key, each with the number of its row."""
    if not store.exists():
        return {}
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as db:
        try:
            rows = db.execute("SELECT key, rowid, value FROM study_values").fetchall()
        except sqlite3.Error:
            return {}
    return {key: json.dumps([number, value]) for key, number, value in rows}


def test_a_file_may_stand_in_the_place_of_the_benchmark(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_bytes((samples() / "gita" / "stories.json").read_bytes())
    store = tmp_path / "runs.sqlite"
    for kind in ("trace", "heads"):
        done = support.ok("study", kind, own, "--limit", "1", "--store", store, "--json").json
        assert (done["benchmark"], done["of"]) == ("gita", 1)
    twice = support.run("study", "trace", own, "--data", own, "--store", store)
    assert (twice.code, twice.out) == (2, "")
    assert "named twice" in twice.err
    states = tmp_path / "states.safetensors"
    support.ok("activations", own, "--limit", "1", "--to", states)
    assert states.stat().st_size > 0
    pages = tmp_path / "pages"
    support.ok("export", "gallery", own, "--limit", "1", "--to", pages)
    assert (pages / "index.html").is_file()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("direction", "gita", "--limit", "16"), "Too few groups"),
        (("probe", "com2", "--limit", "10"), "a probe needs 10"),
    ],
)
def test_too_few_groups_are_told_before_anything_is_measured(
    words: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    refused = support.run("study", *words, "--store", tmp_path / "runs.sqlite")
    assert refused.code == 2
    assert why in refused.err
    assert "states: " not in refused.err


def test_a_damaged_study_is_named_beside_the_others(
    store: Path, study: str, tmp_path: Path
) -> None:
    copy = tmp_path / "runs.sqlite"
    copy.write_bytes(store.read_bytes())
    with closing(sqlite3.connect(copy)) as db, db:
        db.execute(
            "INSERT INTO studies (id, kind, plan, state, created) VALUES ('x', 'x', '{', 'x', 'x')"
        )
    listed = support.ok("study", "list", "--store", copy, "--json")
    assert [each["id"] for each in listed.json["studies"]] == [study]
    assert "The record of study x is damaged." in listed.err
    with closing(sqlite3.connect(copy)) as db, db:
        db.execute("DELETE FROM studies WHERE id != 'x'")
    ran = support.run("study", "list", "--store", copy)
    assert ran.code == 2
    assert "The record of study x is damaged." in ran.err
