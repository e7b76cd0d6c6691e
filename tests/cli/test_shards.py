"""`evaluate --shard` and `runs merge`, with the bundled model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import ok, run
from tests.runs.test_shards import recorded

QUESTIONS = ("evaluate", "gita", "--shots", "2", "--limit", "7", "--model", "demo", "--json")


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
def test_merged_shards_of_a_model_are_its_undivided_run(tmp_path: Path) -> None:
    whole, merged = tmp_path / "whole.sqlite", tmp_path / "merged.sqlite"
    shown = ok(*QUESTIONS, "--store", whole).json
    known: tuple[str | Path, ...] = ()
    stores = [tmp_path / f"shard-{number}.sqlite" for number in (1, 2)]
    missing = []
    for _layer in range(3):
        for number, store in enumerate(stores, start=1):
            asked = ok(*QUESTIONS, "--shard", f"{number}/2", "--store", store, *known)
            assert asked.json["state"] == "paused"
        known = ("--survivors", merged)
        printed = ok("runs", "merge", *stores, "--into", merged, "--json").json
        [document] = printed["runs"]
        missing.append(document["missing"])
    assert missing[0]["story_class"] == 0
    assert missing[0]["physical_state"] is None
    assert (document["id"], document["state"], missing[-1]) == (shown["run"], "done", {})
    assert printed["verdicts"] == shown["verdicts"]
    assert recorded(merged) == recorded(whole)
    figures = ok("runs", "show", shown["run"], "--store", merged, "--json").json
    assert {**figures, "created": ""} == {**shown, "created": ""}


@pytest.mark.usefixtures("demo_model")
def test_a_shard_says_what_comes_next_and_a_merge_what_is_missing(tmp_path: Path) -> None:
    store, merged = tmp_path / "shard.sqlite", tmp_path / "merged.sqlite"
    words = (*QUESTIONS, "--shard", "1/2", "--store", store)
    assert "ask again with --survivors: which items layer conflict_detec" in ok(*words).err
    text = ok("runs", "merge", store, "--into", merged).out
    assert "gita-demo-1: paused, 4 verdicts, 4 of them new" in text
    assert "Layer story_class: 3 questions missing." in text
    assert "Layer conflict_detec: what it asks is not known yet." in text
    refused = run(*words, "--survivors", merged)
    assert refused.code == 2
    assert "3 answers of layer story_class are missing in run gita-demo-1" in refused.err


@pytest.mark.parametrize("words", [("--shard", "3/2"), ("--survivors", "x.sqlite")])
def test_shards_that_make_no_sense_are_a_mistake_of_the_person(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    refused = run(*QUESTIONS, *words, "--store", tmp_path / "runs.sqlite")
    assert refused.code == 2
    assert words[0] in refused.err
    assert not (tmp_path / "runs.sqlite").exists()


def test_merging_nothing_is_a_mistake_of_the_person(tmp_path: Path) -> None:
    refused = run("runs", "merge", tmp_path / "none", "--into", tmp_path / "merged.sqlite")
    assert refused.code == 2
    assert "none" in refused.err
    assert not (tmp_path / "merged.sqlite").exists()
