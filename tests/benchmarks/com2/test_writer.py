"""A graph saved from the program: what its file is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.collection import open_items
from core.benchmarks.com2.item import Scenario
from core.benchmarks.com2.writer import save
from core.contract.setting import Setting
from core.files.shipped import samples

BENCH = Com2()


def shown(listed: str, scenario: Scenario | None = None) -> str:
    """The name of the file that is saved where this item is listed and a scenario is shown."""
    collection = open_items(samples() / "com2")
    item = collection.item(collection.find(listed))
    values = {} if scenario is None else {"scenario": scenario.value}
    return save(item, Setting.of(BENCH.switches(item), values)).name


@pytest.mark.parametrize("listed", [Scenario.DIRECT, Scenario.INTERVENTION])
@pytest.mark.parametrize("scenario", [Scenario.DIRECT, Scenario.INTERVENTION])
def test_a_file_is_named_after_the_scenario_that_is_shown(
    listed: Scenario, scenario: Scenario
) -> None:
    assert shown(f"harbour-fog:{listed.value}", scenario) == f"harbour-fog-{scenario.value}.yaml"


def test_a_second_file_of_a_name_gets_a_number() -> None:
    assert shown("harbour-fog:direct") == "harbour-fog-direct.yaml"
    assert shown("harbour-fog:intervention", Scenario.DIRECT) == "harbour-fog-direct-2.yaml"


def test_a_saved_graph_is_named_after_its_item(tmp_path: Path) -> None:
    file = tmp_path / "my graph.yaml"
    file.write_text(
        "events:\n  a: {text: It rains}\n  b: {text: The path is wet}\nlinks:\n"
        "  - {from: a, to: b}\n",
        encoding="utf-8",
    )
    item = open_items(file).item(0)
    assert save(item, Setting()).name == "my-graph.yaml"
