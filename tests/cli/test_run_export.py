"""`runs export`: files that other programs read."""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pyarrow import parquet

from core.contract import registry
from core.contract.question import OptionScore, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.exchange.exporters.run_items import MOST_ITEMS
from core.exchange.exporters.verdict_table import COLUMNS
from core.runs.records import Plan
from core.runs.store import Store
from tests.cli.support import ok, recorded, run

HOSTILE = "=HYPERLINK(0)"
PLAN = Plan("@model_1|%", "f" * 64, "shapes", "/data/towers.json", "c" * 64)
VERDICT = Verdict(
    HOSTILE, "stands", Setting((("glue", "on"),)), ("no", "yes"),
    (OptionScore(-0.5), OptionScore(float("-inf"))), 0, 1, Status.OK, Scoring.GENERATED,
    text='a "reply"\nof two lines', tags={"parts": "3"}, digest="abc", output_tokens=7,
    priors=(-0.25, float("-inf")),
)  # fmt: skip
SEVERAL = VERDICT._replace(
    item="b", priors=(), multiple=True, answer=None, gold=None, answers=(0,), golds=(0, 1)
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "runs.sqlite"
    with Store(path) as opened:
        opened.add(PLAN, [VERDICT, SEVERAL], {})
    return path


def exported(store: Path, name: str, *words: str) -> Path:
    [listed] = ok("runs", "list", "--store", store, "--json").json["runs"]
    to = store.parent / name
    assert ok("runs", "export", listed["id"], "--store", store, "--to", to, *words).out == f"{to}\n"
    return to


def test_json_lines_have_every_verdict_with_its_own_types(store: Path) -> None:
    lines = exported(store, "verdicts.jsonl").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert tuple(first) == COLUMNS
    assert first["item"] == HOSTILE
    assert first["setting"] == {"glue": "on"}
    assert first["scores"] == [-0.5, None]
    assert (first["priors"], second["priors"]) == ([-0.25, None], None)
    assert (first["picked"], first["golds"], first["right"], first["credit"]) == (
        [0],
        [1],
        False,
        0,
    )
    assert first["text"] == VERDICT.text
    assert first["seconds"] is None
    assert (second["picked"], second["golds"], second["credit"]) == ([0], [0, 1], 0.5)


def test_no_cell_of_a_csv_is_a_formula(store: Path) -> None:
    with exported(store, "verdicts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["item"] == f"'{HOSTILE}"
    assert rows[0]["model"] == f"'{PLAN.model}"
    assert rows[0]["text"] == VERDICT.text
    assert json.loads(rows[0]["options"]) == ["no", "yes"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


def test_parquet_has_lists_numbers_and_truth_values(store: Path) -> None:
    first, second = parquet.read_table(exported(store, "verdicts.parquet")).to_pylist()
    assert tuple(first) == COLUMNS
    assert first["item"] == HOSTILE
    assert first["options"] == ["no", "yes"]
    assert first["scores"] == [-0.5, float("-inf")]
    assert (first["priors"], second["priors"]) == ([-0.25, float("-inf")], None)
    assert first["right"] is False
    assert dict(first["tags"]) == {"parts": "3"}
    assert second["golds"] == [0, 1]


@pytest.mark.parametrize(
    "damage", ["scores = '[[1'", "seconds = 'abc'", "digest = x'00'", "output_tokens = 'many'"]
)
def test_the_damaged_verdict_among_many_is_named(store: Path, damage: str) -> None:
    with sqlite3.connect(store) as db:
        db.execute(f"UPDATE verdicts SET {damage} WHERE item = 'b'")
    [listed] = ok("runs", "list", "--store", store, "--json").json["runs"]
    to = store.parent / "a.csv"
    refused = run("runs", "export", listed["id"], "--store", store, "--to", to)
    assert refused.code == 2
    assert "The verdict on item b, layer stands, is damaged." in refused.err
    assert not to.exists()


def test_more_tokens_than_32_bits_are_exported(store: Path) -> None:
    with sqlite3.connect(store) as db:
        db.execute("UPDATE verdicts SET output_tokens = 5000000000")
    rows = parquet.read_table(exported(store, "a.parquet")).to_pylist()
    assert {row["output_tokens"] for row in rows} == {5_000_000_000}


def test_all_formats_have_the_same_verdicts(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    recorded(store)
    lines = [json.loads(line) for line in exported(store, "a.jsonl").read_text().splitlines()]
    with exported(store, "a.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    rows = parquet.read_table(exported(store, "a.parquet")).to_pylist()
    assert len(lines) == len(cells) == len(rows) > 6
    for line, cell, row in zip(lines, cells, rows, strict=True):
        assert line["scores"] == row["scores"] == json.loads(cell["scores"])
        assert line["priors"] == row["priors"] == json.loads(cell["priors"] or "null")
        assert line["picked"] == row["picked"] == json.loads(cell["picked"])
        assert str(line["right"]) == str(row["right"]) == cell["right"]


def test_figures_have_a_column_for_every_run(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    recorded(store)
    figures = {
        row["figure"]: row
        for row in csv.DictReader(exported(store, "f.csv", "--figures").read_text().splitlines())
    }
    [listed] = ok("runs", "list", "--store", store, "--json").json["runs"]
    shown = ok("runs", "show", listed["id"], "--store", store, "--json").json
    assert {name: float(row["value"]) for name, row in figures.items()} == shown["metrics"]
    low, high = shown["intervals"]["Stands"]
    value = shown["metrics"]["Stands"]
    counted = f"{shown['right']['Stands']}/{shown['denominators']['Stands']}"
    cell = f"{value:.3f} [{low:.3f}, {high:.3f}] {counted}"
    assert f"| Stands | {cell} |" in exported(store, "f.md").read_text()
    assert f"Stands & {cell} \\\\" in exported(store, "f.tex").read_text()
    trivial = ", ".join(
        f"{name} {reached['value']:.3f}" for name, reached in shown["baselines"]["Stands"].items()
    )
    assert figures["Stands"]["trivial_answers"] == trivial
    assert f"Trivial answers: Stands {trivial}" in (tmp_path / "f.md").read_text()


def test_a_table_of_figures_says_how_each_run_was_asked_and_why_runs_do_not_compare(
    tmp_path: Path,
) -> None:
    store = tmp_path / "runs.sqlite"
    data = tmp_path / "mine.json"
    data.write_bytes(registry.load("gita").samples().read_bytes() + b"\n")
    ok("evaluate", "gita", "--model", "demo", "--limit", "2", "--store", store)
    ok("evaluate", "gita", "--model", "demo", "--limit", "2", "--data", data, "--store", store)
    with Store(store) as opened:
        first, second = opened.runs()
        hashes = [each.plan.collection_hash for each in (first, second)]
        log = replace(PLAN, benchmark="gita", setting=(("k", "=v"),))
        imported = opened.add(log, opened.verdicts(first.id), {}).id
    both = ("runs", "export", first.id, second.id, "--store", store)
    asked = "zero-shot, base prompt, log-likelihood answers, the first 2 items of"
    for name in ("f.md", "f.tex"):
        ok(*both, "--to", tmp_path / name)
        text = (tmp_path / name).read_text().replace("\\", "")
        assert f"{first.id}: {asked} stories.json ({hashes[0][:8]}), asked to the end." in text
        assert f"{second.id}: {asked} mine.json ({hashes[1][:8]}), asked to the end." in text
        assert "Not comparable: asked about different items." in text
    ok(*both, imported, "--to", tmp_path / "f.csv", "--figures")
    rows = {
        row["run"]: row for row in csv.DictReader((tmp_path / "f.csv").read_text().splitlines())
    }
    ours, log_row = rows[second.id], rows[imported]
    assert (ours["collection"], ours["collection_hash"]) == ("mine.json", hashes[1])
    assert (ours["state"], ours["limit"], ours["items"]) == ("done", "2", "2")
    assert (ours["shots"], ours["form"], ours["scoring"]) == ("0", "base", "log-likelihood")
    assert (log_row["state"], log_row["limit"], log_row["setting"]) == ("imported", "", "k==v")
    assert ours["not_comparable"].startswith("Not comparable: asked about different items")


def test_a_figure_of_no_items_has_no_value(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    ok("evaluate", "gita", "--model", "demo", "--limit", "1", "--store", store)
    rows = csv.DictReader(exported(store, "f.csv", "--figures").read_text().splitlines())
    [row] = [row for row in rows if row["figure"] == "Consistency"]
    assert (row["value"], row["n"]) == ("", "0")
    assert "| Consistency | no items |" in exported(store, "f.md").read_text()


def test_names_are_no_markup_of_a_table(store: Path) -> None:
    assert r"@model\_1\|% (" in exported(store, "f.md").read_text()
    assert r"@model\_1|\% (" in exported(store, "f.tex").read_text()


@pytest.mark.parametrize("ending", ["md", "tex", "csv"])
def test_names_in_a_table_of_figures_are_no_terminal_control(tmp_path: Path, ending: str) -> None:
    store = tmp_path / "hostile.sqlite"
    named = replace(PLAN, model="m\x1b[31m\x07\x9b\u202e", collection="/data/t\x1b]0;x\x07.json")
    with Store(store) as opened:
        opened.add(named, [VERDICT, SEVERAL], {})
    written = exported(store, f"figures.{ending}", "--figures").read_text()
    assert not set(written) & set("\x1b\x07\x9b\u202e")
    assert "m␛" in written


def test_without_pyarrow_nothing_is_written(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [listed] = ok("runs", "list", "--store", store, "--json").json["runs"]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    to = store.parent / "a.parquet"
    refused = run("runs", "export", listed["id"], "--store", store, "--to", to)
    assert refused.code == 2
    assert "commonsense-tui[parquet]" in refused.err
    assert sorted(path.name for path in store.parent.iterdir() if path.suffix != ".sqlite-wal") == [
        "runs.sqlite"
    ]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_lone_surrogate_is_a_question_mark_and_damages_nothing(
    tmp_path: Path, ending: str
) -> None:
    path = tmp_path / "runs.sqlite"
    odd = VERDICT._replace(options=("n\ud800", "yes"), tags={"parts": "\ud800"})
    with Store(path) as opened:
        opened.add(PLAN, [odd, SEVERAL], {})
    to = exported(path, f"verdicts.{ending}")
    if ending == "jsonl":
        row = json.loads(to.read_text().splitlines()[0])
        assert (row["options"], row["tags"]) == (["n?", "yes"], {"parts": "?"})


def test_an_unknown_ending_is_refused_and_nothing_overwritten(store: Path) -> None:
    [listed] = ok("runs", "list", "--store", store, "--json").json["runs"]
    words = ("runs", "export", listed["id"], "--store", store, "--to")
    refused = run(*words, store.parent / "a.xlsx")
    assert refused.code == 2
    assert ".csv, .jsonl, .parquet, .md, .tex" in refused.err
    there = store.parent / "there.csv"
    there.write_text("mine")
    assert run(*words, there).code == 2
    assert there.read_text() == "mine"
    assert ok(*words, there, "--force").code == 0
    assert there.read_text().startswith("run,model,")


def test_a_page_shows_a_run_and_two_compared(store: Path, tmp_path: Path) -> None:
    first = recorded(tmp_path / "recorded.sqlite")
    at = tmp_path / "recorded.sqlite"
    to = tmp_path / "run.html"
    assert ok("runs", "export", first, "--store", at, "--to", to).out == f"{to}\n"
    assert f"Run {first}" in to.read_text(encoding="utf-8")
    assert run("runs", "export", first, "--store", at, "--to", to).code == 2
    ok("evaluate", "shapes", "--model", f"replay:{first}", "--store", at)
    both = [row["id"] for row in ok("runs", "list", "--store", at, "--json").json["runs"]]
    ok("runs", "export", *both, "--store", at, "--to", to, "--force")
    assert "over the questions that both answered" in to.read_text(encoding="utf-8")


@pytest.fixture
def story_runs(tmp_path: Path) -> tuple[Path, str, str]:
    """A store with a run over the bundled stories, and the same answers as a log brings them."""
    store = tmp_path / "stories.sqlite"
    name = recorded(store, benchmark="gita")
    with Store(store) as opened:
        plan = replace(opened.run(name).plan, collection="/nowhere/log", collection_hash="log")
        return store, name, opened.add(plan, opened.verdicts(name), {}).id


def test_the_items_of_an_imported_run_are_drawn_from_the_bundled_collection_that_holds_them(
    story_runs: tuple[Path, str, str], tmp_path: Path
) -> None:
    store, _own, imported = story_runs
    ok("runs", "export", imported, "--store", store, "--to", tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert page.count("<svg") == MOST_ITEMS
    assert "No graph" not in page


def test_a_page_takes_items_from_the_data_that_are_named(tmp_path: Path) -> None:
    stories = json.loads(registry.load("gita").samples().read_text(encoding="utf-8"))
    for story in stories.values():
        story["sentences"][0] = "Somebody else came."
    data, moved = tmp_path / "mine.json", tmp_path / "moved.json"
    data.write_text(json.dumps(stories), encoding="utf-8")
    store, to = tmp_path / "runs.sqlite", tmp_path / "run.html"
    name = recorded(store, data, benchmark="gita")
    data.rename(moved)
    words = ("runs", "export", name, "--store", store, "--force", "--to")
    ok(*words, to)
    assert to.read_text(encoding="utf-8").count("Name it with --data") == MOST_ITEMS
    ok(*words, to, "--data", moved)
    assert to.read_text(encoding="utf-8").count("<svg") == MOST_ITEMS
    other = run(*words, to, "--data", registry.load("gita").samples())
    assert other.code == 2
    assert "No item of run" in other.err
    needless = run(*words, tmp_path / "run.csv", "--data", moved)
    assert needless.code == 2
    assert "Only a page shows items" in needless.err


def test_a_column_with_lists_for_some_verdicts_is_json_or_empty(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with Store(path) as opened:
        opened.add(PLAN, [VERDICT, SEVERAL._replace(order=(1, 0))], {})
    with exported(path, "verdicts.csv").open(newline="") as handle:
        assert [row["permutation"] for row in csv.DictReader(handle)] == ["", "[1,0]"]
