"""Records what was asked of which item under which setting, and writes it down as a lesson.

Every question that was answered becomes a step whose text is still to be written. What the model
answered is not recorded: a lesson asks anew, whatever model there is.
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
"""What stands where a text is to be written."""
_MINUTES = (1, 90)


@dataclass(frozen=True, slots=True)
class Seen:
    """A question that was asked, and of what."""

    item: str
    setting: Mapping[str, str]
    """Values of switches, as typed."""
    layer: str
    few: bool
    """Whether the audience can choose among its options."""
    known: bool
    """Whether somebody knows its right answer."""


@dataclass(slots=True)
class Recorder:
    """What was asked since the recording began."""

    benchmark: str
    data: Path | None
    """The collection that it is recorded on; None for the benchmark's bundled one."""
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
        """The lesson as a file has it, in YAML; of what was asked one step each.

        `title` may be anything; there must be a step.
        """
        low, high = _MINUTES
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
            f"minutes: {min(high, max(low, len(self.seen)))}",
            "steps:",
        ]
        before: Seen | None = None
        for asked in self.seen:
            lines += _step(asked, before)
            before = asked
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
