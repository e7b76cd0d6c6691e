"""Records the questions that a person asks, and writes them as the steps of a lesson.

Each step has placeholders for its texts. The answers are not recorded: a lesson asks its model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.contract.question import Question
from core.files.strict_yaml import written
from core.lessons.lesson import MOST_OPTIONS
from core.lessons.lesson_reader import MOST_STEPS
from core.text.escaping import escape_control_characters

TO_FILL_IN = "…"
"""The placeholder for a text that is still to be written."""
_MOST_MINUTES = 90


@dataclass(frozen=True, slots=True)
class Seen:
    """A question that was asked."""

    item: str
    setting: Mapping[str, str]
    """Values of switches, as typed."""
    layer: str
    few: bool
    """Whether it has few enough options for the audience to choose among them."""
    known: bool
    """Whether its right answer is known."""


@dataclass(slots=True)
class Recorder:
    """The questions that were asked since the recording began."""

    benchmark: str
    data: Path | None
    """The collection of the items; None for the benchmark's bundled one."""
    seen: list[Seen] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Whether a lesson can have no more steps."""
        return len(self.seen) >= MOST_STEPS

    def record(self, item: str, setting: Mapping[str, str], question: Question) -> None:
        """Record a question, unless it is recorded already or there are too many."""
        few = len(question.options) <= MOST_OPTIONS
        known = bool(question.right_options)
        asked = Seen(item, dict(setting), question.layer, few, known)
        if asked not in self.seen and not self.full:
            self.seen.append(asked)

    def lesson(self, title: str) -> str:
        """The lesson in YAML, with a step for each question; there must be one."""
        lines = [
            f"# Recorded. Wherever it says {TO_FILL_IN}, write what is to be told; in Markdown.",
            "# Try it with: commonsense-tui lesson run, and see that it holds with lesson check.",
        ]
        if self.data is not None:
            lines.append(
                "# It was recorded on --data "
                f"{escape_control_characters(str(self.data), limit=300)}"
            )
        lines += [
            f"title: {written(title)}",
            f"about: {written(TO_FILL_IN)}",
            f"benchmark: {written(self.benchmark)}",
            f"minutes: {min(_MOST_MINUTES, len(self.seen))}",
            "steps:",
        ]
        for before, asked in zip((None, *self.seen), self.seen, strict=False):
            lines += _step(asked, before)
        return "\n".join(lines) + "\n"


def _step(asked: Seen, before: Seen | None) -> Iterator[str]:
    yield f"  - say: {written(TO_FILL_IN)}"
    moved = before is None or before.item != asked.item
    if moved:
        yield f"    item: {written(asked.item)}"
    if (moved and asked.setting) or (before is not None and before.setting != asked.setting):
        values = ", ".join(
            f"{written(key)}: {written(value)}" for key, value in asked.setting.items()
        )
        yield f"    set: {{{values}}}"
    layer = written(asked.layer)
    yield f"    point: {{rung: {layer}}}"
    if asked.few:
        yield f"    predict: {{ask: {written(TO_FILL_IN)}, layer: {layer}}}"
    elif asked.known:
        yield "    predict:"
        yield f"      ask: {written(TO_FILL_IN)}"
        yield "      options:"
        yield f"        - {{text: right, when: {{right: {layer}}}}}"
        yield f"        - {{text: wrong, when: {{wrong: {layer}}}}}"
    yield f"    notes: {written(TO_FILL_IN)}"
