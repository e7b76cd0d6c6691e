"""A benchmark that somebody else ships works everywhere without a line of ours changed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.setting import Choice, Flag, Number, Order, Setting, Text
from core.exchange.importers.lm_eval import read
from core.layout.plain_text import view_text
from tests.cli.support import ROOT, in_process_of_its_own, ok, run
from tests.fifth.support import INSTALLED


def test_it_is_found_beside_ours() -> None:
    assert registry.names()[0] == registry.default() == "gita"
    assert registry.names()[-1] == "shapes"
    assert registry.load("shapes").name == "shapes"


def test_no_module_of_ours_names_it() -> None:
    for folder in ("core", "tui"):
        for file in (ROOT / folder).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            assert "shapes_benchmark" not in text
            assert "shapes_commands" not in text
    assert not INSTALLED.is_relative_to(ROOT / "core")


def test_it_has_a_switch_of_every_kind() -> None:
    benchmark = registry.load("shapes")
    switches = benchmark.switches(benchmark.open(benchmark.samples()).item(0))
    assert [type(switch) for switch in switches] == [Choice, Flag, Number, Order, Text]


@pytest.mark.parametrize(
    "words", [["ground=boat"], ["glue=on"], ["copies=3"], ["order=1,0"], ["foot=a hat"]], ids=str
)
def test_every_kind_of_switch_can_be_set(words: list[str]) -> None:
    benchmark = registry.load("shapes")
    collection = benchmark.open(benchmark.samples())
    item = collection.item(collection.find("egg cup"))
    setting = Setting.from_words(benchmark.switches(item), words)
    assert view_text(benchmark.view(item, setting), 80) != view_text(
        benchmark.view(item, Setting()), 80
    )
    shown = ok("show", "shapes", "egg cup", "--set", words[0], "--json").json
    assert shown["setting"] == dict([words[0].split("=")])


def test_logs_of_our_benchmarks_are_still_imported(shared_data: Path) -> None:
    imported = read(shared_data / "gita4calamita" / "logs" / "gemma-2-9b")
    assert imported.benchmark == "gita"


def test_it_is_exported_in_every_format(tmp_path: Path) -> None:
    for number, form in enumerate(("html", "svg", "md", "text", "json")):
        path = tmp_path / f"snowman-{number}"
        ok("export", form, "shapes", "snowman", "--set", "ground=boat", "--out", path)
        written = path.read_text(encoding="utf-8")
        assert "ball" in written
        assert "on a boat" in written


def test_its_questions_are_printed_with_worked_examples() -> None:
    rows = ok("questions", "shapes", "--shots", "1", "--jsonl").lines
    assert Counter(row["layer"] for row in rows) == {"stands": 6, "culprit": 4, "top": 4}
    for row in rows:
        assert row["options"][row["gold_index"]] == row["gold"]
        assert row["prompt"].count("The tower: ") == 2


def test_a_lesson_about_it_is_made_checked_and_exported(tmp_path: Path, demo_model: None) -> None:
    lesson, page = tmp_path / "lesson.yaml", tmp_path / "lesson.html"
    ok("lesson", "new", lesson, "--benchmark", "shapes")
    text = lesson.read_text(encoding="utf-8")
    assert "culprit: Which part is to blame?" in text
    # Of the arch, with which the draft begins, what the model answers is an exception.
    lesson.write_text(text.replace('item: "arch"', 'item: "egg cup"'), encoding="utf-8")
    checked = ok("lesson", "check", lesson)
    assert "1 of 1 claim true" in checked.out
    ok("lesson", "export", lesson, "--out", page)
    assert "cube" in page.read_text(encoding="utf-8")


def test_a_run_reads_the_answers_after_each_block(tmp_path: Path, demo_model: None) -> None:
    words = ("evaluate", "shapes", "--blocks", "--store", tmp_path / "runs.sqlite", "--json")
    summary = ok(*words).json
    assert summary["blocks_read"] > 1
    settled = next(table for table in summary["tables"] if "settle" in table["title"])
    assert [row[0] for row in settled["rows"]] == ["Stands", "Culprit", "Top"]


def test_its_own_commands_are_a_group() -> None:
    assert ok("shapes", "count", "ball").out == "3 of 6 towers have a ball.\n"
    help_text = ok("shapes", "--help").out
    assert "Towers of shapes." in help_text
    assert "Print how many towers have a part." in help_text
    assert "shapes-benchmark" in ok("--help").out
    assert run("shapes", "count").code == 2


def test_an_error_of_its_commands_names_the_package() -> None:
    ran = run("shapes", "carry", "hat")
    assert ran.code == 2
    assert "KeyError" in ran.err
    assert "package shapes-benchmark" in ran.err


def test_an_installed_one_is_shown_asked_and_evaluated(tmp_path: Path, demo_model: None) -> None:
    """As a person does it: with the installed command and the bundled model."""
    store = tmp_path / "runs.sqlite"
    shown = in_process_of_its_own("show", "shapes", "snowman")
    assert "a ball" in shown.out
    asked = in_process_of_its_own("ask", "shapes", "snowman", "--set", "ground=boat", "--json")
    assert [v["layer"] for v in asked.json["verdicts"]] == ["stands", "culprit", "top"]
    assert asked.json["setting"] == {"ground": "boat"}
    unknown = ok("ask", "shapes", "snowman", "--set", "foot=hat", "--json")
    assert unknown.json["first_failure"] is None
    assert {v["gold"] for v in unknown.json["verdicts"]} == {None}
    summary = in_process_of_its_own("evaluate", "shapes", "--store", store, "--json").json
    assert summary["denominators"]["Stands"] == 6
    assert set(summary["metrics"]) == {"Stands", "Culprit", "Top"}
    listed = ok("runs", "list", "--store", store, "--json").json["runs"]
    assert [run["id"] for run in listed] == [summary["run"]]
