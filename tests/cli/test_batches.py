"""`evaluate --batch` and `--gpu`."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.models.resolver import demo_file
from tests.cli.support import ok, run

_DEMO = pytest.mark.skipif(not demo_file().is_file(), reason="needs the bundled demo model")


@_DEMO
def test_a_batched_run_stands_beside_the_exact_one_and_says_what_it_is(tmp_path: Path) -> None:
    words = ("evaluate", "gita", "--limit", "6", "--store", tmp_path / "runs.sqlite")
    exact = ok(*words, "--json").json
    batched = ok(*words, "--batch", "4", "--json").json
    again = ok(*words, "--batch", "4", "--json").json
    assert batched["run"] != exact["run"]
    assert again["run"] == batched["run"]
    assert (exact["batch"], batched["batch"]) == (0, 4)
    shown = ok("runs", "show", batched["run"], "--store", tmp_path / "runs.sqlite")
    assert "4 questions in a forward pass" in shown.out
    compared = ok(
        *("runs", "compare", exact["run"], batched["run"]),
        *("--store", tmp_path / "runs.sqlite", "--json"),
    ).json
    assert any("forward pass: 1 / 4" in each for each in compared["differs"])


@pytest.mark.parametrize("other", [("--blocks",), ("--shard", "1/2")])
def test_what_cannot_be_asked_together_is_refused(other: tuple[str, ...], tmp_path: Path) -> None:
    refused = run("evaluate", "gita", "--batch", "4", *other, "--store", tmp_path / "runs.sqlite")
    assert refused.code == 2
    assert "--batch" in refused.err
    assert not (tmp_path / "runs.sqlite").exists()


@pytest.mark.parametrize("layers", ["many", "-1", "1.5", "100000"])
def test_what_is_no_number_of_layers_is_refused(layers: str, tmp_path: Path) -> None:
    words = ("evaluate", "gita", "--gpu", layers, "--store", tmp_path / "runs.sqlite")
    refused = run(*words)
    assert refused.code == 2
    assert "no number of layers" in refused.err
