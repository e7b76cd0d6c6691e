"""Prompts of other items: what means are taken over, and what a random control copies."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import islice

from core.blocks.alignment import Aligner
from core.blocks.contrast_prompts import contrast_prompts
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Question
from core.contract.setting import Setting
from core.text.errors import SettingError
from core.text.language import _

MOST_REFERENCES = 16
"""Most other prompts; each is run once."""
MOST_CONTROLS = 200
"""Items whose contrast prompts are tried for a random control."""
_MOST_TRIED = 200
"""Most items that are looked at for them."""


def reference_questions(
    benchmark: Benchmark, collection: Collection, item: Item, question: Question
) -> list[Question]:
    """The same task layer's questions about other items, as these are by themselves.

    Drawn at random without replacement, for an item always the same; items of its own family are
    left out. At most `MOST_REFERENCES`. Raises `SettingError` where there are none, `DataError`.
    """
    questions = list(islice(_others(benchmark, collection, item, question), MOST_REFERENCES))
    if not questions:
        raise SettingError(
            _(
                "No other item of this collection is asked {layer}, so there is nothing to take a "
                "mean over.",
                layer=question.layer,
            )
        )
    return questions


def references_sentence(count: int, replaced: int, tokens: int) -> str:
    """What mean and resample took, for a result that they are part of."""
    return _(
        "From {count} prompts of other items, drawn at random: their mean, or to resample the "
        "first. Tokens are counted from the end: {replaced} of {tokens} were replaced. What all "
        "these prompts begin with is the same in all.",
        count=count,
        replaced=replaced,
        tokens=tokens,
    )


def control_questions(
    benchmark: Benchmark, collection: Collection, item: Item, question: Question
) -> Iterator[Question]:
    """The contrast prompts of other items, in a random order that is an item's own.

    Those of `MOST_CONTROLS` items at most. Raises `DataError`.
    """
    for other in islice(_others(benchmark, collection, item, question), MOST_CONTROLS):
        its_item = collection.item(collection.find(other.item))
        for contrast in contrast_prompts(benchmark, its_item, Setting(), other):
            yield contrast.question


async def control_question(
    aligner: Aligner, questions: Iterable[Question], tokens: int
) -> Question:
    """The first of some questions with as many tokens as a prompt.

    Raises `SettingError` where there is none, `ModelError`.
    """
    tried = 0
    for question in questions:
        tried += 1
        if await aligner.length(question) == tokens:
            return question
    raise SettingError(
        _(
            "No contrast prompt of another item has as many tokens as this one ({tried} tried), so "
            "there is no random control.",
            tried=tried,
        )
    )


def _others(
    benchmark: Benchmark, collection: Collection, item: Item, question: Question
) -> Iterator[Question]:
    """The same layer's questions about items of other families, in the item's own random order."""
    indices = list(range(len(collection)))
    group = next(
        (entry.group for entry in map(collection.entry, indices) if entry.id == item.id), ""
    )
    random.Random(item.id).shuffle(indices)
    for index in indices[:_MOST_TRIED]:
        entry = collection.entry(index)
        if entry.id == item.id or (group and entry.group == group):
            continue
        other = benchmark.question(collection.item(index), Setting(), question.layer)
        if other is not None and not other.open:
            yield other
