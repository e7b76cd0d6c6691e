"""A setting that only some items can take: the others are skipped and counted."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.collection import Collection
from core.contract.question import Form
from core.runs.common_setting import common_setting
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import SkippedItems
from core.runs.store import Store
from core.runs.summaries import is_complete, summarise
from core.text.errors import DataError, SettingError
from tests.cli.support import ok, run
from tests.runs.models import HashingModel

TOWERS = [
    {"id": "three", "parts": ["cube", "ball", "cube"]},
    {"id": "two", "parts": ["ball", "cube"]},
    {"id": "four", "parts": ["cube", "cube", "cone", "cube"]},
    {"id": "pair", "parts": ["cube", "cone"]},
]
SWAPPED = {"order": "1,0"}
"""Only towers of two parts have such an order."""
SKIPPED = "Skipped: 2 of 4 items, which cannot be asked with order=1,0 or become another one by it."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "towers.json"
    file.write_text(json.dumps(TOWERS))
    return file


def source_of(
    data: Path, setting: Mapping[str, str], limit: int | None = None, name: str = "shapes"
) -> QuestionSource:
    benchmark = registry.load(name)
    return QuestionSource(benchmark, benchmark.open(data), setting, limit)


def evaluated(store: Path, data: Path, setting: Mapping[str, str]) -> str:
    async def work() -> str:
        model, source = HashingModel(), source_of(data, setting)
        with Store(store) as opened:
            plan = plan_for(model, source, data, form=Form.BASE)
            evaluation = Evaluation(opened, plan, model, source)
            async for _ in evaluation.steps():
                pass
            return evaluation.run.id

    return asyncio.run(work())


def test_items_that_cannot_take_it_are_not_asked_and_counted(tmp_path: Path, data: Path) -> None:
    run_id = evaluated(tmp_path / "s", data, SWAPPED)
    with Store(tmp_path / "s") as store:
        recorded = store.run(run_id)
        assert recorded.plan.skipped == SkippedItems(2, 4)
        verdicts = store.verdicts(run_id)
        notes = summarise(store, store.run(run_id)).notes
    assert {verdict.item for verdict in verdicts} == {"two", "pair"}
    assert all(dict(verdict.setting) == SWAPPED for verdict in verdicts)
    assert notes[0] == SKIPPED
    assert is_complete(recorded) is False
    assert evaluated(tmp_path / "s", data, SWAPPED) == run_id


def test_a_limit_counts_skipped_items_too(data: Path) -> None:
    assert common_setting(source_of(data, SWAPPED, 3)).skipped == SkippedItems(2, 3)


def test_a_setting_that_every_item_takes_skips_none(data: Path) -> None:
    common = common_setting(source_of(data, {"glue": "yes", "copies": "1"}))
    assert (common.values, common.skipped) == ({"glue": "on"}, None)


@pytest.fixture
def graphs(tmp_path: Path) -> Path:
    """Items of two graphs, one of which has slow thinking in some of its scenarios."""
    folder = tmp_path / "graphs"
    folder.mkdir()
    for name in ("away-goal", "ring-road"):
        shutil.copy(registry.load("com2").samples() / f"{name}.yaml", folder)
    return folder


def test_a_default_that_some_items_lack_still_says_which_are_asked(graphs: Path) -> None:
    source = source_of(graphs, {"thinking": "no"}, name="com2")
    items = [source.collection.item(position) for position in source.positions]
    thinking = [
        any(switch.key == "thinking" for switch in source.benchmark.switches(item))
        for item in items
    ]
    assert 0 < sum(thinking) < len(items)
    common = common_setting(source)
    assert common.values == {"thinking": "off"}
    assert common.skipped == SkippedItems(thinking.count(False), len(items))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        # The first item has no such switch; that another refuses the value says more.
        ({"thinking": "perhaps"}, "“perhaps” is neither on nor off"),
        ({"thinkin": "on"}, "There is no switch “thinkin” here"),
    ],
)
def test_what_no_item_can_take_is_refused(
    graphs: Path, setting: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        common_setting(source_of(graphs, setting, name="com2"))


def test_where_a_limit_leaves_out_all_that_have_a_switch_that_is_said() -> None:
    words = ("com2", "--set", "thinking=on")
    refused = run("evaluate", *words, "--limit", "3")
    assert refused.code == 2
    assert "None of the first 3 items has the switch “thinking”." in refused.err
    assert "With a higher limit, others are asked too." in refused.err
    # All items were looked at, so that another word was meant.
    typo = run("questions", "com2", "--set", "thinkin=on")
    assert "There is no switch “thinkin” here." in typo.err


def test_of_one_item_a_limit_says_which() -> None:
    refused = run("evaluate", "com2", "--set", "thinking=on", "--limit", "1")
    assert refused.code == 2
    assert "There is no switch “thinking” here." in refused.err


def test_the_command_line_says_how_many_were_skipped(tmp_path: Path, data: Path) -> None:
    store = tmp_path / "s"
    words = ("shapes", "--data", data, "--set", "order=1,0")
    model = f"replay:{evaluated(store, data, SWAPPED)}"
    asked = ok("evaluate", *words, "--model", model, "--store", store, "--json")
    assert SKIPPED in asked.err
    assert asked.json["skipped"] == {"items": 2, "of": 4}
    shown = ok("runs", "show", asked.json["run"], "--store", store)
    assert SKIPPED in shown.out
    printed = ok("questions", *words, "--jsonl")
    assert "Skipped: 2 of 4" in printed.err
    assert {line["item"] for line in printed.lines} == {"two", "pair"}
    refused = run("questions", "shapes", "--data", data, "--set", "order=4,3,2,1,0")
    assert refused.code == 2


def test_items_that_cannot_be_read_are_noted_once_with_the_run(tmp_path: Path) -> None:
    file, store = tmp_path / "towers.json", tmp_path / "runs.sqlite"
    file.write_text(json.dumps(TOWERS))
    unreadable = DataError("No parts\x1b[2J\n" + "x" * 1_000, where="/home/somebody/t.json:7")

    async def work(collection: Collection) -> None:
        source = QuestionSource(registry.load("shapes"), collection)
        for _ in range(2):
            with Store(store) as opened:
                model = HashingModel()
                plan = plan_for(model, source, file, form=Form.BASE)
                async for _progress in Evaluation(opened, plan, model, source).steps():
                    pass

    collection = registry.load("shapes").open(file)
    collection._errors = [unreadable, unreadable]
    asyncio.run(work(collection))
    with Store(store, create=False) as opened:
        (run_,) = opened.runs()
        (note,) = run_.notes
        assert note in summarise(opened, run_).notes
    assert note.startswith("2 items of the file could not be read and were not asked; the first: t")
    assert len(note) < 400
    assert note.isprintable()
    assert "somebody" not in note


@pytest.mark.parametrize(
    ("bench", "values", "own"),
    [
        ("com2", {"scenario": "intervention"}, ":intervention"),
        ("abspyramid", {"component": "event"}, ":event"),
    ],
)
def test_items_that_a_value_turns_into_another_one_are_not_asked_twice(
    bench: str, values: dict[str, str], own: str
) -> None:
    benchmark = registry.load(bench)
    collection = benchmark.open(benchmark.samples())
    source = QuestionSource(benchmark, collection, values)
    asked: dict[str, list[str]] = {layer.id: [] for layer in benchmark.layers}
    items = set()
    for layer in benchmark.layers:
        for position, question in source.questions(layer, None):
            asked[layer.id].append(question.digest())
            items.add(collection.entry(position).id)
    assert sum(map(len, asked.values())) > 100
    assert all(item.endswith(own) for item in items)
    for digests in asked.values():
        assert len(set(digests)) == len(digests)
    unset = QuestionSource(benchmark, collection)
    for position in range(len(collection)):
        if collection.entry(position).id in items:
            for layer in benchmark.layers:
                with_value, without = (
                    source.question(position, layer),
                    unset.question(position, layer),
                )
                assert (with_value and with_value.digest()) == (without and without.digest())
    skipped = common_setting(source).skipped
    assert skipped == SkippedItems(len(collection) - len(items), len(collection))
    assert common_setting(source).values == values


def test_items_that_were_alike_before_are_all_asked(data: Path) -> None:
    data.write_text(json.dumps([*TOWERS, {**TOWERS[1], "id": "twin"}]))
    source = source_of(data, SWAPPED)
    layer = source.benchmark.layers[0]
    asked = [question.item for _position, question in source.questions(layer, None)]
    assert asked == ["two", "pair", "twin"]
    assert common_setting(source).skipped == SkippedItems(2, 5)
