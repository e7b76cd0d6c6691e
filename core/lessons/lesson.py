"""What a lesson is: steps that say something, set something, ask the audience, and can be checked.

A lesson holds nothing that a person at the keys could not do: an item of the collection, values of
its switches, a place to look at, and asking the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.lessons.claim import Claim

LANGUAGES = ("en", "it")
"""The languages in which a lesson may speak, the one first that is spoken where none is chosen."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text in the languages of its lesson."""

    texts: tuple[tuple[str, str], ...]
    """Language and text; one text with an empty language where the lesson speaks only one."""

    def spoken(self, language: str) -> str:
        """The text in a language, or in the first that there is."""
        known = dict(self.texts)
        return known.get(language, self.texts[0][1])

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that there are; none where the lesson speaks only one."""
        return tuple(language for language, _ in self.texts if language)


MOST_OPTIONS = 9
"""Most options of a prediction: hands are counted with the keys 1 to 9."""


class Pointing(StrEnum):
    """What can be pointed at."""

    STATEMENT = "statement"
    NODE = "node"
    RUNG = "rung"


@dataclass(frozen=True, slots=True)
class Point:
    """Something on screen that a step points at."""

    kind: Pointing
    ref: str
    """An id, the number of a statement from 1, or a role: the first statement or node with it."""
    line: int


class Pane(StrEnum):
    """What a step opens below the item: what the keys `x` and `X` open."""

    BLOCKS = "blocks"
    TRACE = "trace"


@dataclass(frozen=True, slots=True)
class Option:
    """Something the audience may predict."""

    text: Words
    when: Claim
    """What makes it true."""
    then: Words | None
    """What is said where it came true."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the audience is asked before the model answers."""

    ask: Words
    layer: str
    """The layer whose options are to choose from; empty where the lesson names its own."""
    options: tuple[Option, ...]
    point: Point | None
    """What to point at once it is revealed."""
    line: int


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a lesson."""

    say: Words
    item: str
    """The id of the item: its own, or that of the steps before."""
    setting: Mapping[str, str]
    """Values of switches, as typed; all others have their defaults."""
    point: Point | None
    show: Pane | None
    prediction: Prediction | None
    after: Words | None
    """What is said once the answer is revealed."""
    notes: Words | None
    """What only the speaker sees."""
    checks: tuple[Claim, ...]
    """What must be so for what is said to be true."""
    line: int
    item_line: int
    """Where its item is named."""
    setting_lines: Mapping[str, int]
    """Where each switch is set."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim of the step: those that must hold, then those of what can be predicted."""
        options = self.prediction.options if self.prediction else ()
        return (*self.checks, *(option.when for option in options))

    @property
    def points(self) -> tuple[Point, ...]:
        """Everything that it points at."""
        later = self.prediction.point if self.prediction else None
        return tuple(point for point in (self.point, later) if point)

    @property
    def asks_model(self) -> bool:
        """Whether revealing it takes a model."""
        layered = self.prediction is not None and bool(self.prediction.layer)
        return layered or any(claim.asks_model for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as its file has it."""

    name: str
    """The file's name without its ending."""
    path: Path
    title: Words
    about: Words
    benchmark: str
    minutes: int
    """About how long it takes."""
    steps: tuple[Step, ...]
    line: int
    """Where its benchmark is named."""
