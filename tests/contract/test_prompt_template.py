"""The wording of a question apart from its item's texts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract import registry
from core.contract.prompt_template import PromptTemplate
from core.contract.question import Shot
from core.contract.setting import Setting

TEXTS = st.text(alphabet="{}abc \n", max_size=12)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("gita", {}),
        ("gita", {"instructions": "italian"}),
        ("accord", {}),
        ("accord", {"reply": "json"}),
        ("com2", {}),
        ("com2", {"thinking": "on"}),
        ("abspyramid", {}),
        ("abspyramid", {"prompt": "nli-cot"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("shots", [(), (Shot("a", "b"),)], ids=["zero-shot", "one-shot"])
def test_every_prompt_is_its_template_filled(
    name: str, values: Mapping[str, str], shots: tuple[Shot, ...]
) -> None:
    benchmark = registry.load(name)
    collection = benchmark.open(benchmark.samples())
    asked = 0
    for position in range(0, len(collection), max(1, len(collection) // 4)):
        item = collection.item(position)
        keys = {switch.key for switch in benchmark.switches(item)}
        known = {key: value for key, value in values.items() if key in keys}
        setting = Setting.of(benchmark.switches(item), known)
        for layer in benchmark.layers:
            question = benchmark.question(item, setting, layer.id, shots)
            if question is None:
                continue
            template = question.template
            assert template is not None
            assert template.fill(question.parts) == question.text
            assert set(template.placeholders) <= set(question.parts)
            assert template.instruction.strip() == question.instruction.strip()
            asked += 1
    assert asked >= 4


@given(TEXTS, TEXTS)
def test_braces_in_the_texts_of_an_item_stay_as_they_are(first: str, second: str) -> None:
    template = PromptTemplate("", "{b}: {a} {b}")
    parts = {"a": first + "{b}", "b": second + "{a}"}
    assert template.fill(parts) == f"{second}{{a}}: {first}{{b}} {second}{{a}}"


def test_placeholders_are_named_once_in_order() -> None:
    text = '{b} {a} {b} {} {A} {"answer": 1}'
    assert PromptTemplate("{c}", text).placeholders == ("b", "a")
