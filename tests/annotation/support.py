"""An invented annotation: is a number even, odd, or no number at all?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.annotation.annotation import Annotation, Qualification, Tasks
from core.annotation.rounds import Rules
from core.annotation.tasks import Choice, Passage, Task

CHOICES = (Choice("even", "even", "e"), Choice("odd", "odd", "o"), Choice("none", "no number", "n"))


def decide(counts: Mapping[str, int]) -> str | None:
    """What all but one agree on."""
    total = sum(counts.values())
    return next((name for name, n in counts.items() if n >= total - 1), None)


def rules(votes: int = 3) -> Rules:
    return Rules(votes, decide, frozenset(choice.name for choice in CHOICES))


def tasks(prefix: str, number: int) -> Tasks:
    ids = tuple(f"{prefix}{n}" for n in range(number))

    def make(place: int) -> Task:
        text = f"{prefix} {place}"
        return Task(ids[place], (Passage(text, "number", len(prefix) + 1, len(text)),), "Is it?",
                    CHOICES)  # fmt: skip

    return Tasks(ids, make)


def annotation(
    folder: Path, number: int = 3, votes: int = 3, tested: tuple[int, int, int] | None = None
) -> Annotation:
    """`tested`: questions there are, questions asked, questions to pass."""
    test = None
    if tested is not None:
        there, asked, to_pass = tested
        golds = {f"q{n}": ("even", "odd")[n % 2] for n in range(there)}
        test = Qualification(tasks("q", there), golds, asked, to_pass)
    return Annotation(folder, tasks("t", number), test, rules(votes))
