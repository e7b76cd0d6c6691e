"""What an annotator is shown, and between what they choose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers that a task offers."""

    name: str
    """What a vote for it is kept as: "valid"."""
    label: str
    """What the annotator reads."""
    letter: str = ""
    """A key that picks it, besides its number; empty where it has none."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that is judged, a part of it marked or none."""

    text: str
    caption: str = ""
    """What it is, in a word or two: "sentence"."""
    start: int = 0
    end: int = 0
    """`text[start:end]` is marked; nothing is where they are equal."""
    aside: bool = False
    """Whether it only helps to understand the others."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to judge."""

    id: str
    passages: tuple[Passage, ...]
    ask: str
    """The question, below the passages."""
    choices: tuple[Choice, ...]
    multiple: bool = False
    """Whether any number of choices may be picked."""
