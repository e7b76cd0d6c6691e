"""GITA v1's annotation of physical states: attributes, codes, timeline, contradictions.

Every sentence gives each of twenty attributes of each entity a code, the pair of states before
and after it (TRIP, Storks et al., 2021, whose scheme GITA v1 follows). GITA4CALAMITA replaced
the scheme by one of fourteen states for a whole story. The contradictions derived here help to
read a story; they are not the gold annotation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.benchmarks.gita.item import Change, Story

BEFORE = (None, False, True, True, False, None, None, False, True)
"""Whether an attribute holds before the sentence, by code; None where that is open."""
AFTER = (None, False, True, False, True, False, True, None, None)
"""Whether an attribute holds after the sentence, by code."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of the v1 scheme."""

    name: str
    """As in the data."""
    state: str
    """The corresponding state of GITA4CALAMITA; empty where there is none."""
    holds: str = ""
    """The word for an entity when the attribute holds."""
    fails: str = ""
    """The word for an entity when it does not hold."""
    moves: tuple[str, ...] = ()
    """The meaning of each code, for the two attributes that are places."""
    default: int = 0
    """The code of a sentence that does not concern the attribute."""

    def word(self, value: bool | None) -> str:
        """The word for an entity for which the attribute holds or not; "?" where that is open."""
        return "?" if value is None else self.holds if value else self.fails

    def changes(self, code: int) -> bool:
        """Whether a sentence with this code changes the attribute, or makes or leaves it open."""
        return code > 0 if self.moves else BEFORE[code] != AFTER[code]


ATTRIBUTES = (
    Attribute("h_location", "location", moves=("", "disappears", "moves")),
    Attribute("conscious", "conscious", "conscious", "unconscious", default=2),
    Attribute("wearing", "wearing", "dressed in it", "not dressed in it"),
    Attribute("h_wet", "wet", "wet", "dry"),
    Attribute("hygiene", "clean", "clean", "dirty"),
    Attribute(
        "location",
        "location",
        moves=(
            "",
            "disappears",
            "is picked up",
            "is put down",
            "is put on",
            "is taken off",
            "goes into a container",
            "comes out of a container",
            "moves",
        ),
    ),
    Attribute("exist", "exist", "there", "not there", default=2),
    Attribute("clean", "clean", "clean", "dirty"),
    Attribute("power", "power", "powered", "without power"),
    Attribute("functional", "functional", "working", "broken", default=2),
    Attribute("pieces", "in pieces", "in pieces", "whole"),
    Attribute("wet", "wet", "wet", "dry"),
    Attribute("open", "open", "open", "closed"),
    Attribute("temperature", "temperature", "hot", "cold"),
    Attribute("solid", "solid", "solid", "not solid"),
    Attribute("contain", "occupied", "occupied", "empty"),
    Attribute("running", "power", "running", "off"),
    Attribute("moveable", "", "moveable", "fixed", default=2),
    Attribute("mixed", "", "mixed", "unmixed"),
    Attribute("edible", "edible", "edible", "inedible"),
)
"""The twenty attributes in the order of their index; the first five are those of persons."""

BY_NAME: Mapping[str, Attribute] = {attribute.name: attribute for attribute in ATTRIBUTES}


def attribute_named(name: str) -> Attribute:
    """The attribute with this name, or a new one in words made from the name."""
    return BY_NAME.get(name) or Attribute(name, "", name, f"not {name}")


def words(attribute: str, code: int) -> str:
    """A code in words ("closed → open"); empty where neither state is given."""
    known = attribute_named(attribute)
    if known.moves:
        return known.moves[code] if code < len(known.moves) else f"code {code}"
    before, after = BEFORE[code], AFTER[code]
    if before is None and after is None:
        return ""
    return f"{known.word(before)} → {known.word(after)}"


@dataclass(frozen=True, slots=True)
class Track:
    """One attribute of one entity through a story."""

    entity: str
    attribute: str
    codes: tuple[int | None, ...]
    """One code for each sentence; None where it has no annotation."""

    @property
    def changes(self) -> bool:
        """Whether any sentence changes the attribute."""
        attribute = attribute_named(self.attribute)
        return any(code is not None and attribute.changes(code) for code in self.codes)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The physical conflict that a story's v1 annotation implies."""

    conflict: int
    breakpoint: int
    clashes: frozenset[tuple[str, str]]
    """Entities with attributes that the conflicting sentence leaves in one state and the breakpoint
    requires in the other."""


def timeline(story: Story) -> tuple[Track, ...]:
    """Every attribute of every entity through the story, in the order of the annotation.

    An annotation may have more sentences than the story (v1's 1-O0, 69 and 74): the tracks are
    as long as the longer of the two.
    """
    length = max(len(story.sentences), *(c.sentence + 1 for c in story.changes), 0)
    tracks: dict[tuple[str, str], list[int | None]] = {}
    for change in story.changes:
        codes = tracks.setdefault((change.entity, change.attribute), [None] * length)
        codes[change.sentence] = change.code
    order = {attribute.name: i for i, attribute in enumerate(ATTRIBUTES)}
    entities = {entity: i for i, entity in enumerate(dict.fromkeys(e for e, _ in tracks))}
    keys = sorted(tracks, key=lambda k: (entities[k[0]], order.get(k[1], len(order))))
    return tuple(Track(*key, tuple(tracks[key])) for key in keys)


def contradiction(story: Story) -> Contradiction | None:
    """The clashes between the conflicting sentence's effects and the breakpoint's preconditions.

    Effects and preconditions of the same entity and attribute are compared, except places, whose
    codes are movements and not states. None without a clash or without an annotated conflict.
    """
    if story.conflict is None or story.breakpoint is None:
        return None
    effects = _at(story.changes, story.conflict)
    preconditions = _at(story.changes, story.breakpoint)
    clashes = set()
    for (entity, attribute), code in effects.items():
        later = preconditions.get((entity, attribute))
        if later is None or attribute_named(attribute).moves:
            continue
        effect, precondition = AFTER[code], BEFORE[later]
        if effect is not None and precondition is not None and effect != precondition:
            clashes.add((entity, attribute))
    if not clashes:
        return None
    return Contradiction(story.conflict, story.breakpoint, frozenset(clashes))


def _at(changes: tuple[Change, ...], sentence: int) -> dict[tuple[str, str], int]:
    return {(c.entity, c.attribute): c.code for c in changes if c.sentence == sentence}
