"""Load the families of objects, actions and places from `lexicon/*.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tools.train_demo_model.frames import Frame, Place
from tools.train_demo_model.nouns import Actor, Noun

FOLDER = Path(__file__).parent / "lexicon"

# Attribute names of the lexicon files to GITA's names of the physical states.
STATE_NAMES = {"pieces": "in pieces"}

Requirement = tuple[str, str]
"""An attribute and its value; "!v" stands for any value but v, "@" for the place."""


@dataclass(frozen=True, slots=True)
class Action:
    """What can be done with the objects of a family.

    `own` is the column of an object's own frames that this action uses (0: the shared `say`).
    `new` are frames that training never uses.
    """

    pre: tuple[Requirement, ...]
    post: tuple[Requirement, ...]
    weight: float
    own: int
    say: tuple[Frame, ...]
    new: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One object (or place) of a family with its own frames or contents, by column from 1."""

    noun: Noun | None
    place: Place | None
    frames: tuple[tuple[Frame, ...], ...]
    contents: tuple[Noun, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Objects that behave alike. The object of a family with `of_actor` is the actor."""

    name: str
    of_actor: bool
    personal: bool
    entries: tuple[Entry, ...]
    places: tuple[Entry, ...]
    actions: tuple[Action, ...]

    @property
    def states(self) -> frozenset[str]:
        """The attributes that some action of the family changes."""
        return frozenset(name for action in self.actions for name, _ in action.post)


@dataclass(frozen=True, slots=True)
class Lexicon:
    families: tuple[Family, ...]
    actors: tuple[Actor, ...]
    roles: tuple[Actor, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]
    idle: tuple[Frame, ...]
    scene: tuple[Frame, ...]
    bystanders: tuple[Actor, ...]
    gestures: tuple[Frame, ...]
    things: tuple[Noun, ...]
    owners: tuple[str, ...]
    qualities: tuple[str, ...]
    trades: tuple[Actor, ...]


def _requirements(text: str) -> tuple[Requirement, ...]:
    pairs = (item.partition("=") for item in text.split())
    return tuple((name, value) for name, _, value in pairs)


def _frames(texts: list[str]) -> tuple[Frame, ...]:
    return tuple(Frame.parse(text.strip()) for text in texts)


def _entry(text: str, is_place: bool) -> Entry:
    head, *columns = (part.strip() for part in text.split("|"))
    place = None
    if is_place:
        place = Place(head, columns.pop(0))
    frames: list[tuple[Frame, ...]] = []
    contents: tuple[Noun, ...] = ()
    for column in columns:
        items = [item.strip() for item in column.split(";")]
        if "/" in column:
            frames.append(_frames(items))
        else:
            contents = tuple(Noun.parse(item) for item in items)
    noun = None if is_place or head == "@actor" else Noun.parse(head)
    return Entry(noun, place, tuple(frames), contents)


def _action(table: dict[str, Any]) -> Action:
    return Action(
        pre=_requirements(table.get("pre", "")),
        post=_requirements(table.get("post", "")),
        weight=float(table.get("weight", 1.0)),
        own=2 if table.get("own2") else int(bool(table.get("own"))),
        say=_frames(table.get("say", [])),
        new=_frames(table.get("new", [])),
    )


def _family(table: dict[str, Any]) -> Family:
    return Family(
        name=table["name"],
        of_actor=table["objects"] == ["@actor"],
        personal=table.get("personal", False),
        entries=tuple(_entry(text, False) for text in table["objects"]),
        places=tuple(_entry(text, True) for text in table.get("places", [])),
        actions=tuple(_action(action) for action in table["action"]),
    )


def _people(names: list[str], feminine: bool) -> Iterator[Actor]:
    return (Actor(name, feminine) for name in names)


def _role(text: str) -> Actor:
    if text.startswith(("un ", "una ")):
        return Actor(text, text.startswith("una "))
    noun = Noun.parse(text)
    return Actor(noun.il, noun.feminine)


@cache
def load_lexicon() -> Lexicon:
    """Read every lexicon file once."""
    families: list[Family] = []
    cast: dict[str, Any] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        if "family" in table:
            families.extend(_family(item) for item in table["family"])
        else:
            cast = table
    return Lexicon(
        families=tuple(families),
        actors=(*_people(cast["women"], True), *_people(cast["men"], False)),
        roles=tuple(_role(text) for text in cast["roles"]),
        openers=tuple(cast["openers"]),
        closers=tuple(cast["closers"]),
        idle=_frames(cast["idle"]),
        scene=_frames([f"={text}" for text in cast["scene"]]),
        bystanders=tuple(_role(text) for text in cast["bystanders"]),
        gestures=_frames([f"{text} {{x.il}}" for text in cast["gestures"]]),
        things=tuple(Noun.parse(text) for text in cast["things"]),
        owners=tuple(cast["owners"]),
        qualities=tuple(cast["qualities"]),
        trades=tuple(_role(text) for text in cast["trades"]),
    )
