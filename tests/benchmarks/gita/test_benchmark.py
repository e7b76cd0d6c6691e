"""GITA through the contract, as screens and the runner use it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from core.benchmarks.gita.benchmark import Gita
from core.benchmarks.gita.questions import STORY
from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, OptionScore, Status
from core.contract.setting import Setting
from core.text.errors import SettingError

BENCH: Benchmark = Gita()


@pytest.fixture(scope="module")
def items() -> list[Any]:
    collection = BENCH.open(BENCH.samples())
    return [collection.item(i) for i in range(len(collection))]


def test_it_is_found_by_name() -> None:
    benchmark = registry.load("gita")
    assert isinstance(benchmark, Gita)
    assert benchmark.harness_tasks
    assert benchmark.shot_traits
    assert registry.names()[0] == "gita"


def test_the_layers_depend_on_each_other() -> None:
    assert [(layer.id, layer.gated) for layer in BENCH.layers] == [
        ("story_class", False),
        ("conflict_detec", True),
        ("physical_state", True),
    ]
    assert BENCH.profiles[0] == "unified"
    assert set(Gita.harness_tasks.values()) == {layer.id for layer in BENCH.layers}


def test_every_sample_has_its_questions_with_gold(items: list[Any]) -> None:
    assert items
    for item in items:
        asked = [BENCH.question(item, Setting(), layer.id) for layer in BENCH.layers]
        assert asked[0] is not None
        for one in asked[1:]:
            assert (one is None) == item.story.plausible
        assert all(one is None or one.gold is not None for one in asked)


def test_every_switch_can_be_set_and_viewed(items: list[Any]) -> None:
    item = items[1]
    shown = BENCH.view(item, Setting())
    for switch in BENCH.switches(item):
        values = getattr(switch, "values", (switch.default,))
        for value in values:
            setting = Setting.of(BENCH.switches(item), {switch.key: value})
            assert BENCH.view(item, setting).sections
            assert BENCH.question(item, setting, STORY) is not None
    italian = Setting.of(BENCH.switches(item), {"instructions": "in Italian"})
    assert BENCH.view(item, italian) == shown


def test_a_wrong_value_is_a_typed_error(items: list[Any]) -> None:
    with pytest.raises(SettingError):
        Setting.of(BENCH.switches(items[0]), {"instructions": "french"})


def test_ties_go_to_the_first_option(items: list[Any]) -> None:
    one = BENCH.question(items[0], Setting(), STORY)
    assert one is not None
    verdict = BENCH.score(one, Answer((OptionScore(-1.0), OptionScore(-1.0))))
    assert (verdict.answer, verdict.status) == (0, Status.TIE)
    assert verdict.tags == one.tags


def test_a_perfect_model_gets_every_figure(items: list[Any]) -> None:
    verdicts = []
    for layer in BENCH.layers:
        for item in items:
            one = BENCH.question(item, Setting(), layer.id)
            if one is not None:
                scores = tuple(
                    OptionScore(0.0 if i == one.gold else -1.0) for i in range(len(one.options))
                )
                verdicts.append(BENCH.score(one, Answer(scores)))
    for profile in BENCH.profiles:
        summary = BENCH.summarise(verdicts, profile)
        assert {figure.value for figure in summary.figures} == {1.0}


def test_naming_the_benchmark_imports_no_reader() -> None:
    script = (
        "import sys, core.benchmarks.gita.benchmark as b; b.Gita().author.next_step({}); "
        "print(*sorted({'msgspec', 'yaml', 'json', 'core.benchmarks.gita.collection', "
        "'core.benchmarks.gita.story_writer'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
