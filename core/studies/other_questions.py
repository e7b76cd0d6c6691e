"""Closed questions that a direction was not learned from: other task layers, other benchmarks.

Of every other installed benchmark the collection that ships with it is taken, at its defaults, and
of that the layer that studies take by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.runs.questions import QuestionSource
from core.studies.state_capture import MOST_LOOKED_AT
from core.studies.subject import Case, Subject, task_layer
from core.text.errors import CommonsenseError, SettingError
from core.text.language import N_

MOST_QUESTIONS = 40
"""Most questions of a task layer; where there are more, so many are drawn."""
NO_CLOSED = N_("no closed question with one right answer")


@dataclass(frozen=True, slots=True)
class OtherQuestion:
    """A question that a direction was not learned from."""

    case: Case
    owner: str
    """The item of the study's own collection whose shard asks it."""
    half: int | None
    """The half that its item is in; None for one of another benchmark, which is in neither."""


@dataclass(frozen=True, slots=True)
class OtherQuestions:
    """Questions of one task layer."""

    benchmark: str
    layer: str
    content: str
    """The hash of their collection."""
    questions: tuple[OtherQuestion, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A task layer or a benchmark that is left out."""

    name: str
    reason: str


def of_other_layers(
    subject: Subject, cases: Sequence[Case], halves: Iterable[int], seed: int
) -> list[OtherQuestions | LeftOut]:
    """The questions about the items of `cases`, of every layer that no case is of.

    `halves` has the half of each case.
    """
    asked = {case.question.layer for case in cases}
    half = {case.item.id: number for case, number in zip(cases, halves, strict=True)}
    found: list[OtherQuestions | LeftOut] = []
    for layer in subject.benchmark.layers:
        if layer.id in asked:
            continue
        about = replace(subject, layer=layer)
        drawn = _drawn([case for case in about.cases() if case.item.id in half], seed)
        questions = [OtherQuestion(case, case.item.id, half[case.item.id]) for case in drawn]
        found.append(_found(about, questions))
    return found


def of_other_benchmarks(
    subject: Subject, cases: Sequence[Case], seed: int
) -> list[OtherQuestions | LeftOut]:
    """The questions of every other installed benchmark; shards share them out as they do `cases`.

    A benchmark that cannot be used, or has no such question, is left out with the reason.
    """
    usable, broken = registry.loaded()
    found: list[OtherQuestions | LeftOut] = []
    for benchmark in usable:
        if benchmark.name == subject.benchmark.name:
            continue
        try:
            about = _about(subject, benchmark)
            drawn = _drawn(about.cases(), seed)
        except SettingError:
            # `task_layer` found none with options.
            found.append(LeftOut(benchmark.name, NO_CLOSED))
        except CommonsenseError as error:
            found.append(LeftOut(benchmark.name, error.what))
        else:
            owners = [cases[number % len(cases)].item.id for number in range(len(drawn))]
            questions = [
                OtherQuestion(case, owner, None) for case, owner in zip(drawn, owners, strict=True)
            ]
            found.append(_found(about, questions))
    return [*found, *(LeftOut(error.where, error.what) for error in broken)]


def _about(subject: Subject, benchmark: Benchmark) -> Subject:
    """The same model, with the first layer of another benchmark that has options to choose among.

    Raises `SettingError` where there is none, and what opening its collection raises.
    """
    path = benchmark.samples()
    collection = registry.open_collection(benchmark, path)
    source = QuestionSource(benchmark, collection, limit=MOST_LOOKED_AT)
    return replace(subject, source=source, path=path, layer=task_layer(source, None))


def _drawn(cases: Sequence[Case], seed: int) -> list[Case]:
    """Up to `MOST_QUESTIONS` of the cases, in their order."""
    drawn = np.random.default_rng(seed).permutation(len(cases))[:MOST_QUESTIONS]
    return [cases[number] for number in np.sort(drawn)]


def _found(about: Subject, questions: Sequence[OtherQuestion]) -> OtherQuestions | LeftOut:
    benchmark, layer = about.benchmark.name, about.layer.id
    if not questions:
        return LeftOut(f"{benchmark} · {layer}", NO_CLOSED)
    content = about.source.collection.content_hash
    return OtherQuestions(benchmark, layer, content, tuple(questions))
