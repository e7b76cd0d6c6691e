"""Statements of other items, to be tried in the place of one of an item's own."""

from __future__ import annotations

from collections.abc import Iterator

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.setting import Setting
from core.contract.view import Statements

MOST_ITEMS = 200
"""Items whose statements are tried in the place of another."""


def replacement_sentences(benchmark: Benchmark, collection: Collection) -> Iterator[str]:
    """Statements of a collection's first items that a person may retype.

    Raises `DataError` for an item that cannot be read.
    """
    for index in range(min(len(collection), MOST_ITEMS)):
        for section in benchmark.view(collection.item(index), Setting()).sections:
            if isinstance(section, Statements):
                yield from (
                    statement.text for statement in section.statements if statement.text_switch
                )
