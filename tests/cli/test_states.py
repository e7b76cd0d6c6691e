"""`activations`, `study probe` and `study direction` on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commonsense_tui import read_activations
from core.blocks.vectors import read_vector
from tests.cli.support import ok, run

pytestmark = pytest.mark.usefixtures("demo_model")


def test_activations_are_written_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    asked = ("activations", "gita", "--model", "demo", "--limit", "3", "--blocks", "2,5")
    found = ok(*asked, "--positions", "spans", "--half", "--to", file, "--json").json
    read = read_activations(file)
    assert found == {
        "path": str(file),
        "rows": len(read.index),
        "index": f"{file.with_suffix('')}.index.parquet",
    }
    assert read.states.shape == (found["rows"], 2, 160)
    assert read.states.dtype == np.float16
    again = run(*asked, "--to", file)
    assert (again.code, "there already" in again.err) == (2, True)
    for words in (("--positions", "first"), ("--blocks", "9"), ("--to", tmp_path / "a.npy")):
        refused = run(*asked, "--to", tmp_path / "b.safetensors", *words)
        assert refused.code == 2, refused.out
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.index.parquet", file.name]


def test_a_probe_of_too_few_stories_or_of_hidden_options_says_so(tmp_path: Path) -> None:
    refused = run(
        "study", "probe", "gita", "--model", "demo", "--limit", "12",
        "--store", tmp_path / "runs.sqlite",
    )  # fmt: skip
    assert refused.code == 2
    assert "a probe needs 10 of each" in refused.err
    refused = run(
        "study", "probe", "gita", "--model", "demo", "--task-layer", "conflict",
        "--store", tmp_path / "runs.sqlite",
    )  # fmt: skip
    assert "do not show their options" in refused.err


@pytest.mark.slow
def test_a_direction_is_measured_and_its_vector_added_live(tmp_path: Path) -> None:
    vector, store = tmp_path / "v.npy", tmp_path / "runs.sqlite"
    asked = ("study", "direction", "gita", "--model", "demo", "--limit", "30", "--store", store)
    ran = ok(*asked, "--vector", vector, "--json")
    found = ran.json
    assert [block["block"] for block in found["blocks"]] == list(range(6))
    assert found["added_to"] == found["n"] == 30
    assert [(effect["benchmark"], effect["layer"]) for effect in found["side_effects"]] == [
        ("gita", "conflict_detec"),
        ("gita", "physical_state"),
        ("accord", "hop-1"),
        ("com2", "link-1"),
        ("abspyramid", "rung-1"),
        ("shapes", "stands"),
    ]
    assert read_vector(vector) == pytest.approx(found["vector"]["numbers"], rel=1e-6)
    block = found["vector"]["block"]
    assert f"residual:{block}@answer={vector}" in ran.err
    patched = ok(
        "patch", "gita", "1-C0", "--model", "demo", "--add", f"residual:{block}@answer={vector}",
        "--json",
    ).json  # fmt: skip
    [edit] = patched["edits"]
    assert (edit["start"], edit["stop"]) == (patched["tokens"] - 1, patched["tokens"])
    shown = ok("study", "show", "direction", "--store", store).out
    assert "Learned on half of the groups" in shown
    assert "Side effects" in shown
    rows = ok("study", "show", "direction", "--store", store, "--jsonl").lines
    assert [row["questions"] for row in rows[6:]][2:] == [
        "accord · hop-1", "com2 · link-1", "abspyramid · rung-1", "shapes · stands",
    ]  # fmt: skip
    refused = run(*asked, "--vector", tmp_path / "v.txt")
    assert refused.code == 2
