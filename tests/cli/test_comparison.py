"""`runs compare`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

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
    [compared] = ok("runs", "compare", whole, part, "--store", store, "--json").json["comparisons"]
    assert [each["id"] for each in compared["runs"]] == [whole, part]
    assert compared["layers"][0]["n"] == 4
    assert compared["layers"][0]["difference"] == 0
    assert compared["not_compared"][0] > 0
    assert compared["not_compared"][1] == 0
    assert compared["unlike"] == ["limit of items: none / 4"]
    assert compared["flips"] == []


def test_the_table_tells_what_makes_runs_unlike(two_runs: tuple[Path, str, str]) -> None:
    store, whole, part = two_runs
    printed = ok("runs", "compare", whole, part, "--store", store).out
    assert "Unlike in more than the model: limit of items: none / 4" in printed
    assert "the other run did not answer them" in printed


def test_without_scipy_the_extra_is_named(
    two_runs: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, *names = two_runs
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    printed = ok("runs", "compare", *names, "--store", store).out
    assert "pip install 'commonsense-tui[stats]'" in printed


def test_one_run_cannot_be_compared(two_runs: tuple[Path, str, str]) -> None:
    store, whole, _part = two_runs
    refused = run("runs", "compare", whole, "--store", store)
    assert refused.code == 2
    assert "Name two runs or more" in refused.err
