"""The texts of nodes and links in a picture, and the size of a node for its text."""

from __future__ import annotations

from dataclasses import dataclass

from core.contract.view import Link, Node
from core.exchange.exporters.looks import LOOKS
from core.layout.graph.weights import percent
from core.layout.plain_text import cells
from core.layout.rows import SIGNS, wrap
from core.text.escaping import escape_control_characters

LINE = 19.0
"""Height of a line of text, in pixels."""
CELL = 8.0
"""Width that is reserved for a character of text, in pixels; letters of 14 px take about 7."""
FONT = 14
LINE_CELLS = 28
"""Characters of a line of a node, unless there is room for more."""
_MOST_LINES = 8
PADDING = (16.0, 9.0)
"""Room at the sides of a text, and above and below it, in pixels."""
_SHORTEST = 5
_NARROW = "\u202f"
"""A narrow space at which no line is broken."""


@dataclass(frozen=True, slots=True)
class Label:
    """The text of a node, broken into lines."""

    head: str
    """Its sign and its word or figure; empty where it has neither."""
    lines: tuple[str, ...]

    @property
    def rows(self) -> tuple[str, ...]:
        """All lines from top to bottom."""
        return (self.head, *self.lines) if self.head else self.lines

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the node, in pixels."""
        longest = max((cells(row) for row in self.rows), default=0)
        width = max(longest, _SHORTEST) * CELL + 2 * PADDING[0]
        return width, len(self.rows) * LINE + 2 * PADDING[1]


def label_of(node: Node, line_cells: int = LINE_CELLS) -> Label:
    """The text of a node in lines of `line_cells`; the end of a very long one is left out."""
    sign = escape_control_characters(node.sign, limit=LINE_CELLS)
    head = " ".join(
        f"{SIGNS[node.role]} {_beside(sign, escape_control_characters(node.weight))}".split()
    )
    lines = wrap(escape_control_characters(node.text), line_cells, cells)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], "…"]
    return Label(head, tuple(lines))


def node_sign(node: Node) -> str:
    """The sign and the weight of a node, which are written above its text.

    Not escaped: each format escapes it in its own way.
    """
    return _beside(node.sign, node.weight)


def link_label(link: Link) -> str:
    """The label of a link, not escaped, and its weight in per cent."""
    if link.weight is None:
        return link.label
    # In a wider space the line would be seen between the figure and its sign.
    figure = percent(link.weight).replace(" ", _NARROW)
    return f"{link.label}:{_NARROW}{figure}" if link.label else figure


def link_words(link: Link) -> str:
    """The label of a link, after the sign of its role if its line is dashed."""
    sign = SIGNS[link.role] if LOOKS[link.role].dash else ""
    return f"{sign} {link_label(link)}".strip(" ")


def _beside(words: str, weight: str) -> str:
    return f"{words} · {weight}" if words and weight else words or weight
