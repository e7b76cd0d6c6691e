"""Com² through the contract, as screens and the runner use it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.answers.scoring import score_text
from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.item import Scenario
from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, OptionScore, Question, Scoring, Status, Verdict
from core.contract.setting import Choice, Edits, NodeState, Setting
from core.text.errors import DataError, SettingError

BENCH: Benchmark = Com2()
SAMPLES = BENCH.open(BENCH.samples())


@pytest.fixture(scope="module")
def items() -> list[Any]:
    return [SAMPLES.item(i) for i in range(len(SAMPLES))]


def scenario_of(item: Any, scenario: Scenario) -> Setting:
    return Setting.of(BENCH.switches(item), {"scenario": scenario.value})


@pytest.fixture(scope="module")
def asked(items: list[Any]) -> list[Question]:
    """Every question of every scenario of every sample."""
    return [
        question
        for item in items
        for task in item.tasks
        for layer in BENCH.layers
        if (question := BENCH.question(item, scenario_of(item, task.scenario), layer.id))
    ]


def answered(question: Question, right: bool) -> Verdict:
    """The verdict on a right or a wrong answer, given as the benchmark prefers it."""
    golds = question.golds if question.multiple else (question.gold,)
    picked = [i for i in range(len(question.options)) if (i in golds) == right]
    if question.scoring is Scoring.GENERATED:
        picked = picked if question.multiple else picked[:1]
        text = "It depends. Answer: " + ", ".join(f"{'ABCDEFGH'[i]})" for i in picked)
        return score_text(question, Answer(text=text, scoring=Scoring.GENERATED, tokens=20))
    scores = tuple(OptionScore(0.0 if i in picked else -1.0) for i in range(len(question.options)))
    return BENCH.score(question, Answer(scores))


def test_the_benchmark_is_registered_and_fulfils_the_contract() -> None:
    found = registry.load("com2")
    assert isinstance(found, Com2)
    assert "com2" in registry.names()
    assert BENCH.profiles == tuple(found.profile_notes) == ("paper", "parsed")
    assert BENCH.author is None


def test_every_sample_opens_without_a_defect(items: list[Any]) -> None:
    assert list(SAMPLES.errors) == []
    assert list(SAMPLES.repairs) == []
    assert [SAMPLES.find(item.id) for item in items] == list(range(len(SAMPLES)))
    assert len({SAMPLES.entry(i).id for i in range(len(SAMPLES))}) == len(SAMPLES)
    assert len(SAMPLES.content_hash) == 64


def test_every_scenario_of_every_sample_is_asked_with_gold(
    items: list[Any], asked: list[Question]
) -> None:
    finals = [question for question in asked if question.layer == "answer"]
    assert len(finals) == sum(len(item.tasks) for item in items)
    assert all(q.golds if q.multiple else q.gold is not None for q in asked)
    kinds = {question.tags["scenario"] for question in finals}
    assert kinds == {scenario.value for scenario in Scenario}


def test_right_answers_score_everything_and_wrong_ones_nothing(asked: list[Question]) -> None:
    for right in (True, False):
        verdicts = [answered(question, right) for question in asked]
        assert {verdict.status for verdict in verdicts} == {Status.OK}
        summary = BENCH.summarise(verdicts, "paper")
        assert {figure.value for figure in summary.figures} == {float(right)}
        assert {figure.name for figure in summary.figures} == {
            *(f"main {scenario.value}" for scenario in Scenario),
            *(f"hard {name}" for name in ("decision", "intervention", "counterfactual")),
            *("main average", "hard average", "overall", "links", "broken links"),
        }
        assert summary.notes == ()


def test_switches_are_the_scenario_events_and_edits(items: list[Any]) -> None:
    for item in items:
        switches = BENCH.switches(item)
        scenario = switches[0]
        assert isinstance(scenario, Choice)
        assert scenario.cycles
        assert scenario.values == tuple(task.scenario for task in item.tasks)
        states = [switch for switch in switches if isinstance(switch, NodeState)]
        assert [s.key for s in states] == [f"event.{event.id}" for event in item.graph.events]
        assert [s.key for s in switches if isinstance(s, Edits)] == ["edits"]
        assert len({switch.key for switch in switches}) == len(switches)
        thinking = bool(item.tasks and item.tasks[0].thinking)
        assert ("thinking" in {switch.key for switch in switches}) == thinking


def test_a_graph_without_tasks_can_be_looked_at_and_has_nothing_to_ask(items: list[Any]) -> None:
    bare = replace(items[0], tasks=(), case=None)
    assert "scenario" not in {switch.key for switch in BENCH.switches(bare)}
    assert BENCH.view(bare, Setting()).sections
    assert {BENCH.question(bare, Setting(), layer.id) for layer in BENCH.layers} == {None}
    assert len(Com2().contrasts(bare, Setting())) == 1


def test_scenarios_stand_side_by_side(items: list[Any]) -> None:
    for item in items[:5]:
        found = Com2().contrasts(item, Setting())
        assert [name for name, _ in found] == [task.scenario.value for task in item.tasks]
        views = [BENCH.view(item, setting) for _, setting in found]
        assert len({repr(view) for view in views}) == len(views)


def test_a_wrong_value_is_a_typed_error(items: list[Any]) -> None:
    event = items[0].graph.events[0].id
    for wrong in ({"scenario": "why"}, {f"event.{event}": "do=2"}, {"edits": "[1]"}):
        with pytest.raises(SettingError):
            Setting.of(BENCH.switches(items[0]), wrong)


def test_a_file_that_is_no_graph_is_a_typed_error(tmp_path: Path) -> None:
    for name, text in (("a.yaml", "events: 7"), ("b.yaml", "{"), ("c.yaml", "")):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        with pytest.raises(DataError):
            BENCH.open(file)
    with pytest.raises(DataError):
        BENCH.open(tmp_path / "none.yaml")


def test_naming_the_benchmark_imports_no_reader() -> None:
    script = (
        "import sys, core.benchmarks.com2.benchmark as b; b.Com2().samples(); "
        "print(*sorted({'msgspec', 'yaml', 'networkx', 'numpy', 'core.benchmarks.com2.collection', "
        "'core.benchmarks.com2.scoring'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
