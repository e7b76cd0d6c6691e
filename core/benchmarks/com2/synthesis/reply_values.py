"""The values of a model's replies, whether written as lines or as JSON."""

from __future__ import annotations

import msgspec


class Events(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Proposed events."""

    events: tuple[str, ...]


class Chain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A proposed chain under the name that was asked for."""

    name: str
    events: tuple[str, ...]
    link: int = 0
    """Number of the faulty link, from 1; 0 for a sound chain."""


class Chains(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Proposed chains, in the order in which they were asked for."""

    chains: tuple[Chain, ...]


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An option of a proposed question."""

    text: str
    stops: int = 0
    """Number of the event that following the advice prevents; 0 for none."""


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A proposed question with its options and the letters of the right ones."""

    question: str
    options: tuple[Choice, ...]
    answer: tuple[str, ...]
    intervention: str = ""
    cuts: int = 0
    """Number of the link of the first chain that the intervention cuts, from 1."""


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One action of slow thinking."""

    action: str
    text: str


class Thinking(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Slow thinking: its actions in order, and the letters of its answer."""

    steps: tuple[Step, ...]
    answer: tuple[str, ...]


class Puzzle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A detective puzzle made from a story."""

    crime: str
    facts: tuple[str, ...]
    clue: str
    suspects: tuple[str, ...]
    suspected: str
    """Letter of the suspect whom the facts point at without the clue."""
    because: int
    """Number of the fact that does so, from 1."""
