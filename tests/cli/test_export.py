"""`export` with what a model's blocks say of the item."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from core.files import paths
from tests.cli.support import ok, recorded, run

NO_PLACE = "svg has no place for it; html, md, text and json have."
ITEM = ("gita", "1-C0")


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
def test_every_rung_is_read_and_one_is_traced(tmp_path: Path) -> None:
    file = tmp_path / "item.json"
    ran = ok("export", "json", *ITEM, "--blocks", "--trace", "--out", file)
    assert ran.out == f"{file}\n"
    readings = json.loads(file.read_text())["readings"]
    *rungs, traced = readings
    assert [one["title"].split(" · ")[1] for one in rungs] == [
        "Plausible?",
        "Which sentences?",
        "Which state?",
    ]
    found = ok("blocks", *ITEM, "--task-layer", "physical_state", "--json").json
    last = rungs[-1]
    assert [row["label"] for row in last["rows"]] == found["options"]
    assert last["leading"] == found["leading"]
    for block, scores in enumerate(found["blocks"]):
        total = sum(map(math.exp, scores))
        for row, score in zip(last["rows"], scores, strict=True):
            assert row["values"][block] == pytest.approx(math.exp(score) / total)
    for one in rungs:
        notes = " ".join(one["notes"])
        for words in ("projection, not a belief", "demonstration model", "tokens", "no results"):
            assert words in notes
    shown = ok("trace", *ITEM, "--json").json
    assert [row["values"] for row in traced["rows"]] == shown["restored"]
    assert "one pair of prompts" in " ".join(traced["notes"])


@pytest.mark.usefixtures("demo_model")
@pytest.mark.parametrize("form", ["html", "md"])
def test_a_rung_and_a_contrast_prompt_can_be_named(tmp_path: Path, form: str) -> None:
    file = tmp_path / "item"
    words = ("--task-layer", "story_class", "--blocks", "--trace", "--contrast", "variant=1")
    ok("export", form, *ITEM, *words, "--out", file)
    text = file.read_text()
    assert "Plausible? · options after every block" in text
    assert "Which sentences? · options" not in text
    assert "compared with variant=1" in text
    assert "not comparable" in text
    assert "Commonsense demonstration model" in text
    said = " ".join(text.split())
    assert len(re.findall(r"Zero-shot, \w+ prompt, log-likelihood\.", said)) >= 2


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("svg", *ITEM, "--blocks"), NO_PLACE),
        (("html", *ITEM, "--contrast", "variant=1"), "Add --blocks or --trace."),
        (
            ("svg", *ITEM, "--model", "demo"),
            "svg has no place for it; html, md, text and json have.",
        ),
        (("html", *ITEM, "--blocks", "--contrast", "variant=1"), "Only a trace compares"),
        (("html", *ITEM, "--seed", "7"), "Only a benchmark takes this"),
        (("gallery", "gita", "--shot-rule", "fixed"), "Only a benchmark takes this"),
        (("html", *ITEM, "--blocks", "--task-layer", "story_clss"), "Did you mean"),
        (("html", *ITEM, "--trace", "--contrast", "variant=9"), "not a value"),
        (("html", *ITEM, "--blocks", "--model", "no/such.gguf"), "no/such.gguf"),
        (("gita", "0-C0"), "Write export html gita ID"),
        (("htm", *ITEM), "Did you mean “html”?"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(
    tmp_path: Path, words: tuple[str, ...], named: str
) -> None:
    ran = run("export", *words, "--out", tmp_path / "item")
    assert (ran.code, ran.out) == (2, "")
    assert named in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_told_before_a_model_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "mine.html"
    file.write_text("mine")
    ran = run("export", "html", *ITEM, "--blocks", "--model", "no/such.gguf", "--out", file)
    assert ran.code == 2
    assert "--force" in ran.err
    assert file.read_text() == "mine"


def test_a_record_has_no_blocks(tmp_path: Path) -> None:
    record = recorded(paths.runs())
    out = tmp_path / "item.html"
    ran = run("export", "html", *ITEM, "--blocks", "--model", f"replay:{record}", "--out", out)
    assert ran.code == 2
    assert "does not run in this program" in ran.err
    assert not out.exists()
