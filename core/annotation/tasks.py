"""Annotation tasks: the passages an annotator reads, the question, and the choices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers that a task offers."""

    name: str
    """Its name in stored votes, such as "valid"."""
    label: str
    """Its label on screen."""
    letter: str = ""
    """A key that picks it, besides its number; empty if it has none."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to judge, of which a part may be marked."""

    text: str
    caption: str = ""
    """Its kind in a word or two, such as "sentence"."""
    start: int = 0
    end: int = 0
    """`text[start:end]` is marked; nothing if they are equal."""
    aside: bool = False
    """Whether it is only context for the others."""


@dataclass(frozen=True, slots=True)
class Task:
    """One question for an annotator."""

    id: str
    passages: tuple[Passage, ...]
    ask: str
    """The question, shown below the passages."""
    choices: tuple[Choice, ...]
    multiple: bool = False
    """Whether any number of choices may be picked."""
