"""The questions of a run: which items a layer asks, and with which worked examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.benchmark import Benchmark, Collection, Layer, VariedShots
from core.errors import SettingError
from core.question import Question
from core.runs.records import Answered, storable
from core.runs.shots import draw
from core.setting import Setting

Gate = Callable[[Question], bool]
"""Whether a question of a gated layer is asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the place of its item in the collection."""

    position: int
    question: Question


def values_of(words: Iterable[str]) -> dict[str, str]:
    """Read `key=value` words that are meant for every item; raises `SettingError`."""
    values = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise SettingError(f"“{word}” has no “=”.", hint="Write --set key=value.")
        values[key.strip()] = value.strip()
    return values


def settings_of(
    benchmark: Benchmark,
    collection: Collection,
    values: Mapping[str, str],
    limit: int | None = None,
) -> list[Setting]:
    """The setting of each item, or of the first `limit`; raises `SettingError` naming the item."""
    count = len(collection) if limit is None else min(limit, len(collection))
    if not values:
        return [Setting()] * count
    found = []
    for position in range(count):
        item: Any = collection.item(position)
        try:
            found.append(Setting.of(benchmark.switches(item), values))
        except SettingError as error:
            where = f"item {item.id}, {error.where}" if error.where else f"item {item.id}"
            raise SettingError(error.what, where=where, hint=error.hint) from error
    return found


def gate_of(
    benchmark: Benchmark, layer: Layer, answered: Mapping[tuple[str, str], Answered]
) -> Gate | None:
    """What lets a question of a layer through, given what was answered; None for all of them.

    A gated layer is asked only of the items that were right in the layer before.
    """
    number = [known.id for known in benchmark.layers].index(layer.id)
    if not layer.gated or number == 0:
        return None
    before = benchmark.layers[number - 1].id

    def was_right(question: Question) -> bool:
        verdict = answered.get((before, storable(question.item)))
        return verdict is not None and verdict.right is True

    return was_right


def layer_questions(
    benchmark: Benchmark,
    collection: Collection,
    settings: Sequence[Setting],
    layer: Layer,
    gate: Gate | None = None,
) -> list[Asked]:
    """What a layer asks, without worked examples, in collection order."""
    found = []
    for position, setting in enumerate(settings):
        question = benchmark.question(collection.item(position), setting, layer.id)
        if question is not None and (gate is None or gate(question)):
            found.append(Asked(position, question))
    return found


def with_shots(
    benchmark: Benchmark, asked: Sequence[Asked], rule: str, count: int, seed: int
) -> list[Asked]:
    """The questions with worked examples drawn from among themselves.

    `rule` is one of `core.runs.shots.RULES`. Raises `NotFoundError` for another.
    """
    if not count:
        return list(asked)
    traits = benchmark.shot_traits if isinstance(benchmark, VariedShots) else ()
    drawn = draw(rule, [one.question for one in asked], count, seed, traits)
    return [
        replace(one, question=replace(one.question, shots=own))
        for one, own in zip(asked, drawn, strict=True)
    ]
