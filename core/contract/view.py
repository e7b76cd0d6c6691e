"""The view of an item under a setting, as pure data: no screen, no colour, no markup.

A view is a title and sections. A benchmark fills them in; screens, plain text and exporters draw
them. A role gives the meaning of a part. Themes give its colour, and every role also has a sign,
so that no meaning depends on colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

MOST_PARTS = 5_000
"""Of the view of another package's benchmark: statements, links, nodes and cells together."""
MOST_COLUMNS = 100
"""Of a table of another package's benchmark."""


class Role(StrEnum):
    """The meaning of a statement, a link, a node or a cell in its view."""

    PLAIN = "plain"
    MUTED = "muted"
    CHANGED = "changed"
    """Differs from its original version."""
    CAUSE = "cause"
    """Causes the state that a later part contradicts (a conflicting statement)."""
    BREAK = "break"
    """The part at which a story stops making sense (a breakpoint)."""
    EVIDENCE = "evidence"
    """Supports an interpretation but is not the gold annotation."""
    GOOD = "good"
    """Right, met, successful."""
    BAD = "bad"
    """Wrong, failed: among others a wrong answer."""
    FORCED = "forced"
    """Set from outside, regardless of its causes: an intervention, do()."""
    OBSERVED = "observed"
    """Observed, as evidence."""
    IMAGINED = "imagined"
    """Imagined to be otherwise: a counterfactual."""
    ABSENT = "absent"
    """Does not happen in the world that is shown."""
    CUT = "cut"
    """A link without effect, because its end was set from outside."""
    DISTRACTOR = "distractor"
    """Leads nowhere, although it seems to."""
    HINDERS = "hinders"
    """A link whose source prevents its target."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a view."""

    id: str
    text: str
    role: Role = Role.PLAIN
    number: str = ""
    """Its number in the benchmark ("0", "1"); empty without one."""
    note: str = ""
    """A word or two about its role ("breakpoint")."""
    gloss: str = ""
    """A translation into the reader's language, if there is one."""
    text_switch: str = ""
    """The key of the switch that retypes this statement; empty without one."""
    weight: str = ""
    """Its share of a quantity such as attention ("41 %"), also where it is drawn as a node."""


@dataclass(frozen=True, slots=True)
class Link:
    """A relation drawn between two statements, or two nodes, of the same section."""

    source: str
    target: str
    label: str = ""
    role: Role = Role.CAUSE
    note: str = ""
    """Further facts ("strength 0.8", "scene drift", a source)."""
    statement: str = ""
    """The id of the statement with this relation, in a section of the same view; may be empty."""
    weight: float | None = None
    """Its share of a quantity such as attention, from 0 to 1, drawn as the weight of the line."""


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements in order, with links drawn beside them."""

    title: str
    statements: tuple[Statement, ...]
    links: tuple[Link, ...] = ()
    order_switch: str = ""
    """The key of the switch that reorders the statements; empty without one."""
    states: Graph | None = None
    """A graph of the states that the statements cause and require; its links may name both."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a graph."""

    id: str
    text: str
    role: Role = Role.PLAIN
    sign: str = ""
    """A word or figure drawn beside the text ("do", "0.82")."""
    note: str = ""
    """The reason for its state, in a sentence ("happens: any of Rain, Flood")."""
    happens: bool = True
    """Whether it happens in the world that is drawn, by itself or because it was set."""
    gloss: str = ""
    """A translation into the reader's language, if there is one."""
    state_switch: str = ""
    """The key of the switch that sets this node's state; empty without one."""
    draw_switch: str = ""
    """The key of the number that draws another text for this node; empty without one."""
    weight: str = ""
    """Its share of a quantity such as attention ("41 %"), drawn over the end of its text."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes with directed links between them, drawn in layers. Links may form cycles."""

    title: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    note: str = ""
    """One sentence on how to read the graph."""
    edits_switch: str = ""
    """The key of the switch that adds and removes nodes and links; empty without one."""
    meanings: Mapping[Role, str] = field(default_factory=dict, hash=False)
    """English words for roles that mean something else here than legends would say of them."""


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
    """One sentence on how to read the table."""


@dataclass(frozen=True, slots=True)
class Note:
    """A remark about the item."""

    text: str
    role: Role = Role.MUTED


Section = Statements | Graph | Grid | Note


@dataclass(frozen=True, slots=True)
class View:
    """The view of an item under a setting."""

    title: str
    subtitle: str = ""
    badges: tuple[Cell, ...] = ()
    """Short facts shown beside the title ("order variant", "edited")."""
    sections: tuple[Section, ...] = ()

    @property
    def parts(self) -> int:
        """How many statements, links, nodes and cells it has."""
        count = 0
        for section in self.sections:
            match section:
                case Statements(statements=parts, links=links, states=states):
                    count += len(parts) + len(links)
                    if states:
                        count += len(states.nodes) + len(states.links)
                case Graph(nodes=parts, links=links):
                    count += len(parts) + len(links)
                case Grid(columns=columns, rows=rows):
                    count += len(columns) + sum(map(len, rows))
                case Note():
                    count += 1
        return count


def view_document(view: View) -> dict[str, Any]:
    """A view in its JSON format: the sections are under `blocks`, each with its `kind`."""
    document = asdict(view)
    del document["sections"]
    blocks = [
        {"kind": type(section).__name__.lower()} | asdict(section) for section in view.sections
    ]
    return document | {"blocks": blocks}
