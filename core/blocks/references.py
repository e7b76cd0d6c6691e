"""The other prompts that mean and resample ablation take activations from."""

from __future__ import annotations

import random

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Question
from core.contract.setting import Setting
from core.text.errors import SettingError
from core.text.language import _

MOST_REFERENCES = 16
"""Most other prompts; each is run once."""
_MOST_TRIED = 200
"""Most items that are looked at for them."""


def reference_questions(
    benchmark: Benchmark, collection: Collection, item: Item, question: Question
) -> list[Question]:
    """The same task layer's questions about other items, as these are by themselves.

    Drawn at random without replacement, for an item always the same; items of its own family are
    left out. At most `MOST_REFERENCES`. Raises `SettingError` where there are none, `DataError`.
    """
    indices = list(range(len(collection)))
    group = next(
        (entry.group for entry in map(collection.entry, indices) if entry.id == item.id), ""
    )
    random.Random(item.id).shuffle(indices)
    found: list[Question] = []
    for index in indices[:_MOST_TRIED]:
        entry = collection.entry(index)
        if entry.id == item.id or (group and entry.group == group):
            continue
        other = benchmark.question(collection.item(index), Setting(), question.layer)
        if other is not None and not other.open:
            found.append(other)
        if len(found) == MOST_REFERENCES:
            break
    if not found:
        raise SettingError(
            _(
                "No other item of this collection is asked {layer}, so there is nothing to take a "
                "mean over.",
                layer=question.layer,
            )
        )
    return found


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
