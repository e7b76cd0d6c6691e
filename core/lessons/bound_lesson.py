"""A lesson bound to a collection: the item and the setting of each step, looked up and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
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
from core.text.errors import DataError, NotFoundError, SettingError


@dataclass(frozen=True, slots=True)
class BoundStep:
    """The item of a step and its setting."""

    position: int
    item: Item
    setting: Setting


@dataclass(frozen=True, slots=True)
class BoundLesson:
    """A lesson with the collection that its items are from."""

    lesson: Lesson
    benchmark: Benchmark
    path: Path
    collection: Collection

    def bind_step(self, step: Step, position: int | None = None) -> BoundStep:
        """The item and the setting of a step, or the setting on the item at another position.

        Raises `DataError` with the line at which the lesson names something that does not exist.
        """
        if position is None:
            with self._at(step.item_line):
                position = self.collection.find(step.item)
        item = self.collection.item(position)
        switches = self.benchmark.switches(item)
        for key, value in step.setting.items():
            with self._at(step.setting_lines[key]):
                Setting.of(switches, {key: value})
        setting = Setting.of(switches, step.setting)
        with self._at(step.line):
            self.benchmark.view(item, setting)
        return BoundStep(position, item, setting)

    def evidence(
        self,
        bound_step: BoundStep,
        model: Model | None = None,
        form: Form | None = None,
        known: Sequence[Verdict] = (),
        on_event: OnEvent | None = None,
        others: dict[tuple[int, Setting], Evidence] | None = None,
    ) -> Evidence:
        """The evidence against which the claims of a step are checked; see `Evidence`."""
        return Evidence(
            self.benchmark,
            self.collection,
            bound_step.item,
            bound_step.setting,
            model,
            form=form,
            known=known,
            on_event=on_event,
            others=others,
        )

    def check(self, step: Step, position: int | None = None) -> BoundStep:
        """Bind a step and check that all it names exists.

        Raises `DataError` with the line at which the lesson names something that does not exist.
        """
        bound_step = self.bind_step(step, position)
        evidence = self.evidence(bound_step)
        for point in step.points:
            with self._at(point.line):
                if point.kind is Pointing.STATEMENT:
                    evidence.statement(point.ref)
                elif point.kind is Pointing.NODE:
                    evidence.node(point.ref)
                else:
                    evidence.question(point.ref)
        if step.prediction is not None and step.prediction.layer:
            with self._at(step.prediction.line):
                options = evidence.question(step.prediction.layer).options
                if len(options) > MOST_OPTIONS:
                    raise SettingError(
                        f"Layer {step.prediction.layer} has {len(options)} options; hands are "
                        f"counted for {MOST_OPTIONS} at most.",
                        hint="Name options of your own: right, and wrong.",
                    )
        for claim in step.claims:
            with self._at(claim.line):
                claim.validate(evidence)
        return bound_step

    def scenes(self) -> Iterator[tuple[Step, ...]]:
        """Consecutive steps on the same item; another item has to replace it in all of them."""
        for _, steps in groupby(self.lesson.steps, lambda step: step.item_line):
            yield tuple(steps)

    def _at(self, line: int) -> AbstractContextManager[None]:
        return _line_named(self.lesson, line)


def bind(lesson: Lesson, data: Path | None = None) -> BoundLesson:
    """Bind a lesson to its benchmark's bundled collection, or to the one at `data`.

    Raises `DataError` with file and line where the lesson names something that does not exist.
    """
    with _line_named(lesson, lesson.line):
        benchmark = registry.load(lesson.benchmark)
    path = data or benchmark.samples()
    bound_lesson = BoundLesson(lesson, benchmark, path, registry.open_collection(benchmark, path))
    for step in lesson.steps:
        bound_lesson.check(step)
    return bound_lesson


@contextmanager
def _line_named(lesson: Lesson, line: int) -> Iterator[None]:
    """Raise what is not found, or cannot be set, as `DataError` at a line of the lesson."""
    try:
        yield
    except (NotFoundError, SettingError) as error:
        what = f"{error.what} ({error.where})" if error.where else error.what
        raise DataError(what, where=f"{lesson.path}:{line}", hint=error.hint) from error
