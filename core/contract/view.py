"""What a setting of an item looks like, as pure data: no screen, no colour, no markup.

A view is a title and sections. Screens, the plain-text printer and the exporters draw sections; a
benchmark only fills them in. Roles say what a thing *is*; themes say how a role looks, and every
role also has a sign, so that nothing is told by colour alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """What a statement, a link or a cell is in its view."""

    PLAIN = "plain"
    MUTED = "muted"
    CHANGED = "changed"
    """Differs from the version that it was made from."""
    CAUSE = "cause"
    """Brings about the state that a later part contradicts (a conflicting statement)."""
    BREAK = "break"
    """The part at which things stop making sense (a breakpoint)."""
    EVIDENCE = "evidence"
    """Supports a reading but is not the gold annotation."""
    GOOD = "good"
    BAD = "bad"
    FORCED = "forced"
    """Set from outside, whatever its causes say: an intervention, do()."""
    OBSERVED = "observed"
    """Known to be so, as evidence."""
    IMAGINED = "imagined"
    """Supposed to be otherwise than it was: a counterfactual."""
    ABSENT = "absent"
    """Does not happen in the world that is shown."""
    CUT = "cut"
    """A link that no longer carries anything, because its end was set from outside."""
    DISTRACTOR = "distractor"
    """Seems to lead somewhere and does not."""
    HINDERS = "hinders"
    """A link from what keeps its target from happening."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a view."""

    id: str
    text: str
    role: Role = Role.PLAIN
    number: str = ""
    """How the benchmark counts it ("0", "1"); empty when it does not."""
    note: str = ""
    """A word or two about its role ("breakpoint")."""
    gloss: str = ""
    """The same in the reader's language, when there is one."""
    text_switch: str = ""
    """The key of the switch that retypes this statement; empty when nothing does."""
    weight: str = ""
    """How much of something falls on it ("41 %"), also where it is drawn as a node."""


@dataclass(frozen=True, slots=True)
class Link:
    """A relation drawn between two statements, or two nodes, of the same section."""

    source: str
    target: str
    label: str = ""
    role: Role = Role.CAUSE
    note: str = ""
    """What else is known of it ("strength 0.8", "scene drift", where it was found)."""
    statement: str = ""
    """The id of the statement that says it, in a section of the same view; empty for none."""
    weight: float | None = None
    """How much of something falls on it, from 0 to 1, drawn as how heavy its line is; None where
    that is not told."""


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements in order, with links drawn beside them."""

    title: str
    statements: tuple[Statement, ...]
    links: tuple[Link, ...] = ()
    order_switch: str = ""
    """The key of the switch that reorders the statements; empty when nothing does."""
    states: Graph | None = None
    """What the statements bring about and need, for a graph of them; links may name both."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a graph."""

    id: str
    text: str
    role: Role = Role.PLAIN
    sign: str = ""
    """A word or figure drawn beside the text ("do", "0.82")."""
    note: str = ""
    """Why it is as it is, in a sentence ("happens: any of Rain, Flood")."""
    happens: bool = True
    """Whether it takes place in the world that is drawn, by itself or as it was set."""
    gloss: str = ""
    """The same in the reader's language, when there is one."""
    state_switch: str = ""
    """The key of the switch that sets this node's state; empty when nothing does."""
    draw_switch: str = ""
    """The key of the number that draws this node's text anew; empty when none does."""
    weight: str = ""
    """How much of something falls on it ("41 %"), drawn over the end of its text."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes with directed links between them, drawn in layers. Links may form cycles."""

    title: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    note: str = ""
    """What the graph is and is not, in one sentence."""
    edits_switch: str = ""
    """The key of the switch that adds and removes nodes and links; empty when nothing does."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: str
    role: Role = Role.PLAIN


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: a heading for each column, and rows of cells."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    """What the table is and is not, in one sentence."""


@dataclass(frozen=True, slots=True)
class Note:
    """A remark about the item."""

    text: str
    role: Role = Role.MUTED


Section = Statements | Graph | Grid | Note


@dataclass(frozen=True, slots=True)
class View:
    """What a setting looks like."""

    title: str
    subtitle: str = ""
    badges: tuple[Cell, ...] = ()
    """Short facts shown beside the title ("order variant", "edited")."""
    sections: tuple[Section, ...] = ()


def view_document(view: View) -> dict[str, Any]:
    """A view as JSON has it: its sections stand under `blocks`, each with its `kind`."""
    document = asdict(view)
    del document["sections"]
    blocks = [
        {"kind": type(section).__name__.lower()} | asdict(section) for section in view.sections
    ]
    return document | {"blocks": blocks}
