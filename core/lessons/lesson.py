"""A lesson: steps with a text, an item under a setting, a prediction, and claims to check.

A lesson does nothing that a person at the keys could not do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from core.text.language import LANGUAGES as SPOKEN

if TYPE_CHECKING:
    from core.lessons.claim import Asked, Claim

LANGUAGES = tuple(SPOKEN)
"""The languages in which a lesson may be written, the default first."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text in the languages of its lesson."""

    texts: tuple[tuple[str, str], ...]
    """Language and text; the language is empty where the lesson has only one."""

    def spoken(self, language: str) -> str:
        """The text in a language, or else the first text."""
        return dict(self.texts).get(language, self.texts[0][1])

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the texts; empty where the lesson has only one."""
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
    """The text shown where it came true."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the audience is asked before the model answers."""

    ask: Words
    layer: str
    """The layer whose options are predicted; empty where the lesson names its own options."""
    options: tuple[Option, ...]
    point: Point | None
    """What is pointed at once the answer is revealed."""
    line: int


class Hidden(StrEnum):
    """What a step hides of its item until it is revealed."""

    MARKS = "marks"
    """The roles of statements and nodes, their notes and the links between them."""
    WHY = "why"
    """Remarks, tables and badges, which explain the item."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures over the whole collection: for how many items a claim holds, in rows and columns."""

    caption: Words
    rows: tuple[Words, ...]
    columns: tuple[Words, ...]
    """Empty for one figure a row."""
    cells: tuple[tuple[Asked, ...], ...]
    """What each row counts: one count for each column, or one."""


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
    """The text shown once the answer is revealed."""
    notes: Words | None
    """What only the speaker sees."""
    checks: tuple[Claim, ...]
    """Claims that must hold for the texts to be true."""
    hidden: frozenset[Hidden]
    """What is hidden of the item until the step is revealed."""
    exception: bool
    """Whether the texts say that this item is an exception in its collection."""
    figures: Figures | None
    line: int
    item_line: int
    """The line at which its item is named."""
    setting_lines: Mapping[str, int]
    """The line at which each switch is set."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims of the step: its checks, then those of its options."""
        options = self.prediction.options if self.prediction else ()
        return (*self.checks, *(option.when for option in options))

    @property
    def facts(self) -> tuple[Claim, ...]:
        """Those of its checks that need no model: what other items have to share with its item."""
        return tuple(claim for claim in self.checks if not claim.asks_model)

    @property
    def points(self) -> tuple[Point, ...]:
        """What it points at, before and after it is revealed."""
        later = self.prediction.point if self.prediction else None
        return tuple(point for point in (self.point, later) if point)

    @property
    def asks_model(self) -> bool:
        """Whether a model is needed to reveal it."""
        layered = self.prediction is not None and bool(self.prediction.layer)
        return layered or any(claim.asks_model for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as it was read from its file."""

    name: str
    """The file's name without its ending."""
    path: Path
    title: Words
    about: Words
    benchmark: str
    minutes: int
    """Its approximate duration."""
    steps: tuple[Step, ...]
    line: int
    """The line at which its benchmark is named."""
