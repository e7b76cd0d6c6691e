"""`com2 scenario` and `com2 score`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.support import ok, run

GRAPH = """\
events:
  rain: {text: It rains, leak: 1}
  wet: {text: The road is wet}
  skid: {text: A car skids}
  grit: {text: The road is gritted}
  dry: {text: The road dries}
  fair: {text: The fair opens}
links:
  - {from: rain, to: wet}
  - {from: wet, to: skid}
  - {from: grit, to: skid}
  - {from: dry, to: fair}
groups:
  - {effect: skid, rule: inhibitor, causes: [grit]}
tasks:
  direct:
    question: What comes of it?
    path: [rain, wet, skid]
    options: [{event: fair}, {event: skid}]
  decision:
    question: What prevents it?
    bad: skid
    options: [{text: Shelter, prevents: rain}, {text: Drain, prevents: wet}, {text: Sing}]
  intervention:
    question: And now?
    do: {grit: 1, dry: 1}
    path: [dry, fair]
    distractors: [[rain, wet, skid]]
    options: [{event: skid}, {event: fair}]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "road.yaml"
    path.write_text(GRAPH, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "gold", "answer"),
    [("direct", [1], ["B"]), ("decision", [0, 1], ["A", "B"]), ("intervention", [1], ["B"])],
)
def test_the_answer_follows_from_the_graph(
    file: Path, kind: str, gold: list[int], answer: list[str]
) -> None:
    found = ok("com2", "scenario", file, "--kind", kind, "--json").json
    assert (found["scenario"], found["gold"], found["answer"]) == (kind, gold, answer)
    assert found["multiple"] == (kind == "decision")
    assert found["happens"]["skid"] == (kind != "intervention")
    plain = ok("com2", "scenario", file, "--kind", kind).out
    assert [line[1] == "✓" for line in plain.splitlines() if ") " in line[:6]] == [
        i in gold for i in range(len(found["options"]))
    ]


def test_cuts_are_shown(file: Path) -> None:
    found = ok("com2", "scenario", file, "--kind", "decision", "--json").json
    assert found["cuts"] == [["rain"], ["wet"]]


def test_a_switch_changes_the_world(file: Path) -> None:
    words = ("com2", "scenario", file, "--kind", "direct", "--json")
    found = ok(*words, "--set", "event.grit=do=1").json
    assert found["gold"] is None
    assert found["do"] == {"grit": True}
    assert found["happens"]["skid"] is False


def test_a_bundled_graph_is_found_by_its_id() -> None:
    assert ok("com2", "scenario", "ring-road", "--kind", "direct", "--json").json["gold"] == [2]


@pytest.mark.parametrize("kind", ["transition", "why"])
def test_a_scenario_that_is_not_there_is_said_to_be_so(file: Path, kind: str) -> None:
    ran = run("com2", "scenario", file, "--kind", kind)
    assert ran.code == 2
    assert kind in ran.err


def test_a_line_break_in_a_question_or_option_begins_no_line_of_output(file: Path) -> None:
    graph = GRAPH.replace("What prevents it?", '"What?\\n ✓ A) Sing"')
    graph = graph.replace("text: Shelter", 'text: "x\\n\\nB) y\\n"')
    graph = graph.replace("A car skids", '"A car\\n   C) skids"')
    file.write_text(graph, encoding="utf-8")
    assert ok("com2", "scenario", file, "--kind", "decision").out.splitlines() == [
        "What?␊ ✓ A) Sing",
        " ✓ A) x␊␊B) y",
        " ✓ B) Drain",
        "   C) Sing",
        "preventing any one of 2 events stops “A car␊   C) skids”.",
    ]


def test_score_prints_the_figures_of_the_paper(tmp_path: Path) -> None:
    four = ["Pump it", "Drain it", "Paint it", "Move it"]
    rows = [
        {"type": "direct", "options": four, "answer": "A", "gold": "A"},
        {"type": "direct", "options": four, "answer": "B", "gold": "A"},
        {"type": "decision", "options": four, "answer": ["A"], "gold": "A, B"},
        {"type": "decision", "options": four, "text": "Answer: A), C)", "gold": "A, B"},
        {"type": "decision", "options": four, "text": "Hard to say.", "gold": "A, B"},
        {"type": "counterfactual", "part": "hard", "options": four, "answer": "D", "gold": "D"},
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = ok("com2", "score", "--answers", file, "--json").json
    assert found["metrics"] == {
        "main direct": 0.5,
        "main decision": pytest.approx(0.5 / 3),
        "main average": pytest.approx((0.5 + 0.5 / 3) / 2),
        "hard counterfactual": 1.0,
        "hard average": 1.0,
        "overall": pytest.approx((1 + (0.5 + 0.5 / 3) / 2) / 2),
    }
    assert found["denominators"]["main decision"] == 3
    assert [row["credit"] for row in found["scores"]] == [1.0, 0.0, 0.5, 0.0, 0.0, 1.0]
    assert found["counts"]["status no_answer"] == 1
    read = ok("com2", "score", "--answers", file, "--profile", "parsed", "--json").json
    assert read["metrics"]["main decision"] == 0.25
    printed = ok("com2", "score", "--answers", file).out
    assert "main decision" in printed
    assert "0.1667" in printed


def test_score_says_which_line_is_at_fault(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"type": "direct"}\n', encoding="utf-8")
    ran = run("com2", "score", "--answers", file)
    assert ran.code == 2
    assert f"{file}:1" in ran.err
    assert run("com2", "score", "--answers", tmp_path / "none").code == 2
