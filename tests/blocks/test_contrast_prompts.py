"""Twins: the same question where something else is so, for every benchmark."""

from __future__ import annotations

from typing import Any

import pytest

from core.blocks.contrast_prompts import contrast_prompts, other_gold, same_text, twin_of
from core.contract import registry
from core.contract.setting import Setting
from core.text.errors import NotFoundError, SettingError


def first(name: str, item_id: str | None = None) -> tuple[Any, Any]:
    bench = registry.load(name)
    collection = registry.open_collection(bench, bench.samples())
    return bench, collection.item(collection.find(item_id) if item_id else 0)


def of(name: str, layer: str, item_id: str | None = None, **values: str) -> tuple[Any, list[Any]]:
    bench, item = first(name, item_id)
    setting = Setting.of(bench.switches(item), {k.replace("__", "."): v for k, v in values.items()})
    question = bench.question(item, setting, layer)
    return question, contrast_prompts(bench, item, setting, question)


def test_a_story_s_twin_is_the_plausible_one() -> None:
    question, found = of("gita", "story_class", "1-C0")
    assert question.gold != found[0].question.gold
    assert found[0].name == "plausible (1)"
    assert dict(found[0].setting) == {"variant": "1"}


def test_a_factual_tree_s_twins_are_the_anti_factual_ones() -> None:
    question, found = of("accord", "answer")
    others = [twin for twin in found if other_gold(twin.question, question)]
    assert len(others) == len(question.options) - 1
    assert found[: len(others)] == others
    assert all(twin.name.startswith("anti-factual") for twin in others)


def test_a_world_s_twin_has_an_event_forced_and_the_other_way_round() -> None:
    question, found = of("com2", "link-1")
    assert found[0].name.startswith("do=0: ")
    assert other_gold(found[0].question, question)
    key, value = found[0].setting.changed[0]
    forced, back = of("com2", "link-1", **{key.replace(".", "__"): value})
    assert forced.text == found[0].question.text
    assert any(not twin.setting and twin.question.text == question.text for twin in back)
    assert any(dict(twin.setting) == {key: "do=1"} for twin in back)


def test_an_instance_s_twin_is_in_another_context() -> None:
    question, found = of("abspyramid", "rung-2")
    assert "context" in found[0].setting
    assert question.about == found[0].question.about == "vehicle"
    assert (question.gold, found[0].question.gold) == (0, 1)


def test_an_event_is_forced_in_the_place_of_another() -> None:
    _, found = of("com2", "link-1")
    key, value = found[0].setting.changed[0]
    forced, others = of("com2", "link-1", **{key.replace(".", "__"): value})
    moved = [twin for twin in others if " in place of " in twin.name]
    assert moved
    for twin in moved:
        ((other, same),) = twin.setting.changed
        assert other != key
        assert same == value
        assert len(twin.question.text.splitlines()) == len(forced.text.splitlines())


def test_another_concept_of_the_same_instance_is_a_twin() -> None:
    question, found = of("abspyramid", "rung-1")
    others = [twin for twin in found if twin.name.startswith("layer=")]
    assert {twin.question.gold for twin in others} == {0, 1}
    for twin in others:
        assert not twin.setting
        assert twin.question.about not in ("", question.about)
        assert twin.name.endswith(f": {twin.question.about}")
        layer = twin.name.removeprefix("layer=").split(":")[0]
        bench, item = first("abspyramid")
        named = twin_of(bench, item, Setting(), question, {"layer": layer})
        assert named.question == twin.question
    with pytest.raises(NotFoundError, match="no task layer “rnug-2”"):
        twin_of(bench, item, Setting(), question, {"layer": "rnug-2"})
    with pytest.raises(SettingError, match="the same is asked"):
        twin_of(bench, item, Setting(), question, {"layer": "rung-1"})


@pytest.mark.parametrize(
    ("name", "layer"), [("gita", "story_class"), ("accord", "answer"), ("abspyramid", "rung-1")]
)
def test_a_twin_differs_in_more_than_wording(name: str, layer: str) -> None:
    question, found = of(name, layer)
    bench, item = first(name)
    assert found
    here = bench.view(item, Setting())
    for twin in found:
        assert twin.question.options == question.options
        assert not same_text(twin.question, question)
        assert bench.view(item, twin.setting) != here or twin.question.about != question.about


def test_a_twin_that_is_named() -> None:
    bench, item = first("gita", "1-C0")
    question = bench.question(item, Setting(), "story_class")
    twin = twin_of(bench, item, Setting(), question, {"variant": "1"})
    assert twin.question.gold == 1
    with pytest.raises(SettingError, match="the same is asked"):
        twin_of(bench, item, Setting(), question, {"variant": "1-C0"})
    with pytest.raises(SettingError, match="no switch"):
        twin_of(bench, item, Setting(), question, {"varaint": "1"})
    conflict = bench.question(item, Setting(), "conflict_detec")
    with pytest.raises(SettingError, match="nothing to ask"):
        twin_of(bench, item, Setting(), conflict, {"variant": "1"})


def test_another_scenario_has_other_options() -> None:
    bench, item = first("com2")
    question = bench.question(item, Setting(), "answer")
    with pytest.raises(SettingError, match="other options"):
        twin_of(bench, item, Setting(), question, {"scenario": "intervention"})
