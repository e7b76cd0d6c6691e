"""What is asked of the bundled questions as a whole."""

from __future__ import annotations

from collections import Counter

import pytest

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.item import AccordItem
from core.files.shipped import samples


@pytest.fixture(scope="module")
def items() -> list[AccordItem]:
    collection = Accord().open(samples() / "accord")
    return [collection.item(index) for index in range(len(collection))]


def test_more_than_a_hundred_questions_are_all_about_something_else(
    items: list[AccordItem],
) -> None:
    concepts = {item.question.concept for item in items}
    assert len(concepts) == len(items) > 100


def test_all_pairings_are_reviewed(items: list[AccordItem]) -> None:
    assert all(pairing.reviewed for item in items for pairing in item.question.pairings)


def test_no_letter_is_right_much_more_often_than_another(items: list[AccordItem]) -> None:
    counts = Counter(item.question.answer for item in items)
    assert len(counts) == 5
    assert max(counts.values()) - min(counts.values()) <= 1
