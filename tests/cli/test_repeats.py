"""`evaluate --permute` and `--seeds`, and what other commands say of repeats."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.models.resolver import demo_file
from core.runs.option_order import option_order
from tests.cli.support import ok, run


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Com² in three orders, and ACCORD with two seeds in two orders."""
    if not demo_file().is_file():
        pytest.skip("needs the bundled demo model")
    path = tmp_path_factory.mktemp("repeats") / "runs.sqlite"
    ok("evaluate", "com2", "--limit", "3", "--permute", "3", "--store", path)
    words = ("--limit", "4", "--shots", "1", "--seed", "5", "--seeds", "2", "--permute", "2")
    ok("evaluate", "accord", *words, "--store", path)
    return path


@pytest.mark.slow
def test_the_same_command_asks_nothing_twice_and_prints_the_same(store: Path) -> None:
    words = ("com2", "--limit", "3", "--permute", "3", "--store", store)
    with closing(sqlite3.connect(store)) as db:
        before = db.execute("SELECT * FROM verdicts").fetchall()
    again = ok("evaluate", *words, "--json").json
    with closing(sqlite3.connect(store)) as db:
        assert db.execute("SELECT * FROM verdicts").fetchall() == before
    shown = ok("runs", "show", "com2-demo-1", "--store", store, "--json").json
    assert again == shown
    (repeats,) = shown["repeats"]
    assert (repeats["k"], repeats["orders"], repeats["seeds"]) == (3, 3, 1)
    assert [each["order"] for each in repeats["runs"]] == [0, 1, 2]
    singles = [
        ok("runs", "show", each["run"], "--store", store, "--json").json["metrics"]
        for each in repeats["runs"]
    ]
    name = "main direct"
    values = [each[name] for each in singles]
    assert repeats["values"][name] == values
    spread = repeats["spread"][name]
    assert spread["mean"] == pytest.approx(sum(values) / 3)
    assert (spread["min"], spread["max"], spread["k"]) == (min(values), max(values), 3)
    # Links show no letters, so they are asked in their own order only.
    assert repeats["values"]["links"][1:] == [None, None]
    assert "links" not in repeats["spread"]
    assert sum(each["right"] for each in repeats["letters"].values()) == 9


def test_every_verdict_records_the_order_of_its_options(store: Path) -> None:
    with closing(sqlite3.connect(store)) as db:
        rows = db.execute(
            "SELECT seeds, item, layer, options, permutation FROM verdicts JOIN runs ON run = id"
        ).fetchall()
    assert len(rows) > 30
    for seeds, item, layer, options, permutation in rows:
        if layer.startswith("link") or layer == "broken":
            assert permutation is None
            continue
        number = json.loads(seeds)["order"] if seeds else 0
        order = option_order(item, layer, len(json.loads(options)), number)
        assert json.loads(permutation) == list(order)


def test_the_list_tells_repeats_from_each_other(store: Path) -> None:
    lines = ok("runs", "list", "--store", store).out.splitlines()
    rows = [line.split() for line in lines if "-demo-" in line]
    told = {" ".join(word for word in row[1:] if ":" not in word) for row in rows}
    assert len(told) == len(rows) == 7
    assert sum("seed 6, order 1" in line for line in lines) == 1


def test_seeds_and_orders_stand_apart_and_together(store: Path) -> None:
    shown = ok("runs", "show", "accord-demo-1", "--store", store, "--json").json
    assert [(r["k"], r["seeds"], r["orders"]) for r in shown["repeats"]] == [
        (2, 1, 2),
        (2, 2, 1),
        (4, 2, 2),
    ]
    asked = [(each["seed"], each["order"]) for each in shown["repeats"][-1]["runs"]]
    assert asked == [(5, 0), (5, 1), (6, 0), (6, 1)]
    text = ok("runs", "show", "accord-demo-1", "--store", store).out
    assert "Over 2 orders of the options" in text
    assert "Over 2 draws of worked examples" in text
    assert "Letters over 2 draws of worked examples, each in 2 orders of the options" in text


def test_evaluate_shows_the_repeats_that_it_was_asked_for(store: Path) -> None:
    words = ("com2", "--limit", "3", "--permute", "2", "--store", store)
    (repeats,) = ok("evaluate", *words, "--json").json["repeats"]
    assert repeats["k"] == 2
    plain = ok("evaluate", "com2", "--limit", "3", "--store", store, "--json").json
    assert plain["repeats"] == []


def test_a_run_in_another_order_says_so(store: Path) -> None:
    shown = ok("runs", "show", "com2-demo-2", "--store", store)
    assert "options in drawn order 1" in shown.out
    assert "shown in the drawn order 1: not comparable" in shown.out
    assert "options in another order" in shown.out
    refused = run("runs", "compare", "com2-demo-1", "com2-demo-2", "--store", store)
    assert refused.code == 2
    assert "The options stood in different orders" in refused.err


def test_exported_verdicts_have_seed_order_and_permutation(store: Path, tmp_path: Path) -> None:
    ok("runs", "export", "com2-demo-1", "com2-demo-2", "--store", store, "--to", tmp_path / "v.csv")
    rows = list(csv.DictReader((tmp_path / "v.csv").open()))
    assert {row["order"] for row in rows} == {"0", "1"}
    assert {row["seed"] for row in rows} == {"0"}
    answers = [row for row in rows if row["layer"] == "answer"]
    assert all(len(json.loads(row["permutation"])) >= 4 for row in answers)
    assert all(row["permutation"] == "" for row in rows if row["layer"] != "answer")
    to = tmp_path / "v.parquet"
    pytest.importorskip("pyarrow")
    ok("runs", "export", "com2-demo-2", "--store", store, "--to", to)


def test_a_pack_keeps_the_order(store: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "pack.sqlite", tmp_path / "other.sqlite"
    ok("runs", "pack", "com2-demo-2", "--store", store, "--to", file)
    ok("runs", "import", file, "--store", other)
    shown, packed = (
        ok("runs", "show", "com2-demo-2", "--store", path, "--json").json for path in (store, other)
    )
    assert packed["order"] == shown["order"] == 1
    assert packed["tables"][-1] == shown["tables"][-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gita", "--permute", "2"), "GITA shows no options with letters"),
        (("abspyramid", "--permute", "2"), "shows no options with letters"),
        (("accord", "--seeds", "2"), "Without worked examples"),
        (
            ("gita", "--shots", "1", "--seeds", "3", "--seed", str(2**63 - 2)),
            "to do: Write a whole",
        ),
        (("accord", "--permute", "25"), "less than or equal to 24"),
        (("accord", "--permute", "0"), "greater than or equal to 1"),
        (("com2", "--permute", "2", "--set", "thinking=on"), "by the letters of their own order"),
    ],
)
def test_repeats_that_cannot_be_are_refused_before_anything_is_asked(
    demo_model: None, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    refused = run("evaluate", *words, "--limit", "60", "--store", tmp_path / "runs.sqlite")
    assert refused.code == 2
    assert message in refused.err
    assert not (tmp_path / "runs.sqlite").exists()


def test_a_record_is_not_asked_in_other_ways(store: Path) -> None:
    words = ("com2", "--model", "replay:com2-demo-1", "--permute", "2", "--store", store)
    refused = run("evaluate", *words)
    assert refused.code == 2
    assert "cannot be asked in other ways" in refused.err
