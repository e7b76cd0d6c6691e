"""Answers without the tags that figures need: an imported log, a store of another program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.contract.question import OptionScore, Scoring, Status, Tags, Verdict
from core.contract.setting import Setting
from core.runs.comparison import compare
from core.runs.records import Plan
from core.runs.store import Store
from core.runs.summaries import PLAIN, summarise


def verdict(item: str, layer: str, tags: dict[str, str]) -> Verdict:
    return Verdict(
        item, layer, Setting(), ("no", "yes"), (OptionScore(-1.0), OptionScore(-2.0)),
        0, int(item) % 2, Status.OK, Scoring.LOGLIKELIHOOD, tags=tags, digest=item,
    )  # fmt: skip


CASES = {
    "gita": ("story_class", "unified", "plausible"),
    "shapes": ("stands", "falling", "falls"),
}


@pytest.mark.parametrize("benchmark", CASES)
def test_figures_without_their_tags_are_right_answers_and_a_note(
    tmp_path: Path, benchmark: str
) -> None:
    layer, profile, _tag = CASES[benchmark]
    plan = Plan("m", "f", benchmark, "/nowhere", "h")
    with Store(tmp_path / "runs.sqlite") as store:
        run = store.add(plan, [verdict(str(i), layer, {}) for i in range(5)], {})
        summary = summarise(store, store.run(run.id), profile)
    assert summary.profile == PLAIN
    [figure] = summary.figures
    assert (figure.right, figure.n) == (3, 5)
    [note] = [each for each in summary.notes if "which this run does not record" in each]
    assert "are missing" in note


def test_one_answer_without_its_tag_is_enough(tmp_path: Path) -> None:
    plan = Plan("m", "f", "shapes", "/nowhere", "h")
    answers = [verdict("0", "stands", {"falls": "yes"}), verdict("1", "stands", {"other": "yes"})]
    with Store(tmp_path / "runs.sqlite") as store:
        run = store.add(plan, answers, {})
        assert summarise(store, store.run(run.id), "all").profile == "all", (
            "this profile needs no tag"
        )
        summary = summarise(store, store.run(run.id), "falling")
    assert summary.profile == PLAIN
    assert any("“falls”" in note for note in summary.notes)


def test_runs_without_tags_are_compared_without_the_figures(tmp_path: Path) -> None:
    plan = Plan("m", "f", "gita", "/nowhere", "h")
    with Store(tmp_path / "runs.sqlite") as store:
        first, second = (
            store.add(
                replace(plan, fingerprint=name),
                [verdict(str(i), "story_class", {}) for i in range(5)],
                {},
            )
            for name in "ab"
        )
        comparison = compare(store, first.id, second.id)
    assert comparison.figures == ()
    assert comparison.why_no_figures == (
        "The benchmark's own figures are not compared: they need the “plausible” of every answer, "
        "which one of these runs does not record."
    )
    assert comparison.layers[0].n == 5


def test_a_tag_that_is_there_is_read_as_ever() -> None:
    tags = Tags(hops="3")
    assert tags["hops"] == "3"
    assert tags.get("pairing") is None
    assert "pairing" not in tags
    assert tags == {"hops": "3"}
