"""Divides the questions of a run among machines, and finds those that nobody has answered yet.

A shard is a run with the plan of the whole that asks only its share, so every prompt, with its
worked examples, and every position is that of the whole. `core.runs.merging` puts them together.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from core.runs.questions import QuestionSource, gate_of
from core.runs.records import Plan, replace_surrogates
from core.runs.store import Store
from core.text.errors import RunError, SettingError

_TEXT = re.compile(r"(\d{1,6})/(\d{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts of a collection that share no item and together hold all."""

    number: int
    """From 1 to `of`."""
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """The shard of a text such as “2/8”; raises `SettingError`."""
        match = _TEXT.fullmatch(text)
        shard = cls(int(match[1]), int(match[2])) if match else None
        if shard is None or not 1 <= shard.number <= shard.of:
            raise SettingError(
                f"“{text}” names no shard.",
                where="--shard",
                hint="Write I/N, with I from 1 to N: 2/8 is the second of eight.",
            )
        return shard

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def positions(self, count: int) -> frozenset[int]:
        """Which of so many items it has, always the same; sizes of shards differ by at most one.

        They are drawn, because collections repeat kinds of items at regular distances.
        """
        drawn = random.Random(count).sample(range(count), count)
        return frozenset(drawn[self.number - 1 :: self.of])


def missing_questions(
    source: QuestionSource,
    answered: Mapping[tuple[str, str], bool | None],
    chosen: Collection[int] = (),
) -> dict[str, int | None]:
    """How many questions of each layer have no answer, by the id of the layer.

    It is None for a gated layer while answers of the layer before are missing. `answered` is what
    `Store.answered` returns. Where there are positions in `chosen`, only their items are asked
    about. Every question is built, which takes seconds on a large collection.
    """
    missing: dict[str, int | None] = {}
    layers = source.benchmark.layers
    for number, layer in source.layers:
        if layer.gated and number and missing[layers[number - 1].id] != 0:
            missing[layer.id] = None
            continue
        gate = gate_of(source.benchmark, layer, answered)
        missing[layer.id] = sum(
            (layer.id, replace_surrogates(question.item)) not in answered
            for _, question in source.questions(layer, gate, chosen or None)
        )
    return missing


def answers_of_all_shards(
    path: Path, plan: Plan, source: QuestionSource
) -> dict[tuple[str, str], bool | None]:
    """What `Store.answered` returns of the run of a plan in the store at `path`.

    Raises `RunError` where there is no such run, and where it lacks answers of the layer before
    the first gated one.
    """
    with Store(path, create=False) as store:
        run = store.latest(plan)
        answered = {} if run is None else store.answered(run.id)
    if run is None:
        raise RunError(
            "This store has no run of the same model, items and options.",
            where=path,
            hint="Merge the shards that were asked so far into it, with `runs merge`.",
        )
    missing = missing_questions(source, answered, plan.chosen)
    for number, layer in source.layers:
        if missing[layer.id] is None:
            before = source.benchmark.layers[number - 1]
            raise RunError(
                f"{missing[before.id]} answers of layer {before.id} are missing in run {run.id}, "
                f"so nobody knows what layer {layer.id} asks.",
                where=path,
                hint=f"Merge the shards again when all of them have asked layer {before.id}.",
            )
        if layer.gated:
            break
    return answered
