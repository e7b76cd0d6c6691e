"""`runs compare`."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import Scoring, Status, Verdict
from core.contract.setting import Setting
from core.runs.records import Plan
from core.runs.store import Store
from tests.cli.support import ok, recorded, run


@pytest.fixture
def two_runs(tmp_path: Path) -> tuple[Path, str, str]:
    """A store with a run of six items, and one that stopped after four."""
    store = tmp_path / "runs.sqlite"
    whole = recorded(store)
    ok(
        "evaluate",
        "shapes",
        "--model",
        f"replay:{whole}",
        "--store",
        store,
        "--limit",
        "4",
        "--json",
    )
    [part] = [
        each["id"]
        for each in ok("runs", "list", "--store", store, "--json").json["runs"]
        if each["id"] != whole
    ]
    return store, whole, part


def test_only_common_questions_are_compared(two_runs: tuple[Path, str, str]) -> None:
    store, whole, part = two_runs
    compared = ok("runs", "compare", whole, part, "--store", store, "--json").json
    assert compared["runs"] == [whole, part]
    first, *_ = compared["layers"].values()
    assert (first["n"], first["difference"]) == (4, 0)
    assert first["both"] + first["neither"] == 4
    assert compared["not_compared"][0] > 0
    assert compared["not_compared"][1] == 0
    assert compared["differs"] == ["limit of items: none / 4"]
    assert compared["flipped"] == []
    stands, *_ = compared["metrics"].values()
    assert stands["n"] == [4, 4]
    rows = compared["heat_map"]
    assert {len(row["first_wrong"]) for row in rows} == {2}
    assert sum(row["first_wrong"][1] is not None for row in rows) == 4


def test_the_table_tells_what_makes_runs_unlike(two_runs: tuple[Path, str, str]) -> None:
    store, whole, part = two_runs
    printed = ok("runs", "compare", whole, part, "--store", store).out
    assert "The runs differ in more than the model: limit of items: none / 4" in printed
    assert "Not compared: " in printed


def test_without_scipy_the_extra_is_named(
    two_runs: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, *names = two_runs
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    printed = ok("runs", "compare", *names, "--store", store).out
    assert "pip install 'commonsense-tui[stats]'" in printed


def test_one_run_cannot_be_compared(two_runs: tuple[Path, str, str]) -> None:
    store, whole, _part = two_runs
    refused = run("runs", "compare", whole, "--store", store)
    assert refused.code == 2
    assert "Name two runs or more" in refused.err


def test_the_figures_of_both_runs_are_over_the_items_of_both(
    two_runs: tuple[Path, str, str],
) -> None:
    store, whole, part = two_runs
    compared = ok("runs", "compare", whole, part, "--store", store, "--json").json
    shown = ok("runs", "show", part, "--store", store, "--json").json
    for name, value in shown["metrics"].items():
        metric = compared["metrics"][name]
        assert metric["values"] == [value, value]
        assert metric["difference"] == 0
        assert metric["interval"] is None


def another(store: Path, run_id: str, item: str = "") -> str:
    """A copy of a run under another model, over one item of its own where one is named."""
    with Store(store) as opened:
        plan, verdicts = opened.run(run_id).plan, opened.verdicts(run_id)
        if item:
            verdicts = [verdicts[0]._replace(item=item, digest=item)]
        return opened.add(replace(plan, fingerprint=item or "copy"), verdicts, {}).id


def test_several_runs_are_compared_with_the_first(two_runs: tuple[Path, str, str]) -> None:
    store, whole, part = two_runs
    copy = another(store, whole)
    compared = ok("runs", "compare", whole, part, copy, "--store", store, "--json").json
    assert compared["runs"] == [whole, part]
    assert [other["runs"] for other in compared["others"]] == [[whole, copy]]
    assert compared["left_out"] == []


def test_a_run_that_shares_no_question_with_the_first_is_left_out_of_several(
    two_runs: tuple[Path, str, str],
) -> None:
    store, whole, part = two_runs
    other = another(store, whole, "elsewhere")
    answered = ok("runs", "compare", whole, other, part, "--store", store, "--json")
    assert answered.json["runs"] == [whole, part]
    assert [each["run"] for each in answered.json["left_out"]] == [other]
    assert "share no question" in answered.json["left_out"][0]["why"]
    assert f"{other} is left out." in answered.err
    assert {len(row["first_wrong"]) for row in answered.json["heat_map"]} == {2}
    refused = run("runs", "compare", whole, other, "--store", store)
    assert refused.code == 2
    assert "share no question" in refused.err


def test_one_layer_can_be_compared(two_runs: tuple[Path, str, str]) -> None:
    store, *names = two_runs
    words = ("runs", "compare", *names, "--store", store, "--json", "--task-layer")
    assert list(ok(*words, "stands").json["layers"]) == ["stands"]
    assert list(ok(*words, "sta").json["layers"]) == ["stands"], "the beginning of a name will do"
    refused = run(*words, "stads")
    assert refused.code == 2
    assert "stands" in refused.err


def test_figures_that_cannot_be_compared_are_missing_with_the_reason(tmp_path: Path) -> None:
    untagged = Verdict(
        "1", "story_class", Setting(), ("true", "false"), (), 0, 1, Status.OK, Scoring.GENERATED
    )
    path = tmp_path / "runs.sqlite"
    with Store(path) as opened:
        plans = [Plan("m", each, "gita", "/nowhere", "h") for each in "ab"]
        names = [opened.add(plan, [untagged], {}).id for plan in plans]
    words = ("runs", "compare", *names, "--store", path)
    sentence = "The benchmark's own figures are not compared: they need the “plausible” of every"
    assert ok(*words, "--json").json["why_no_metrics"].startswith(sentence)
    assert sentence in " ".join(ok(*words).out.split())
    page = tmp_path / "runs.html"
    ok("runs", "export", *names, "--store", path, "--to", page)
    assert sentence in unescape(page.read_text(encoding="utf-8"))


def test_answers_that_were_not_read_are_counted_wherever_runs_are_compared(tmp_path: Path) -> None:
    """A run with unread answers is not called worse without a word."""
    store = tmp_path / "runs.sqlite"
    plan = Plan("org/Reads", "f", "shapes", "/data/towers.json", "c" * 64)
    read = Verdict(
        "arch", "stands", Setting(), ("no", "yes"), (), 1, 1, Status.OK, Scoring.GENERATED,
        digest="1",
    )  # fmt: skip
    both = [read, read._replace(item="hut", digest="2"), read._replace(item="wall", digest="3")]
    cut = [each._replace(answer=None, status=Status.TRUNCATED) for each in both[:2]]
    likely = read._replace(
        layer="culprit", answer=None, status=Status.NO_ANSWER, scoring=Scoring.LOGLIKELIHOOD
    )
    with Store(store) as opened:
        first = opened.add(plan, [*both, likely], {}).id
        other = replace(plan, model="org/Cut", fingerprint="g")
        second = opened.add(other, [*cut, both[2], likely], {}).id
    compared = ok("runs", "compare", first, second, "--store", store, "--json").json
    unread = {layer: each["not_read"] for layer, each in compared["layers"].items()}
    assert unread == {"stands": [0, 2], "culprit": [0, 0]}
    shown = " ".join(ok("runs", "compare", first, second, "--store", store).out.split())
    assert "Not read, and counted as wrong: stands, 0 in A and 2 in B of 3." in shown
    drawn = " ".join(ok("runs", "plot", "layers", first, second, "--store", store).out.split())
    assert "Not read, and counted as wrong: Cut 2 of 4 answers." in drawn
    for run_id, count in ((first, "0"), (second, "2")):
        file = tmp_path / f"{run_id}.csv"
        ok("runs", "export", run_id, "--figures", "--store", store, "--to", file)
        rows = csv.DictReader(file.read_text().splitlines())
        assert {row["not_read_in_run"] for row in rows} == {count}
    listed = ok("runs", "list", "--store", store, "--json").json["runs"]
    assert [each["not_read"] for each in listed] == [0, 2]
    alone = ok("runs", "list", "--store", store).out
    assert "not read" in alone.splitlines()[1]


def test_where_every_answer_was_read_nothing_is_said_of_it(two_runs: tuple[Path, str, str]) -> None:
    store, whole, part = two_runs
    for words in (("compare", whole, part), ("plot", "layers", whole), ("list",)):
        assert "not read" not in ok("runs", *words, "--store", store).out.lower()


def test_gates_are_told_of_only_where_there_are_any(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    said = {}
    for benchmark in ("gita", "abspyramid"):
        plan = Plan("m", "f", benchmark, "items", "c" * 64)
        answer = Verdict(
            "arch", registry.load(benchmark).layers[0].id, Setting(), ("no", "yes"), (), 1, 1,
            Status.OK, Scoring.GENERATED, digest="1",
        )  # fmt: skip
        with Store(store) as opened:
            both = [answer, answer._replace(item="hut")]
            first = opened.add(plan, both, {}).id
            second = opened.add(replace(plan, fingerprint="g"), both[:1], {}).id
        text = ok("runs", "compare", first, second, "--store", store).out
        said[benchmark] = " ".join(text.split())
    gate = "A layer that is asked only after a right answer"
    assert all("Not compared: questions" in text for text in said.values())
    assert [gate in text for text in said.values()] == [True, False]
