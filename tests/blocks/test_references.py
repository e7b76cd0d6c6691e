"""The other items that means are taken over."""

from __future__ import annotations

from typing import Any, cast

import pytest

from core.blocks.references import MOST_REFERENCES, reference_questions
from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Question
from core.contract.setting import Setting
from core.text.errors import SettingError


@pytest.mark.parametrize("name", ["gita", "accord", "com2", "abspyramid"])
def test_they_are_other_families_asked_the_same_layer(name: str) -> None:
    benchmark = registry.load(name)
    collection = benchmark.open(benchmark.samples())
    index = next(
        index
        for index in range(len(collection))
        if any(
            question is not None and not question.open
            for question in _questions(benchmark, collection.item(index))
        )
    )
    item = collection.item(index)
    question = next(one for one in _questions(benchmark, item) if one is not None and not one.open)
    entries = {entry.id: entry for entry in map(collection.entry, range(len(collection)))}
    found = reference_questions(benchmark, collection, item, question)
    assert 1 <= len(found) <= MOST_REFERENCES
    assert {one.layer for one in found} == {question.layer}
    assert item.id not in {one.item for one in found}
    group = entries[item.id].group
    if group:
        assert group not in {entries[one.item].group for one in found if one.item in entries}
    assert found == reference_questions(benchmark, collection, item, question)


class Alone:
    """The first item of a collection, by itself."""

    def __init__(self, collection: Collection) -> None:
        self.entry, self.item = collection.entry, collection.item

    def __len__(self) -> int:
        return 1


def test_a_collection_of_one_item_has_none() -> None:
    benchmark = registry.load("gita")
    collection = benchmark.open(benchmark.samples())
    item = collection.item(0)
    question = next(one for one in _questions(benchmark, item) if one is not None)
    with pytest.raises(SettingError, match="nothing to take a mean over"):
        reference_questions(benchmark, cast("Any", Alone(collection)), item, question)


def _questions(benchmark: Benchmark, item: Item) -> list[Question | None]:
    return [benchmark.question(item, Setting(), layer.id) for layer in benchmark.layers]
