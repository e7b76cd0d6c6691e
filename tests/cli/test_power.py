"""`runs power`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.runs.store import Store
from core.statistics.paired import detectable_difference
from tests.cli.support import ok, recorded, run


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Path, str]:
    store = tmp_path / "runs.sqlite"
    return store, recorded(store)


def test_each_layer_has_the_difference_that_its_questions_would_show(
    stored: tuple[Path, str],
) -> None:
    store, name = stored
    shown = ok("runs", "power", name, "--discordant", "1", "--store", store, "--json").json
    assert shown["assumed"] is True
    for layer in shown["layers"].values():
        assert layer["detectable"] == detectable_difference(layer["n"], layer["n"])
    counts = ok("runs", "show", name, "--store", store, "--json").json["counts"]
    assert {layer: each["n"] for layer, each in shown["layers"].items()} == {
        layer: counts[f"{layer} asked"] for layer in shown["layers"]
    }
    printed = ok("runs", "power", name, "--store", store).out
    assert "Assumed: 0.2 of the questions" in printed


def test_two_runs_give_the_observed_share(stored: tuple[Path, str]) -> None:
    store, name = stored
    with Store(store) as opened:
        alike = replace(opened.run(name).plan, fingerprint="other")
        other = opened.add(alike, opened.verdicts(name), {}).id
    shown = ok("runs", "power", name, other, "--store", store, "--json").json
    assert shown["assumed"] is False
    assert {each["discordant"] for each in shown["layers"].values()} == {0}
    assert {each["detectable"] for each in shown["layers"].values()} == {None}
    refused = run("runs", "power", name, name, "--store", store)
    assert refused.code == 2
    assert "compared with itself" in refused.err


def test_an_unknown_run_is_named(stored: tuple[Path, str]) -> None:
    store, _name = stored
    refused = run("runs", "power", "nosuch", "--store", store)
    assert refused.code == 2
    assert "nosuch" in refused.err


def test_without_scipy_the_extra_is_named(
    stored: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, name = stored
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    refused = run("runs", "power", name, "--store", store)
    assert refused.code == 2
    assert "The power of a test needs scipy." in refused.err
    assert "stats" in refused.err
