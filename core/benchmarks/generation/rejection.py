"""Why something that a model wrote is not taken."""

from __future__ import annotations

from enum import StrEnum

from core.text.errors import CommonsenseError


class Reason(StrEnum):
    """The requirement that an answer does not meet."""

    UNREADABLE = "unreadable"
    """Not in the form that was asked for."""
    TRUNCATED = "truncated"
    """A limit of tokens or of the context ended it."""
    TEXT = "text"
    """A part is empty, too long, or holds what no plain sentence does."""
    REPEATED = "repeated"
    """An event, a chain's event or an option stands there twice, or was made before."""
    COPIED = "copied"
    """It is taken over from the worked examples."""
    LENGTH = "length"
    """A chain does not have 5 events and 4 links."""
    ROOT = "root"
    """A chain does not begin with its event, or a question does not speak of it."""
    ORDER = "order"
    """The chains are not named in the order that was asked for, the likelier one first."""
    TAIL = "tail"
    """A tail is shared, or is not exactly one of the options."""
    LINK = "link"
    """The link that a fault or an intervention is said to break is none of the chain's."""
    LEAK = "leak"
    """The question holds an event that it must not name."""
    OPTIONS = "options"
    """Too few or too many options, or one stops what it must not."""
    ANSWER = "answer"
    """The stated answer is not the one that follows from the graph."""
    ACTIONS = "actions"
    """The thinking lacks one of the eight actions."""
    MISTAKE = "mistake"
    """The thinking makes no mistake first, or does not refine it."""
    CHAINS_NAMED = "chains-named"
    """The thinking speaks of the causal chain, which its reader does not have."""
    CRIMINAL = "criminal"
    """The criminal is not in the story, or is no suspect."""
    CLUE = "clue"
    """The clue stands among the facts."""


class Rejected(CommonsenseError):
    """An answer of a model that does not meet a requirement."""

    title = "The model's answer was rejected"

    def __init__(self, reason: Reason, what: str) -> None:
        super().__init__(what, where=reason.value)
        self.reason = reason
