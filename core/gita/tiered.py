"""Tiered results of GITA v1, which are scored by pairs as TRIP does.

A row is a plausible and an implausible story; the system says which is which, which sentences
conflict, and every entity's states before and after each sentence (Pensa et al., LREC-COLING
2024; Storks et al., Findings of EMNLP 2021). A pair is accurate when the choice is right,
consistent when the conflicting sentences are right too, verifiable when also the states that
make the conflict are. Its figures are over pairs, so they do not compare with those of
GITA4CALAMITA.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from core.errors import DataError
from core.summary import Figure, Summary

_States = dict[str, dict[str, dict[str, int]]]
"""Entity -> sentence -> attribute -> state."""

_DEFAULTS = {"conscious": 2, "exist": 2, "functional": 2, "moveable": 2}
"""States that hold unless something is said; 0, nothing known, for the other attributes."""


class Pair(msgspec.Struct, frozen=True):
    """One row of a tiered log."""

    example_id: str
    story_label: int
    story_pred: int
    conflict_label: list[int]
    conflict_pred: list[int]
    preconditions_label: _States
    preconditions_pred: _States
    effects_label: _States
    effects_pred: _States
    valid_explanation: bool
    """What the log itself says about verifiability."""

    @property
    def accurate(self) -> bool:
        """Whether the implausible story was found."""
        return self.story_pred == self.story_label

    @property
    def consistent(self) -> bool:
        """Whether the conflicting sentences were found too."""
        return self.accurate and self.conflict_pred == self.conflict_label

    @property
    def verifiable(self) -> bool:
        """Whether the states that make the conflict were found too.

        Every state other than the default that is predicted after the first conflicting
        sentence or before the second must be right, and there must be one.
        """
        if not self.consistent or len(self.conflict_label) != 2:
            return False
        first, second = map(str, self.conflict_label)
        found = [
            *_compared(self.effects_pred, self.effects_label, first),
            *_compared(self.preconditions_pred, self.preconditions_label, second),
        ]
        return bool(found) and all(found)


def _compared(predicted: _States, annotated: _States, sentence: str) -> list[bool]:
    """For each state predicted at a sentence other than the default: whether it is right."""
    found = []
    for entity, sentences in predicted.items():
        gold: Mapping[str, int] = annotated.get(entity, {}).get(sentence, {})
        for attribute, state in sentences.get(sentence, {}).items():
            default = _DEFAULTS.get(attribute, 0)
            if state != default:
                found.append(state == gold.get(attribute, default))
    return found


def read(path: Path) -> list[Pair]:
    """The rows of a tiered log, a JSON list; raises `DataError`."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Pair])
    except OSError as error:
        raise DataError(f"This file cannot be read: {error.strerror}.", where=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"This is not a tiered log: {' '.join(str(error).replace('`', '').split())}.",
            where=str(path),
            hint="Expected is a JSON list with story, conflict and state predictions for each "
            "pair of stories.",
        ) from error


def summarise(pairs: Sequence[Pair]) -> Summary:
    """Accuracy, Consistency and Verifiability over pairs of stories."""
    n = len(pairs)
    figures = (
        Figure("Accuracy", sum(pair.accurate for pair in pairs), n, {"chance": 0.5}),
        Figure("Consistency", sum(pair.consistent for pair in pairs), n),
        Figure("Verifiability", sum(pair.verifiable for pair in pairs), n),
    )
    differing = [pair for pair in pairs if pair.verifiable != pair.valid_explanation]
    notes = ["Figures over pairs of stories: not comparable with GITA4CALAMITA's."]
    if differing:
        shown = ", ".join(pair.example_id for pair in differing[:5])
        notes.append(f"The log itself judges {len(differing)} pairs otherwise: {shown}.")
    return Summary("tiered", tuple(figures), {"pairs": n}, tuple(notes))
