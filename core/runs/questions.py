"""The questions of a run: which items a layer asks, and with which worked examples.

A question takes a hundred times the memory of its place in the collection, so a layer holds
places, and makes a question when it is wanted.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Question, Scoring, Shot
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer
from core.runs.records import replace_surrogates
from core.runs.shots import draw, draw_across
from core.text.errors import DataError, SettingError

_TURN = 0.02
"""Seconds of reading between two pauses."""
_PAUSE = 0.0005
"""Seconds of a pause: long enough for a waiting thread to wake up."""
_MOST_POOLED = 2_000
"""Items whose questions are kept at once, to draw worked examples for other layers from."""

Gate = Callable[[Question], bool]
"""Whether a question of a gated layer is asked."""


@dataclass(frozen=True, slots=True)
class Examples:
    """How many worked examples stand before a question, and how they are drawn."""

    count: int = 0
    rule: str = ""
    """One of `core.runs.shots.RULES`."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of a question without having it."""

    position: int
    """Of its item in the collection."""
    item: str
    shots: tuple[Shot, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where questions come from: items of a collection under one setting."""

    benchmark: Benchmark
    collection: Collection
    values: Mapping[str, str]
    """What is set on every item."""
    limit: int | None = None
    """Only the first so many items."""

    @property
    def positions(self) -> range:
        """The positions of the items."""
        whole = len(self.collection)
        return range(whole if self.limit is None else min(self.limit, whole))

    def setting(self, item: Item) -> Setting:
        """What an item is set to; raises `SettingError` naming the item."""
        if not self.values:
            return Setting()
        try:
            return Setting.of(self.benchmark.switches(item), self.values)
        except SettingError as error:
            where = f"item {item.id}, {error.where}" if error.where else f"item {item.id}"
            raise SettingError(error.what, where=where, hint=error.hint) from error

    def question(
        self, position: int, layer: TaskLayer, shots: Sequence[Shot] = ()
    ) -> Question | None:
        """What a layer asks of the item at a position."""
        item: Item = self.collection.item(position)
        return self.benchmark.question(item, self.setting(item), layer.id, shots)

    def questions(self, layer: TaskLayer, gate: Gate | None) -> Iterator[tuple[int, Question]]:
        """What a layer asks, with the positions of the items, in collection order."""
        for position in _in_turns(self.positions):
            question = self.question(position, layer)
            if question is not None and (gate is None or gate(question)):
                yield position, question

    def again(self, asked: Asked, layer: TaskLayer) -> Question:
        """The question, with its worked examples; raises `DataError` if it is another now."""
        question = self.question(asked.position, layer, asked.shots)
        if question is None or question.item != asked.item:
            raise DataError(
                f"Item “{asked.item}” is not the same as before.",
                hint="Open the collection again.",
            )
        return question


def _in_turns(positions: Iterable[int]) -> Iterator[int]:
    """The positions, with a pause now and then in which other threads get their turn.

    Reading an item of a file lets go of the interpreter's lock for so short a time that a thread
    that waits for it, such as the one that draws the screen, may go on waiting for a second.
    """
    turn = time.perf_counter() + _TURN
    for position in positions:
        yield position
        if time.perf_counter() > turn:
            time.sleep(_PAUSE)
            turn = time.perf_counter() + _TURN


def canonical(source: Source) -> dict[str, str]:
    """The values of `source` in the words that the switches keep, without what changes nothing.

    A value that means something else for each item, such as the name of a variant, stays as it
    was typed. Raises `SettingError` naming the first item that cannot take it.
    """
    if not source.values:
        return {}
    meant: dict[str, set[str]] = {key: set() for key in source.values}
    changing: set[str] = set()
    for position in _in_turns(source.positions):
        item: Item = source.collection.item(position)
        setting = source.setting(item)
        changing.update(setting)
        for switch in source.benchmark.switches(item):
            if switch.key in meant:
                meant[switch.key].add(setting.value(switch))
    return {
        key: meant[key].pop() if len(meant[key]) == 1 else source.values[key]
        for key in sorted(changing)
    }


def unless_preferred(source: Source, scoring: Scoring | None) -> Scoring | None:
    """The way of reading answers, unless it is the one that every layer's questions prefer.

    The questions of a layer are taken to prefer what its first one does; open ones leave no choice.
    """
    if scoring is None:
        return None
    for layer in source.benchmark.layers:
        first = next((question for _, question in source.questions(layer, None)), None)
        if first is not None and not first.open and first.scoring is not scoring:
            return scoring
    return None


def gate_of(
    benchmark: Benchmark, layer: TaskLayer, answered: Mapping[tuple[str, str], bool | None]
) -> Gate | None:
    """What lets a question of a layer through, given what was answered; None for all of them.

    A gated layer is asked only of the items that were right in the layer before. `answered` is
    as `Store.answered` gives it.
    """
    number = [known.id for known in benchmark.layers].index(layer.id)
    if not layer.gated or number == 0:
        return None
    before = benchmark.layers[number - 1].id
    return lambda question: answered.get((before, replace_surrogates(question.item))) is True


def layer_questions(
    source: Source, layer: TaskLayer, gate: Gate | None = None, examples: Examples | None = None
) -> list[Asked]:
    """What a layer asks, in collection order, with worked examples drawn from among just those.

    A benchmark that shares examples among layers has them drawn from all of those layers.

    Raises `DataError` where two items have one id, and `NotFoundError` for another rule of
    drawing examples than those that there are.
    """
    if examples is not None and examples.count:
        pairs = list(source.questions(layer, gate))
        drawn = _shots(source, layer, [question for _, question in pairs], examples)
        asked = [
            Asked(position, question.item, shots)
            for (position, question), shots in zip(pairs, drawn, strict=True)
        ]
    else:
        asked = [
            Asked(position, question.item) for position, question in source.questions(layer, gate)
        ]
    _check_ids(asked)
    return asked


def _shots(
    source: Source, layer: TaskLayer, questions: Sequence[Question], examples: Examples
) -> list[tuple[Shot, ...]]:
    benchmark, rule, count, seed = source.benchmark, examples.rule, examples.count, examples.seed
    traits = benchmark.shot_traits
    shared = benchmark.shot_layers(layer.id)
    if not shared or not questions:
        return draw(rule, questions, count, seed, traits)
    layers = [each for each in benchmark.layers if each.id in shared]
    positions: Sequence[int] = source.positions
    if len(positions) > _MOST_POOLED:
        positions = sorted(random.Random(seed).sample(positions, _MOST_POOLED))
    pool = [
        question
        for position in _in_turns(positions)
        for each in layers
        if (question := source.question(position, each)) is not None
    ]
    agree, differ = benchmark.shots_agree, benchmark.shots_differ
    return draw_across(
        rule, questions, pool, count, seed, agree=agree, differ=differ, traits=traits
    )


def _check_ids(asked: Sequence[Asked]) -> None:
    seen = set()
    for one in asked:
        name = replace_surrogates(one.item)
        if name in seen:
            raise DataError(
                f"Two items of this collection are called “{one.item}”.",
                hint="Verdicts are told apart by the ids of their items: give each its own.",
            )
        seen.add(name)
