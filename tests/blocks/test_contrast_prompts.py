"""Contrast prompts: the same question where something else is so, for every benchmark."""

from __future__ import annotations

from typing import Any

import pytest

from core.blocks.contrast_prompts import (
    contrast_prompts,
    named_contrast_prompt,
    other_gold,
    same_text,
)
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


def test_a_story_s_contrast_prompt_is_the_plausible_one() -> None:
    question, found = of("gita", "story_class", "1-C0")
    assert question.gold != found[0].question.gold
    assert found[0].name == "plausible (1)"
    assert dict(found[0].setting) == {"variant": "1"}


def test_a_factual_tree_s_contrast_prompts_are_the_anti_factual_ones() -> None:
    question, found = of("accord", "answer")
    others = [contrast for contrast in found if other_gold(contrast.question, question)]
    assert len(others) == len(question.options) - 1
    assert found[: len(others)] == others
    assert all(contrast.name.startswith("anti-factual") for contrast in others)


def test_a_world_s_contrast_prompt_has_an_event_forced_and_the_other_way_round() -> None:
    question, found = of("com2", "link-1")
    assert found[0].name.startswith("do=0: ")
    assert other_gold(found[0].question, question)
    key, value = found[0].setting.changed[0]
    forced, back = of("com2", "link-1", **{key.replace(".", "__"): value})
    assert forced.text == found[0].question.text
    assert any(
        not contrast.setting and contrast.question.text == question.text for contrast in back
    )
    assert any(dict(contrast.setting) == {key: "do=1"} for contrast in back)


def test_an_instance_s_contrast_prompt_is_in_another_context() -> None:
    question, found = of("abspyramid", "rung-2")
    assert "context" in found[0].setting
    assert question.about == found[0].question.about == "vehicle"
    assert (question.gold, found[0].question.gold) == (0, 1)


def test_an_event_is_forced_in_the_place_of_another() -> None:
    _, found = of("com2", "link-1")
    key, value = found[0].setting.changed[0]
    forced, others = of("com2", "link-1", **{key.replace(".", "__"): value})
    moved = [contrast for contrast in others if " in place of " in contrast.name]
    assert moved
    for contrast in moved:
        ((other, same),) = contrast.setting.changed
        assert other != key
        assert same == value
        assert len(contrast.question.text.splitlines()) == len(forced.text.splitlines())


def test_another_concept_of_the_same_instance_is_a_contrast_prompt() -> None:
    question, found = of("abspyramid", "rung-1")
    others = [contrast for contrast in found if contrast.name.startswith("layer=")]
    assert {contrast.question.gold for contrast in others} == {0, 1}
    for contrast in others:
        assert not contrast.setting
        assert contrast.question.about not in ("", question.about)
        assert contrast.name.endswith(f": {contrast.question.about}")
        layer = contrast.name.removeprefix("layer=").split(":")[0]
        bench, item = first("abspyramid")
        named = named_contrast_prompt(bench, item, Setting(), question, {"layer": layer})
        assert named.question == contrast.question
    with pytest.raises(NotFoundError, match="no task layer “rnug-2”"):
        named_contrast_prompt(bench, item, Setting(), question, {"layer": "rnug-2"})
    with pytest.raises(SettingError, match="the same is asked"):
        named_contrast_prompt(bench, item, Setting(), question, {"layer": "rung-1"})


@pytest.mark.parametrize(
    ("name", "layer"), [("gita", "story_class"), ("accord", "answer"), ("abspyramid", "rung-1")]
)
def test_a_contrast_prompt_differs_in_more_than_wording(name: str, layer: str) -> None:
    question, found = of(name, layer)
    bench, item = first(name)
    assert found
    here = bench.view(item, Setting())
    for contrast in found:
        assert contrast.question.options == question.options
        assert not same_text(contrast.question, question)
        assert (
            bench.view(item, contrast.setting) != here or contrast.question.about != question.about
        )


def test_a_contrast_prompt_that_is_named() -> None:
    bench, item = first("gita", "1-C0")
    question = bench.question(item, Setting(), "story_class")
    contrast = named_contrast_prompt(bench, item, Setting(), question, {"variant": "1"})
    assert contrast.question.gold == 1
    with pytest.raises(SettingError, match="the same is asked"):
        named_contrast_prompt(bench, item, Setting(), question, {"variant": "1-C0"})
    with pytest.raises(SettingError, match="no switch"):
        named_contrast_prompt(bench, item, Setting(), question, {"varaint": "1"})
    conflict = bench.question(item, Setting(), "conflict_detec")
    with pytest.raises(SettingError, match="nothing to ask"):
        named_contrast_prompt(bench, item, Setting(), conflict, {"variant": "1"})


def test_another_scenario_has_other_options() -> None:
    bench, item = first("com2")
    question = bench.question(item, Setting(), "answer")
    with pytest.raises(SettingError, match="other options"):
        named_contrast_prompt(bench, item, Setting(), question, {"scenario": "intervention"})
