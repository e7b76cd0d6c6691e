"""A placed graph as rows of spans, one window at a time.

How a line is drawn tells what it is without colour: a cut link is dashed and ends in ╳ before the
event that it no longer reaches, one that hinders ends in ⊥, a misleading one is dotted, one that
closes a cycle has ↺ at its end. The label of a link interrupts its line. Where two lines cross, the
upright one is drawn through and the other stops beside it; every other joint belongs to links with
the same source. Where links have weights, the heaviest are drawn heavy and bright, and those
without a weight faint; what several links share is drawn as the heaviest of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

from core.contract.view import Graph, Node, Role
from core.layout.graph.placement import Label, Leg, Placement, Rect, Route
from core.layout.graph.ways import Direction, Zoom
from core.layout.graph.weights import heavy_links
from core.layout.rows import SIGNS, Ink, Measure, Row, Span, pad
from core.text.escaping import escape_control_characters

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_JOINTS = " ╵╷│╴╯╮┤╶╰╭├─┴┬┼"
_HEAVY_JOINTS = " ╹╻┃╸┛┓┫╺┗┏┣━┻┳╋"
_BROKEN = {
    Role.CUT: {"│": "╎", "─": "╌", "┃": "╏", "━": "╍"},
    Role.DISTRACTOR: {"│": "┊", "─": "┄", "┃": "┋", "━": "┉"},
}
_HEADS = {Direction.DOWN: "▼", Direction.RIGHT: "▶"}
_HINDERING_HEADS = {Direction.DOWN: "⊥", Direction.RIGHT: "⊣"}
_BACK_HEAD = "↺"
_BANDS = 16
"""Rows that are looked up together."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What is drawn of the links in one cell."""

    nets: tuple[tuple[int, int, tuple[int, ...]], ...]
    """Of each net here: its number, where its lines leave the cell (up 1, down 2, left 4,
    right 8), and the places of its links."""
    head: int = -1
    """The link that ends here; -1 for none."""


@dataclass(frozen=True, slots=True)
class _Stroke:
    """One straight piece of a leg."""

    link: int
    leg: Leg
    x0: int
    y0: int
    x1: int
    y1: int


class Canvas:
    """Draws a placement under the roles that a graph has now."""

    def __init__(self, placement: Placement, graph: Graph, measure: Measure) -> None:
        """`graph` has the nodes and links that were placed, with any roles, signs and notes."""
        self.placement = placement
        self._measure = measure
        self._bands: dict[int, list[_Stroke]] = {}
        self._boxes: dict[int, list[tuple[int, str | Label]]] = {}
        """What stands in each row: nodes and labels, with their first columns."""
        self._heads: dict[tuple[int, int], int] = {}
        self._routes: dict[int, Route] = {}
        self._ends: dict[str, list[int]] = {}
        self._index()
        for i, link in enumerate(graph.links):
            for end in {link.source, link.target}:
                self._ends.setdefault(end, []).append(i)
        self.show(graph)

    def show(self, graph: Graph) -> None:
        """Draw other roles in the same places."""
        self._nodes = {node.id: node for node in graph.nodes}
        self._links = graph.links
        self._with_weights = any(link.weight is not None for link in graph.links)
        self._heavy_links = heavy_links(graph.links)

    def _index(self) -> None:
        for route in self.placement.routes:
            self._heads[route.first if route.reversed else route.last] = route.link
            self._routes[route.link] = route
            for leg in route.legs:
                self._index_leg(route.link, leg)
        for node_id, rect in self.placement.nodes.items():
            for y in range(rect.y, rect.y + rect.height):
                self._boxes.setdefault(y, []).append((rect.x, node_id))
        for label in self.placement.labels:
            self._boxes.setdefault(label.rect.y, []).append((label.rect.x, label))
        for row in self._boxes.values():
            row.sort(key=itemgetter(0))

    def _index_leg(self, link: int, leg: Leg) -> None:
        for (x0, y0), (x1, y1) in pairwise((*leg.points, leg.points[-1])):
            stroke = _Stroke(link, leg, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
            for band in range(stroke.y0 // _BANDS, stroke.y1 // _BANDS + 1):
                self._bands.setdefault(band, []).append(stroke)

    def links_at(self, node_id: str) -> frozenset[int]:
        """The places of the links that begin or end at a node; none for an unknown one."""
        return frozenset(self._ends.get(node_id, ()))

    def reach(self, node_id: str) -> list[range]:
        """The rows in which a node is drawn, and those of each of its links."""
        rect = self.placement.nodes.get(node_id)
        rows = [range(rect.y, rect.y + rect.height)] if rect else []
        for link in self._ends.get(node_id, ()):
            if route := self._routes.get(link):
                ys = [y for leg in route.legs for _, y in leg.points]
                rows.append(range(min(ys), max(ys) + 1))
        return rows

    def cells(self, y: int, x0: int = 0, x1: int = 10**9) -> dict[int, Cell]:
        """The link cells of a row from column x0 up to x1, by column."""
        found: dict[int, dict[int, tuple[int, set[int]]]] = {}
        for stroke in self._bands.get(y // _BANDS, ()):
            if not stroke.y0 <= y <= stroke.y1 or stroke.x1 < x0 or stroke.x0 >= x1:
                continue
            for x in range(max(x0, stroke.x0), min(x1 - 1, stroke.x1) + 1):
                bits = (
                    (_UP if y > stroke.y0 else 0)
                    | (_DOWN if y < stroke.y1 else 0)
                    | (_LEFT if x > stroke.x0 else 0)
                    | (_RIGHT if x < stroke.x1 else 0)
                    | self._end_bits(stroke.leg, x, y)
                )
                nets = found.setdefault(x, {})
                before, links = nets.get(stroke.leg.net, (0, set()))
                links.add(stroke.link)
                nets[stroke.leg.net] = (before | bits, links)
        return {
            x: Cell(
                tuple((net, bits, tuple(sorted(links))) for net, (bits, links) in nets.items()),
                self._heads.get((x, y), -1),
            )
            for x, nets in found.items()
        }

    def _end_bits(self, leg: Leg, x: int, y: int) -> int:
        """At its ends a leg goes on into the nodes or the label."""
        down = self.placement.direction is Direction.DOWN
        bits = 0
        if (x, y) == leg.points[0]:
            bits |= _UP if down else _LEFT
        if (x, y) == leg.points[-1]:
            bits |= _DOWN if down else _RIGHT
        return bits

    def row(self, y: int, x0: int, x1: int, *, lit: Collection[int] = ()) -> Row:
        """The spans of row y from column x0 up to x1.

        Args:
            y: the row.
            x0: the first column.
            x1: the column behind the last.
            lit: places of the links that are lit, say those of the node under the cursor.
        """
        spans: list[Span] = []
        at = x0
        lines = self.cells(y, x0, x1)
        for x, box in self._boxes.get(y, ()):
            rect = box.rect if isinstance(box, Label) else self.placement.nodes[box]
            if x + rect.width <= x0 or x >= x1:
                continue
            self._draw_links(spans, lines, at, x, lit)
            if isinstance(box, Label):
                shown = [Span(box.text, self._ink(box.links, lit))]
            else:
                shown = self._node_row(box, rect, y)
            spans += self._slice(shown, max(0, x0 - x), x1 - x)
            at = min(x1, x + rect.width)
        self._draw_links(spans, lines, at, x1, lit)
        return tuple(spans)

    def _draw_links(
        self, spans: list[Span], lines: dict[int, Cell], start: int, end: int, lit: Collection[int]
    ) -> None:
        text = ""
        ink: Role | Ink = Role.PLAIN
        for x in range(start, end):
            cell = lines.get(x)
            glyph, role = self._glyph(cell, lit) if cell else (" ", ink)
            if role != ink and text:
                spans.append(Span(text, ink))
                text = ""
            text, ink = text + glyph, role
        if text:
            spans.append(Span(text, ink))

    def _glyph(self, cell: Cell, lit: Collection[int]) -> tuple[str, Role | Ink]:
        """What a cell looks like: of two crossing nets the upright one."""
        _, bits, links = min(cell.nets, key=lambda net: (not net[1] & (_UP | _DOWN), net[0]))
        shining = [link for link in links if link in lit]
        role = self._role(shining or links)
        if cell.head >= 0:
            return self._head_glyph(cell.head), self._ink([cell.head], lit)
        glyph = (_HEAVY_JOINTS if self._heavy(shining or links) else _JOINTS)[bits]
        return _BROKEN.get(role, {}).get(glyph, glyph), self._ink(links, lit)

    def _role(self, links: Sequence[int]) -> Role:
        """The role that all of the links have, else a plain one."""
        roles = {self._links[link].role for link in links}
        return roles.pop() if len(roles) == 1 else Role.PLAIN

    def _ink(self, links: Sequence[int], lit: Collection[int]) -> Role | Ink:
        if any(link in lit for link in links):
            return Ink.LIT
        if self._heavy(links):
            return Ink.HEADING
        if self._with_weights and all(self._links[link].weight is None for link in links):
            return Ink.TRACK
        role = self._role(links)
        return Ink.LINK if role in (Role.PLAIN, Role.CAUSE) else role

    def _heavy(self, links: Sequence[int]) -> bool:
        """Whether much of the weight falls on one of these links."""
        return not self._heavy_links.isdisjoint(links)

    def _head_glyph(self, link: int) -> str:
        if self._links[link].role is Role.CUT:
            return "╳"
        if self._links[link].role is Role.HINDERS:
            return _HINDERING_HEADS[self.placement.direction]
        return _BACK_HEAD if self._routes[link].reversed else _HEADS[self.placement.direction]

    def _slice(self, spans: Sequence[Span], start: int, end: int) -> list[Span]:
        """The part of a node's row, or of a label, from one cell to another."""
        shown, at = [], 0
        for span in spans:
            behind = at + self._measure(span.text)
            if start <= at and behind <= end:
                shown.append(span)
            elif text := self._part(span.text, start - at, end - at):
                shown.append(Span(text, span.ink, span.ref))
            at = behind
        return shown

    def _part(self, text: str, start: int, end: int) -> str:
        """A text from one cell to another; a wide character that is half in it is blank.

        How wide a character is depends on those before it, as in an emoji of several.
        """
        part, at = "", 0
        for i, character in enumerate(text, 1):
            behind = self._measure(text[:i])
            if start <= at and behind <= end:
                part += character
            else:
                part += " " * max(0, min(behind, end) - max(at, start))
            at = behind
        return part

    def _node_row(self, node_id: str, rect: Rect, y: int) -> list[Span]:
        node = self._nodes[node_id]
        lines = self.placement.lines[node_id]
        if self.placement.zoom is Zoom.BOXES:
            return self._box_row(node, rect, lines, y - rect.y)
        left, right = _BRACKETS.get(node.role, ("[", "]"))
        middle = (rect.height - len(lines)) // 2
        i = y - rect.y - middle
        text = lines[i] if 0 <= i < len(lines) else ""
        sign = _sign(node) if i == 0 else " "
        loop = "↺" if node_id in self.placement.loops and i == 0 else ""
        weight = f" {escape_control_characters(node.weight)}" if node.weight and i == 0 else ""
        room = max(1, rect.width - 2 - self._measure(weight))
        inner = pad(f"{sign}{text}{loop}", room, self._measure) + weight
        inner = pad(inner, rect.width - 2, self._measure)
        return [Span(f"{left}{inner}{right}", node.role, node.id)]

    def _box_row(self, node: Node, rect: Rect, lines: Sequence[str], y: int) -> list[Span]:
        corners, level, upright = _FRAMES.get(node.role, _FRAME)
        inside = rect.width - 2
        if y in (0, rect.height - 1):
            left, right = (corners[0], corners[1]) if y == 0 else (corners[2], corners[3])
            word = ""
            if y == 0:
                loop = "↺" if node.id in self.placement.loops else ""
                word = f"{_sign(node).strip()}{loop}"
            elif said := " ".join(one for one in (node.sign, node.weight) if one):
                word = f" {escape_control_characters(said)} "
            word = word if self._measure(word) <= inside - 2 else ""
            rule = level * (inside - self._measure(word) - (1 if word else 0))
            edge = f"{left}{level if word else ''}{word}{rule}{right}"
            return [Span(edge, node.role, node.id)]
        text = lines[y - 1] if y - 1 < len(lines) else ""
        inner = pad(f" {text}", inside, self._measure)
        return [Span(f"{upright}{inner}{upright}", node.role, node.id)]


_BRACKETS = {
    Role.FORCED: ("╣", "╠"),
    Role.OBSERVED: ("⟦", "⟧"),
    Role.IMAGINED: ("{", "}"),
    Role.ABSENT: ("(", ")"),
}
_FRAME = ("╭╮╰╯", "─", "│")
_FRAMES = {
    Role.FORCED: ("╔╗╚╝", "═", "║"),
    Role.OBSERVED: ("┏┓┗┛", "━", "┃"),
    Role.IMAGINED: ("┌┐└┘", "╌", "╎"),
    Role.ABSENT: ("╭╮╰╯", "┄", "┊"),
}


def _sign(node: Node) -> str:
    """Whether it happens comes first: that it was set is told by its brackets or its frame."""
    return SIGNS[node.role if node.happens else Role.ABSENT]


def drawn(placement: Placement, graph: Graph, measure: Measure) -> list[Row]:
    """All rows of a placement."""
    canvas = Canvas(placement, graph, measure)
    return [canvas.row(y, 0, placement.width) for y in range(placement.height)]
