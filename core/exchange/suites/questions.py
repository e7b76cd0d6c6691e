"""The questions of a suite: those that a run of the same collection would ask without its gates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from core.contract.benchmark import Benchmark
from core.contract.question import Form, Question, Scoring
from core.contract.task_layer import TaskLayer
from core.exchange.suites.document import MARK, VERSION
from core.runs.common_setting import common_setting
from core.runs.questions import Examples, QuestionSource, layer_questions


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """What a suite asks and how."""

    source: QuestionSource
    form: Form
    scoring: Scoring
    """How answers are read, but those to open questions, which are always generated."""
    examples: Examples

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark."""
        return self.source.benchmark

    def layers(self) -> Iterator[tuple[TaskLayer, Iterator[Question]]]:
        """Each layer with all of its questions; an engine knows no gates."""
        for _, layer in self.source.layers:
            yield layer, self._questions(layer)

    def facts(self, engine: str) -> dict[str, Any]:
        """What the suite says of itself, and an importer of its logs wants to know.

        Raises `SettingError` where no item can take the setting.
        """
        common = common_setting(self.source)
        examples = self.examples
        note = gated_examples_note(self.benchmark, examples.count)
        return {
            MARK: VERSION,
            "engine": engine,
            "benchmark": self.benchmark.name,
            "title": self.benchmark.title,
            "form": self.form.value,
            "scoring": self.scoring.value,
            "shots": examples.count,
            "shot_rule": examples.rule if examples.count else "",
            "seed": examples.seed if examples.count else 0,
            "limit": self.source.limit,
            "setting": [[key, value] for key, value in sorted(common.values.items())],
            "collection": self.source.collection.content_hash,
            "program": _program(),
            **({"notes": [note]} if note else {}),
        }

    def gate(self, layer: TaskLayer) -> str:
        """The layer that an item must have right to count in a layer; empty for no gate."""
        layers = self.benchmark.layers
        number = [each.id for each in layers].index(layer.id)
        return layers[number - 1].id if layer.gated and number else ""

    def _questions(self, layer: TaskLayer) -> Iterator[Question]:
        for pending in layer_questions(self.source, layer, None, self.examples):
            yield self.source.full_question(pending, layer)


def gated_examples_note(benchmark: Benchmark, shots: int) -> str:
    """How prompts of gated layers differ from those of `evaluate`; empty where they do not.

    An own run draws the worked examples of a gated layer from the questions that it asks there,
    and only the model's answers tell which these are.
    """
    gated = [layer.id for layer in benchmark.layers[1:] if layer.gated]
    if not shots or not gated:
        return ""
    return (
        f"Worked examples of gated layers ({', '.join(gated)}) are drawn from all items in a "
        "suite; `evaluate` draws them from the items that the model had right in the layer "
        "before. So the prompts of these layers, and what follows from them, are not those of an "
        "own run."
    )


def _program() -> str:
    try:
        return f"commonsense-tui {version('commonsense-tui')}"
    except PackageNotFoundError:
        return "commonsense-tui"
