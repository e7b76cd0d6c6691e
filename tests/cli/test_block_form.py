"""What is read between the blocks says how the question was put, for a person and for a program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.support import ok

pytestmark = pytest.mark.usefixtures("demo_model")


@pytest.mark.parametrize(
    "words",
    [
        ("blocks", "gita", "1-C0"),
        ("trace", "gita", "1-C0"),
        ("patch", "gita", "1-C0", "--zero", "attn:3"),
    ],
    ids=lambda words: words[0],
)
def test_every_figure_says_how_the_question_was_put(words: tuple[str, ...]) -> None:
    said = " ".join(ok(*words, "--form", "base").out.split())
    assert "Zero-shot, base prompt, log-likelihood." in said
    assert ok(*words, "--form", "base", "--json").json["form"] == "base"
    assert ok(*words, "--json").json["form"] in ("base", "chat")


def test_an_export_says_how_the_question_was_put(tmp_path: Path) -> None:
    path = tmp_path / "item.md"
    ok("export", "md", "gita", "1-C0", "--blocks", "--trace", "--out", path)
    said = " ".join(path.read_text(encoding="utf-8").split())
    assert len(re.findall(r"Zero-shot, \w+ prompt, log-likelihood\.", said)) >= 2


def test_all_right_options_are_told_where_several_are() -> None:
    words = ("com2", "birch-pollen:decision", "--layer", "answer")
    found = ok("blocks", *words, "--json").json
    assert found["gold_index"] is None
    assert found["gold_indices"] == [0, 1, 4]
    kinds = {True: ("wins",), False: ("led, then lost", "never led", "tie at the end")}
    verdict = next(
        one
        for one in ok("ask", *words[:2], "--scoring", "log-likelihood", "--json").json["verdicts"]
        if one["layer"] == "answer"
    )
    assert found["class"] in kinds[verdict["right"]]
