"""Every benchmark says which parts of its prompts have which role."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.contract import registry
from core.contract.prompt_parts import PromptPart, placeholder_parts
from core.contract.prompt_template import PromptTemplate
from core.contract.question import Question
from core.contract.setting import Setting

FEW = 12
"""Items of each bundled collection whose prompts are looked at."""


def parts_of(name: str, item_id: str, layer: str, **values: str) -> list[tuple[str, str]]:
    """The roles and texts of a prompt's parts."""
    benchmark = registry.load(name)
    collection = benchmark.open(benchmark.samples())
    item = collection.item(collection.find(item_id))
    setting = Setting.of(benchmark.switches(item), values)
    question = benchmark.question(item, setting, layer)
    assert question is not None
    parts = benchmark.prompt_parts(item, setting, question)
    return [(part.role, question.text[part.start : part.stop].strip()) for part in parts]


@pytest.mark.parametrize("name", ["gita", "accord", "com2", "abspyramid"])
def test_parts_are_in_the_text_in_order_and_do_not_overlap(name: str) -> None:
    benchmark = registry.load(name)
    collection = benchmark.open(benchmark.samples())
    asked = 0
    for index in range(0, len(collection), max(1, len(collection) // FEW)):
        item = collection.item(index)
        for layer in benchmark.layers:
            question = benchmark.question(item, Setting(), layer.id)
            if question is None:
                continue
            asked += 1
            parts = benchmark.prompt_parts(item, Setting(), question)
            assert parts
            for part in parts:
                assert 0 <= part.start < part.stop <= len(question.text)
                assert question.text[part.start : part.stop].strip()
            assert all(one.stop <= other.start for one, other in pairwise(parts))
    assert asked >= FEW


def test_an_implausible_story_has_a_conflict_and_a_breakpoint() -> None:
    roles = [role for role, _ in parts_of("gita", "0-O0", "story_class")]
    assert sorted(roles) == ["breakpoint", "conflict", *["other sentence"] * 3]
    (conflict,) = (
        text for role, text in parts_of("gita", "0-O0", "conflict_detec") if role == "conflict"
    )
    assert conflict == "0. Le batterie della torcia di Irene si sono scaricate."
    assert {role for role, _ in parts_of("gita", "0", "story_class")} == {"other sentence"}


def test_statements_of_a_tree_are_named_by_the_hop_of_the_implied_answer() -> None:
    parts = parts_of("accord", "kettle", "hop-2")
    assert ("hop 1", "- Suppose that [kettle] appears near [park]") in parts
    assert ("hop 2", "- Suppose that [park] is a part of [kitchen]") in parts
    assert [role for role, _ in parts].count("another option's hop 1") == 4
    whole = [role for role, _ in parts_of("accord", "kettle", "answer")]
    assert whole.count("distractor") == 5
    assert whole[-3:] == ["question", "options", "answer line"]


def test_an_intervention_is_a_part_of_its_own_before_cause_and_effect() -> None:
    parts = parts_of("com2", "away-goal:intervention", "broken")
    assert [role for role, _ in parts] == ["intervened event", "cause", "effect"]
    assert parts[0][1].startswith("Somebody makes sure that this happens: A thunderstorm")


def test_a_concept_and_its_instance_are_parts_beside_the_head() -> None:
    item = "personx-sprints-across-the-square-as-the-e408:noun-coach"
    parts = dict(parts_of("abspyramid", item, "rung-1"))
    assert (parts["concept"], parts["instance"]) == ("bus", "coach")
    assert parts["head"].startswith("PersonX sprints")


def test_the_texts_of_any_wording_are_parts() -> None:
    template = PromptTemplate("", "Is {the_thing} like {other}? {other}!")
    values = {"the_thing": "a {other}", "other": "b"}
    question = Question(
        "1", "l", "", template.fill(values), ("yes",), 0, template=template, parts=values
    )
    parts = placeholder_parts(question)
    assert parts == [
        PromptPart(3, 12, "the thing"),
        PromptPart(18, 19, "other"),
        PromptPart(21, 22, "other"),
    ]
    assert [question.text[part.start : part.stop] for part in parts] == ["a {other}", "b", "b"]
    assert placeholder_parts(Question("1", "l", "", "Is it?", ("yes",), 0)) == []
