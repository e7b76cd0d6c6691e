"""A line of a form, with the values that can be chosen in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

ChoicesT = TypeVar("ChoicesT")
"""What is chosen in a whole form."""


@dataclass(frozen=True, slots=True)
class FormLine(Generic[ChoicesT]):
    """One thing to choose."""

    label: str
    value: str
    """What is chosen now, in words."""
    values: Sequence[ChoicesT]
    """The choices of the form with each of its values, in order."""

    def stepped(self, now: ChoicesT, by: int) -> ChoicesT:
        """The choices with the value that is `by` further than now; the first follows the last."""
        at = self.values.index(now) if now in self.values else 0
        return self.values[(at + by) % len(self.values)]
