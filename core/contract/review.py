"""What the program suggests about an item, for a person to review."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Review(StrEnum):
    """A person's decision about a suggestion."""

    CONFIRM = "confirm"
    EDIT = "edit"
    REJECT = "reject"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something about an item that the program suggests or that a person wrote."""

    id: str
    text: str
    """The text in the form in which it is edited."""
    state: str
    """Its state in a word or two ("unreviewed", "confirmed")."""
    decided: bool
    """Whether a person has decided about it."""
