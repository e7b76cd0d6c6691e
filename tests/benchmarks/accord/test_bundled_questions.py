"""What is asked of the bundled questions as a whole."""

from __future__ import annotations

from collections import Counter

import msgspec
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


def test_the_file_says_of_every_pairing_that_it_is_reviewed(items: list[AccordItem]) -> None:
    """A file that says nothing counts as reviewed, so that alone would prove little."""
    raw = msgspec.yaml.decode((samples() / "accord" / "questions.yaml").read_bytes())
    pairings = [pairing for question in raw["questions"] for pairing in question["pairings"]]
    assert [pairing.get("reviewed") for pairing in pairings] == [True] * len(pairings)
    assert sum(len(item.question.pairings) for item in items) == len(pairings)


def test_the_collection_says_who_reviewed_it() -> None:
    about = Accord().open(samples() / "accord").about
    assert "no outside annotator" in about.note
    assert "nessun annotatore esterno" in dict(about.translations)["it"].note


def test_no_letter_is_right_much_more_often_than_another(items: list[AccordItem]) -> None:
    counts = Counter(item.question.answer for item in items)
    assert len(counts) == 5
    assert max(counts.values()) - min(counts.values()) <= 1
