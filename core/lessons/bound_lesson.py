"""A lesson on its collection: every step's item, setting, place and claims, found or refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Form, Verdict
from core.contract.setting import Setting
from core.lessons.evidence import Evidence, OnEvent
from core.lessons.lesson import MOST_OPTIONS, Lesson, Pointing, Step
from core.models.protocol import Model
from core.text.errors import CommonsenseError, DataError, NotFoundError, SettingError


@dataclass(frozen=True, slots=True)
class BoundStep:
    """Where a step stands: an item of the collection under a setting."""

    position: int
    item: Item
    setting: Setting


@dataclass(frozen=True, slots=True)
class BoundLesson:
    """A lesson with the collection that it walks over."""

    lesson: Lesson
    benchmark: Benchmark
    path: Path
    collection: Collection

    def bind_step(self, step: Step, position: int | None = None) -> BoundStep:
        """Where a step stands, or would stand on the item at another position.

        Raises `DataError` with the line at which the lesson names what is not there.
        """
        where = str(self.lesson.path)
        try:
            found = self.collection.find(step.item) if position is None else position
        except NotFoundError as error:
            raise _at(where, step.item_line, error) from error
        item = self.collection.item(found)
        switches = self.benchmark.switches(item)
        for key, value in step.setting.items():
            try:
                Setting.of(switches, {key: value})
            except SettingError as error:
                raise _at(where, step.setting_lines[key], error) from error
        setting = Setting.of(switches, step.setting)
        try:
            self.benchmark.view(item, setting)
        except SettingError as error:
            raise _at(where, step.line, error) from error
        return BoundStep(found, item, setting)

    def evidence(
        self,
        bound_step: BoundStep,
        model: Model | None = None,
        form: Form | None = None,
        known: Sequence[Verdict] = (),
        on_event: OnEvent | None = None,
    ) -> Evidence:
        """What claims about a step are computed from."""
        return Evidence(
            self.benchmark,
            self.collection,
            bound_step.item,
            bound_step.setting,
            model,
            form=form,
            known=known,
            on_event=on_event,
        )

    def check(self, step: Step, position: int | None = None) -> BoundStep:
        """Where a step stands, once everything it speaks of is found there.

        Raises `DataError` with the line of what is not.
        """
        bound_step = self.bind_step(step, position)
        evidence = self.evidence(bound_step)
        where = str(self.lesson.path)
        for point in step.points:
            try:
                if point.kind is Pointing.STATEMENT:
                    evidence.statement(point.ref)
                elif point.kind is Pointing.NODE:
                    evidence.node(point.ref)
                else:
                    evidence.question(point.ref)
            except NotFoundError as error:
                raise _at(where, point.line, error) from error
        if step.prediction is not None and step.prediction.layer:
            try:
                options = evidence.question(step.prediction.layer).options
            except NotFoundError as error:
                raise _at(where, step.prediction.line, error) from error
            if len(options) > MOST_OPTIONS:
                raise DataError(
                    f"Layer {step.prediction.layer} has {len(options)} options; hands are counted "
                    f"for {MOST_OPTIONS} at most.",
                    where=f"{where}:{step.prediction.line}",
                    hint="Name options of your own: right, and wrong.",
                )
        for claim in step.claims:
            try:
                claim.check(evidence)
            except (NotFoundError, SettingError) as error:
                raise _at(where, claim.line, error) from error
        return bound_step

    def scenes(self) -> Iterator[tuple[Step, ...]]:
        """The steps on one item after the other: what must be true of an item put in its place."""
        for _, steps in groupby(self.lesson.steps, lambda step: step.item_line):
            yield tuple(steps)


def bind(lesson: Lesson, data: Path | None = None) -> BoundLesson:
    """The lesson on its benchmark's bundled collection, or on the one at `data`.

    Raises `DataError` with file and line for whatever the lesson names and there is not.
    """
    try:
        benchmark = registry.load(lesson.benchmark)
    except NotFoundError as error:
        raise _at(str(lesson.path), lesson.line, error) from error
    path = data or benchmark.samples()
    found = BoundLesson(lesson, benchmark, path, registry.open_collection(benchmark, path))
    for step in lesson.steps:
        found.check(step)
    return found


def _at(path: str, line: int, error: CommonsenseError) -> DataError:
    what = f"{error.what} ({error.where})" if error.where else error.what
    return DataError(what, where=f"{path}:{line}", hint=error.hint)
