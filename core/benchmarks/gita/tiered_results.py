"""Tiered results of GITA v1, scored by pairs of stories as in TRIP.

A row is a plausible and an implausible story; the system says which is which, which sentences
conflict, and every entity's states before and after each sentence (Pensa et al., LREC-COLING
2024; Storks et al., Findings of EMNLP 2021). A pair is accurate when the choice is right,
consistent when the conflicting sentences are right too, verifiable when also the states that
make the conflict are. Its figures are over pairs, so they do not compare with those of
GITA4CALAMITA.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from core.benchmarks.gita.item import Kind
from core.benchmarks.gita.states import attribute_named
from core.benchmarks.gita.story_keys import id_parts
from core.contract.summary import Baseline, Figure, Summary
from core.files.regular_file import read_regular
from core.files.rows import counted_values
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

_LIMIT = 64 * 2**20
"""Most bytes of a log."""
_MOST_VALUES = 2_000_000
"""Most values in it; the released logs have 35,000."""
_States = dict[str, dict[str, dict[str, int]]]
"""Entity -> sentence -> attribute -> state."""


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
    """The log's own verdict on verifiability."""

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
        matches = [
            *_compared(self.effects_pred, self.effects_label, first),
            *_compared(self.preconditions_pred, self.preconditions_label, second),
        ]
        return bool(matches) and all(matches)


def _compared(predicted: _States, annotated: _States, sentence: str) -> list[bool]:
    """Whether each state predicted at a sentence is right; default states are left out."""
    matches = []
    for entity, sentences in predicted.items():
        gold: Mapping[str, int] = annotated.get(entity, {}).get(sentence, {})
        for attribute, state in sentences.get(sentence, {}).items():
            default = attribute_named(attribute).default
            if state != default:
                matches.append(state == gold.get(attribute, default))
    return matches


def read(path: Path) -> list[Pair]:
    """Read a tiered log, a JSON list; raises `DataError` with the line of the first bad row."""
    try:
        data = read_regular(path, _LIMIT, DataError)
    except FileNotFoundError as error:
        raise DataError(f"This file cannot be read: {error.strerror}.", where=path) from error
    if counted_values(data) > _MOST_VALUES:
        raise DataError(f"This log holds more than {_MOST_VALUES:,} values.", where=path)
    try:
        rows = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (ValueError, RecursionError) as error:
        raise _not_a_log(path, data, _error_offset(data, error), error) from error
    if not rows:
        raise DataError("This tiered log holds no pairs.", where=f"{path}:1", hint=_EXPECTED)
    pairs: list[Pair] = []
    end = 0
    for row in rows:
        # Only blanks and a comma stand between rows, so the next occurrence is this row.
        start = data.index(row, end)
        end = start + len(memoryview(row))
        try:
            pairs.append(_DECODER.decode(row))
        except (ValueError, RecursionError) as error:
            raise _not_a_log(path, data, start, error) from error
    return pairs


def kinds(pairs: Sequence[Pair]) -> dict[str, int]:
    """Counts of pairs by kind (order, cloze or other), read from the letters of their ids."""
    return dict(Counter(_kind(pair.example_id) for pair in pairs))


def summarise(pairs: Sequence[Pair]) -> Summary:
    """Accuracy, Consistency and Verifiability over pairs of stories."""
    n = len(pairs)
    chance = Baseline(0.5, "either story of a pair equally often")
    figures = (
        Figure("Accuracy", sum(pair.accurate for pair in pairs), n, {"chance": chance}),
        Figure("Consistency", sum(pair.consistent for pair in pairs), n),
        Figure("Verifiability", sum(pair.verifiable for pair in pairs), n),
    )
    notes = ["Figures over pairs of stories: not comparable with GITA4CALAMITA's."]
    counts = Counter(pair.example_id for pair in pairs)
    repeated = [key for key, count in counts.items() if count > 1]
    if repeated:
        notes.append(f"Ids on more than one row: {_listed(repeated)}. Every row counts.")
    differing = [pair.example_id for pair in pairs if pair.verifiable != pair.valid_explanation]
    if differing:
        notes.append(
            f"The log itself judges {len(differing)} pairs otherwise: {_listed(differing)}."
        )
    return Summary("tiered", figures, {"pairs": n, **kinds(pairs)}, tuple(notes))


_DECODER = msgspec.json.Decoder(Pair)
_EXPECTED = (
    "Expected is a JSON list with story, conflict and state predictions for each pair of stories."
)
_BYTE = re.compile(r" \(byte (\d+)\)$")
_MAX_LISTED = 5
"""Most ids that a note lists."""


def _kind(example_id: str) -> str:
    parts = id_parts(example_id)
    return {"O": Kind.ORDER.value, "C": Kind.CLOZE.value}.get(
        parts.letter if parts else "", "other"
    )


def _listed(ids: Sequence[str]) -> str:
    shown = ", ".join(escape_control_characters(key, limit=40) for key in ids[:_MAX_LISTED])
    return f"{shown} and {len(ids) - _MAX_LISTED} more" if len(ids) > _MAX_LISTED else shown


def _error_offset(data: bytes, error: Exception) -> int:
    """The offset at which the data stops being JSON, as far as the message gives it."""
    if match := _BYTE.search(str(error)):
        return int(match[1])
    return len(data.rstrip()) if isinstance(error, msgspec.DecodeError) else 0


def _not_a_log(path: Path, data: bytes, offset: int, error: Exception) -> DataError:
    problem = _BYTE.sub("", str(error)).replace(" - at `$.", ", at `").replace("`", "")
    line = data.count(b"\n", 0, offset) + 1
    return DataError(
        f"This is not a tiered log: {escape_control_characters(problem)}.",
        where=f"{path}:{line}",
        hint=_EXPECTED,
    )
