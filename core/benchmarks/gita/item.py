"""A GITA story and its family.

Schema: GITA4CALAMITA (Pensa et al., 2024), section 3.3 and appendix A.
`core.benchmarks.gita.story_reader` reads every released format into this one without loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.text.language import N_, spoken

STATES = (
    "power",
    "location",
    "exist",
    "clean",
    "edible",
    "wet",
    "functional",
    "wearing",
    "open",
    "conscious",
    "temperature",
    "solid",
    "occupied",
    "in pieces",
)
"""The fourteen physical states, in the order of the released task's choices."""

PAIRS = (
    (0, 1),
    (2, 4),
    (1, 2),
    (0, 4),
    (3, 4),
    (0, 3),
    (1, 4),
    (2, 3),
    (0, 2),
    (1, 3),
)
"""The ten sentence pairs, in the order of the released task's choices, which decides ties."""


class Kind(StrEnum):
    """How a story was made (paper, section 3.1)."""

    PLAUSIBLE = N_("plausible")
    ORDER = N_("order")
    """Two sentences of the plausible story swapped."""
    CLOZE = N_("cloze")
    """One sentence of the plausible story replaced."""


def kind_of(key: str) -> Kind:
    """The kind of a story by the letter in its key (paper, section 3.3)."""
    if "O" in key:
        return Kind.ORDER
    return Kind.CLOZE if "C" in key else Kind.PLAUSIBLE


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of a sentence on an attribute of an entity (GITA v1 annotation)."""

    sentence: int
    entity: str
    attribute: str
    code: int
    """From 0 to 8: the pair of states before and after; see `core.benchmarks.gita.states`."""


@dataclass(frozen=True, slots=True)
class Story:
    """One story of a collection."""

    key: str
    """Unique in its collection: the released id, repaired where the release repeats one."""
    example_id: str
    """The id exactly as released; scoring profiles group by it."""
    story_id: int
    type: str | None
    """The released `type` field: "order", "cloze" or None."""
    actor: str
    location: str
    sentences: tuple[str, ...]
    plausible: bool
    conflict: int | None
    """Index of the conflicting sentence; None where the annotation names none."""
    breakpoint: int | None
    """Index of the sentence at which the story stops making sense; None where there is none."""
    state: str
    """The annotated physical state; empty where there is none."""
    changes: tuple[Change, ...] = ()
    """GITA v1's physical-state annotation; empty for GITA4CALAMITA."""
    gloss: tuple[str, ...] = ()
    """The sentences in English, where the collection gives them."""
    why: str = ""
    """One English sentence on what goes wrong, where the collection gives it."""
    whys: Mapping[str, str] = field(default_factory=dict)
    """The sentence in other languages, by their codes."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The document as it was read, so that nothing is lost on saving."""

    @property
    def shown_why(self) -> str:
        """What goes wrong, in the language of the program where the collection has it."""
        return self.whys.get(spoken(), self.why)

    @property
    def kind(self) -> Kind:
        """Order, cloze or plausible, by the letter of the repaired key."""
        return kind_of(self.key)


@dataclass(frozen=True, slots=True)
class StoryItem:
    """A story with all variants of its family, itself included, in collection order."""

    story: Story
    family: tuple[Story, ...]

    @property
    def id(self) -> str:
        """The story's key."""
        return self.story.key
