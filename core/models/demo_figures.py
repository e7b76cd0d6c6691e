"""At which layers the bundled model is at chance, from `figures.yaml` beside its file.

`python -m tools.train_demo_model.evaluate` measures it on the bundled items and writes the figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.contract.question import Question
from core.contract.rungs import Rung
from core.files.prompt_files import read_wording
from core.files.shipped import samples
from core.models.protocol import ModelInfo
from core.models.replay import REPLAY_PREFIX
from core.text.language import _


@dataclass(frozen=True, slots=True)
class Figure:
    """What share of the bundled questions of some layers is right."""

    benchmark: str
    layers: tuple[str, ...]
    """"hop-1", or "link" for all layers whose names begin so."""
    tags: Mapping[str, str]
    """Tags of these questions, such as their language; other questions have other figures."""
    n: int
    measure: str
    """"balanced accuracy", or "accuracy" where too few clusters have the rarer answers."""
    value: float
    interval: tuple[float, float] | None
    """Its 95 % interval, by clusters; None for too few of them."""
    constant: float
    """What the best constant answer has."""
    at_least: Mapping[str, int] = field(default_factory=dict)
    """Tags with sizes, such as hops: a larger question is taken to be no easier than a smaller."""

    @property
    def at_chance(self) -> bool:
        """Whether nothing shows that it is better than a constant answer."""
        return self.interval is None or self.interval[0] <= self.constant

    def is_about(self, benchmark: str, question: Question) -> bool:
        layer = question.layer
        return (
            self.benchmark == benchmark
            and any(layer == name or layer.startswith(f"{name}-") for name in self.layers)
            and self.tags.items() <= question.tags.items()
            and all(
                int(question.tags.get(tag) or -1) >= size for tag, size in self.at_least.items()
            )
        )


@dataclass(frozen=True, slots=True)
class DemoFigures:
    """The contents of the file."""

    fingerprint: str
    """Of the model that was measured; figures say nothing about another."""
    figures: tuple[Figure, ...]

    def at_chance(self, fingerprint: str, benchmark: str, question: Question) -> bool:
        """Whether the model of this fingerprint is known to be at chance where this is asked.

        The figure about the largest sizes counts, one without sizes only where there is no other.
        """
        if fingerprint != self.fingerprint:
            return False
        about = [figure for figure in self.figures if figure.is_about(benchmark, question)]
        closest = max(about, key=lambda figure: tuple(figure.at_least.values()), default=None)
        return closest is not None and closest.at_chance


def figures_file() -> Path:
    """The file beside the bundled model."""
    return samples() / "models" / "figures.yaml"


@cache
def demo_figures() -> DemoFigures:
    """The figures of the bundled model; raises `DataError` where they are not as expected."""
    return read_wording(figures_file(), DemoFigures, "The figures of the bundled model")


def chance_note(info: ModelInfo, benchmark: str, rungs: Sequence[Rung]) -> str:
    """Where the bundled model is no better than a constant answer, in a sentence; else empty."""
    if not info.demo:
        return ""
    known, weights = demo_figures(), info.fingerprint.removeprefix(REPLAY_PREFIX)
    asked = [(rung.layer, rung.question) for rung in rungs if rung.question is not None]
    guessed = [
        layer.shown for layer, question in asked if known.at_chance(weights, benchmark, question)
    ]
    if guessed and len(guessed) == len(asked):
        return _("This model is at chance here.")
    if guessed:
        return _("This model is at chance in: {layers}.", layers=", ".join(guessed))
    return ""
