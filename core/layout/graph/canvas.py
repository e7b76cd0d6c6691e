"""A placed graph as rows of spans, one window at a time.

The kind of a link is visible without colour: a cut link is dashed and ends in ╳ before the event
that it no longer reaches, a hindering link ends in ⊥, a misleading one is dotted, and a link that
closes a cycle ends in ↺. The label of a link interrupts its line. Where two lines cross, the
vertical one is drawn through and the horizontal one stops beside it; every other joint belongs to
links with the same source. Where links have weights, the heaviest are drawn heavy and bright and
those without a weight faint; a line that several links share is drawn as the heaviest of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

from core.contract.view import Graph, Node, Role
from core.layout.graph.drawing_options import Direction, Zoom
from core.layout.graph.placement import Label, Leg, Placement, Rect, Route
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
_BAND_HEIGHT = 16
"""Rows that are indexed together."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The links that pass through one cell."""

    nets: tuple[tuple[int, int, tuple[int, ...]], ...]
    """For each net: its number, the sides on which its lines leave the cell as bits (up 1, down 2,
    left 4, right 8), and the indices of its links."""
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
    """Draws a placement with the current roles of its graph."""

    def __init__(self, placement: Placement, graph: Graph, measure: Measure) -> None:
        """`graph` must have the placed nodes and links; roles, signs and notes may differ."""
        self.placement = placement
        self._measure = measure
        self._bands: dict[int, list[_Stroke]] = {}
        self._boxes: dict[int, list[tuple[int, str | Label]]] = {}
        """The nodes and labels of each row, with their first columns."""
        self._heads: dict[tuple[int, int], int] = {}
        self._routes: dict[int, Route] = {}
        self._ends: dict[str, list[int]] = {}
        self._index()
        for i, link in enumerate(graph.links):
            for end in {link.source, link.target}:
                self._ends.setdefault(end, []).append(i)
        self.show(graph)

    def show(self, graph: Graph) -> None:
        """Take the roles, signs and notes of another state of the same graph."""
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
            for band in range(stroke.y0 // _BAND_HEIGHT, stroke.y1 // _BAND_HEIGHT + 1):
                self._bands.setdefault(band, []).append(stroke)

    def links_at(self, node_id: str) -> frozenset[int]:
        """The indices of the links that begin or end at a node; none for an unknown one."""
        return frozenset(self._ends.get(node_id, ()))

    def reach(self, node_id: str) -> list[range]:
        """The rows of a node, and those of each of its links."""
        rect = self.placement.nodes.get(node_id)
        rows = [range(rect.y, rect.y + rect.height)] if rect else []
        for link in self._ends.get(node_id, ()):
            if route := self._routes.get(link):
                ys = [y for leg in route.legs for _, y in leg.points]
                rows.append(range(min(ys), max(ys) + 1))
        return rows

    def cells(self, y: int, x0: int = 0, x1: int = 10**9) -> dict[int, Cell]:
        """The link cells of a row from column x0 up to x1, by column."""
        columns: dict[int, dict[int, tuple[int, set[int]]]] = {}
        for stroke in self._bands.get(y // _BAND_HEIGHT, ()):
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
                nets = columns.setdefault(x, {})
                before, links = nets.get(stroke.leg.net, (0, set()))
                links.add(stroke.link)
                nets[stroke.leg.net] = (before | bits, links)
        return {
            x: Cell(
                tuple((net, bits, tuple(sorted(links))) for net, (bits, links) in nets.items()),
                self._heads.get((x, y), -1),
            )
            for x, nets in columns.items()
        }

    def _end_bits(self, leg: Leg, x: int, y: int) -> int:
        """The sides on which the end of a leg joins a node or a label."""
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
            x1: the column after the last one.
            lit: indices of the highlighted links, such as those of the node under the cursor.
        """
        spans: list[Span] = []
        drawn_to = x0
        lines = self.cells(y, x0, x1)
        for x, box in self._boxes.get(y, ()):
            rect = box.rect if isinstance(box, Label) else self.placement.nodes[box]
            if x + rect.width <= x0 or x >= x1:
                continue
            self._draw_links(spans, lines, drawn_to, x, lit)
            if isinstance(box, Label):
                shown = [Span(box.text, self._ink(box.links, lit))]
            else:
                shown = self._node_row(box, rect, y)
            spans += self._slice(shown, max(0, x0 - x), x1 - x)
            drawn_to = min(x1, x + rect.width)
        self._draw_links(spans, lines, drawn_to, x1, lit)
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
        """The character of a cell and its ink; where two nets cross, the vertical one wins."""
        _, bits, links = min(cell.nets, key=lambda net: (not net[1] & (_UP | _DOWN), net[0]))
        highlighted = [link for link in links if link in lit]
        role = self._role(highlighted or links)
        if cell.head >= 0:
            return self._head_glyph(cell.head), self._ink([cell.head], lit)
        glyph = (_HEAVY_JOINTS if self._heavy(highlighted or links) else _JOINTS)[bits]
        return _BROKEN.get(role, {}).get(glyph, glyph), self._ink(links, lit)

    def _role(self, links: Sequence[int]) -> Role:
        """The role that all the links share, or plain."""
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
        """Whether one of these links is drawn heavy."""
        return not self._heavy_links.isdisjoint(links)

    def _head_glyph(self, link: int) -> str:
        if self._links[link].role is Role.CUT:
            return "╳"
        if self._links[link].role is Role.HINDERS:
            return _HINDERING_HEADS[self.placement.direction]
        return _BACK_HEAD if self._routes[link].reversed else _HEADS[self.placement.direction]

    def _slice(self, spans: Sequence[Span], start: int, end: int) -> list[Span]:
        """The part of some spans from cell `start` up to `end`."""
        shown, position = [], 0
        for span in spans:
            after = position + self._measure(span.text)
            if start <= position and after <= end:
                shown.append(span)
            elif text := self._part(span.text, start - position, end - position):
                shown.append(Span(text, span.ink, span.ref))
            position = after
        return shown

    def _part(self, text: str, start: int, end: int) -> str:
        """A text from cell `start` up to `end`; a wide character that is cut in half becomes blank.

        The width of a character depends on those before it, as in an emoji sequence.
        """
        part, position = "", 0
        for i, character in enumerate(text, 1):
            after = self._measure(text[:i])
            if start <= position and after <= end:
                part += character
            else:
                part += " " * max(0, min(after, end) - max(position, start))
            position = after
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
            elif words := " ".join(part for part in (node.sign, node.weight) if part):
                word = f" {escape_control_characters(words)} "
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
    """The sign of a node's role, or of absence; brackets or a frame show the role as well."""
    return SIGNS[node.role if node.happens else Role.ABSENT]


def draw_placement(placement: Placement, graph: Graph, measure: Measure) -> list[Row]:
    """Draw all rows of a placement."""
    canvas = Canvas(placement, graph, measure)
    return [canvas.row(y, 0, placement.width) for y in range(placement.height)]
