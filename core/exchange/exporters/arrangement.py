"""Positions of the nodes and links of a picture in pixels: in layers, causes before effects.

The states of an item share one arrangement, so that nothing moves when one changes to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log, sqrt

from core.contract.view import Graph
from core.exchange.exporters.document import ExportError
from core.exchange.exporters.labels import CELL, LINE_CELLS, label_of, link_label
from core.exchange.exporters.paths import Box, Key, LinkPath, Point, label_place, with_keys
from core.layout.graph.coordinates import vertex_centres
from core.layout.graph.layering import Layered, assign_layers
from core.layout.graph.ordering import order_vertices
from core.layout.plain_text import cells
from core.text.language import _

MOST = 5_000
"""Most nodes of a picture."""
MOST_LINKS = 3_000
"""Most links of a picture."""
MANY = 2_000
"""Nodes from which a picture is slow to move."""

_APART = 34
"""Least distance between two nodes of a layer."""
_BETWEEN = 76.0
"""Distance between two layers."""
_LANE = 26
"""Least distance between a node and a link that passes it."""
_ASIDE = 60.0
_NUDGE = 6.0
"""How far a second link between two nodes is drawn beside the first: at a node, and at a bend."""
_ARRIVAL = 26.0
"""How far apart links arrive at a node, where it is broad enough."""
_STUB = 16.0
"""How far a link runs straight before and after a layer."""
_SHAPE = 1.5
"""Width over height that a picture should have."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The positions of all nodes and the paths of all links, for all states together."""

    boxes: Mapping[str, Box]
    paths: Mapping[Key, LinkPath]
    labels: Mapping[Key, Point] = field(default_factory=dict)
    """Where labels of links begin; without it their middle is on the curve."""
    line_cells: int = LINE_CELLS
    """Characters of a line of a node."""

    def label(self, key: Key) -> Point:
        """The place of the label of a link."""
        return self.labels[key] if self.labels else label_place(self.paths[key])


def arrange(graphs: Sequence[Graph]) -> Arrangement:
    """Place the nodes of all graphs; a node has the same position in each.

    Raises `ExportError` for more than `MOST` nodes or `MOST_LINKS` links.
    """
    sizes: dict[str, Point] = {}
    for node in (node for graph in graphs for node in graph.nodes):
        width, height = label_of(node).size
        before = sizes.get(node.id, (0.0, 0.0))
        sizes[node.id] = max(width, before[0]), max(height, before[1])
    keys = list(dict.fromkeys(key for graph in graphs for key, _ in with_keys(graph.links)))
    nodes = _("This graph has {count:,} nodes; a picture with more than {most:,} is of no use.")
    links = _("This graph has {count:,} links; a picture with more than {most:,} is of no use.")
    for count, most, what in ((len(sizes), MOST, nodes), (len(keys), MOST_LINKS, links)):
        if count > most:
            raise ExportError(
                what.format(count=count, most=most),
                hint=_("Show fewer of them, or write graphml, dot or json and open that in Gephi."),
            )
    linked = {end for source, target, _ in keys if source != target for end in (source, target)}
    skeleton = _skeleton([name for name in sizes if name in linked], keys)
    # Beside each other, layers leave room for the figure behind a label too.
    figures = max(
        (cells(link_label(link)) - cells(link.label) for graph in graphs for link in graph.links),
        default=0,
    )
    below = _placed(skeleton, sizes, keys, _BETWEEN, down=True)
    beside = _placed(skeleton, sizes, keys, _BETWEEN + figures * CELL, down=False)
    return min(below, beside, key=_unlike)


@dataclass(frozen=True, slots=True)
class _Skeleton:
    """The linked nodes in layers, before it is known how large anything is."""

    names: Sequence[str]
    """What the first vertices of `drawn` stand for."""
    drawn: Layered
    rows: Sequence[Sequence[int]]
    """The vertices of each layer in their order."""
    lanes: Mapping[tuple[str, str], Sequence[int]]
    """The vertices at which a link bends, from its source to its target."""


def _skeleton(names: Sequence[str], keys: Sequence[Key]) -> _Skeleton:
    number = {name: i for i, name in enumerate(names)}
    pairs = list(dict.fromkeys((source, target) for source, target, _ in keys if source != target))
    drawn = assign_layers(
        len(names), [(number[source], number[target]) for source, target in pairs]
    )
    above = {(net, lower): upper for net, upper, lower in drawn.pieces}
    lanes = {}
    for i, net in enumerate(drawn.nets):
        for link, end in zip(net.links, net.targets, strict=True):
            lane, vertex = [], above[i, end]
            while vertex != net.source:
                lane.append(vertex)
                vertex = above[i, vertex]
            lanes[pairs[link]] = lane if net.reversed else lane[::-1]
    return _Skeleton(names, drawn, order_vertices(drawn), lanes)


def _unlike(arrangement: Arrangement) -> float:
    """How far the proportions of a picture are from the desired ones."""
    boxes = arrangement.boxes.values()
    if not boxes:
        return 0.0
    width = max(b.x + b.width / 2 for b in boxes) - min(b.x - b.width / 2 for b in boxes)
    height = max(b.y + b.height / 2 for b in boxes) - min(b.y - b.height / 2 for b in boxes)
    return abs(log(width / height / _SHAPE))


def _placed(
    skeleton: _Skeleton,
    sizes: Mapping[str, Point],
    keys: Sequence[Key],
    between: float,
    *,
    down: bool,
) -> Arrangement:
    """Place everything with the layers below each other, or beside each other.

    Args:
        skeleton: the layers.
        sizes: width and height of each node.
        keys: the links.
        between: the distance between two layers.
        down: whether they are below each other.
    """
    across, along = (0, 1) if down else (1, 0)
    bends = [0] * (skeleton.drawn.count - len(skeleton.names))
    room = [ceil(sizes[name][across]) for name in skeleton.names] + bends
    thick = [ceil(sizes[name][along]) for name in skeleton.names] + bends
    at = vertex_centres(skeleton.drawn, skeleton.rows, room, _APART, _LANE)
    bands = [(0.0, 0.0)] * skeleton.drawn.count
    start = 0.0
    for row in skeleton.rows:
        end = start + max(thick[vertex] for vertex in row)
        for vertex in row:
            bands[vertex] = start, end
        start = end + between
    boxes = {}
    for i, name in enumerate(skeleton.names):
        middle = at[i], (bands[i][0] + bands[i][1]) / 2
        boxes[name] = Box(middle[across], middle[along], *sizes[name])
    boxes |= _loose(
        {name: size for name, size in sizes.items() if name not in boxes},
        wide=max((b.x + b.width / 2 for b in boxes.values()), default=0.0),
        top=max((b.y + b.height / 2 + _BETWEEN for b in boxes.values()), default=0.0),
    )
    points = _paths(skeleton, keys, at, bands, room, thick)
    paths = {
        key: _rounded((p[across], p[along]) for p in points[key])
        if key in points
        else _loop(boxes[key[0]], key[2])
        for key in keys
    }
    return Arrangement({name: boxes[name] for name in sizes}, paths)


def _paths(
    skeleton: _Skeleton,
    keys: Sequence[Key],
    at: Sequence[float],
    bands: Sequence[tuple[float, float]],
    room: Sequence[int],
    thick: Sequence[int],
) -> dict[Key, list[Point]]:
    """The points that lead each link between two nodes, as places across and along the layers.

    Args:
        skeleton: the layers.
        keys: the links; those from a node to itself are left out.
        at: the middle of each vertex across its layer.
        bands: where the layer of each vertex begins and ends.
        room: what each vertex takes across its layer.
        thick: what each vertex takes along.
    """
    number = {name: i for i, name in enumerate(skeleton.names)}
    known = set(keys)
    widest = {(source, target): before + 1 for source, target, before in keys}
    paths: dict[Key, list[Point]] = {}
    arriving: dict[tuple[int, bool], list[Key]] = {}
    for source, target, before in keys:
        if source == target:
            continue
        # Of two nodes that lead to each other, one link makes room for the other.
        crowded = (target, source, 0) in known and source > target
        beside = -before - 1 if crowded else before
        most = max(abs(beside), widest[source, target], widest.get((target, source), 0))
        passed = [number[source], *skeleton.lanes[source, target], number[target]]
        aside = [beside * _aside(room[vertex], most) for vertex in passed]
        points = _points_through(passed, at, bands, aside)
        onward = bands[passed[0]] < bands[passed[-1]]
        # It leaves the node itself, which may be thinner than its layer.
        for end, vertex, side in ((0, passed[0], 1), (-1, passed[-1], -1)):
            away = side if onward else -side
            points[end] = points[end][0], sum(bands[vertex]) / 2 + away * thick[vertex] / 2
        paths[source, target, before] = points
        arriving.setdefault((passed[-1], onward), []).append((source, target, before))
    for (vertex, _onward), together in arriving.items():
        _part_arrivals([paths[key] for key in together], at[vertex], room[vertex])
    return paths


def _part_arrivals(paths: Sequence[list[Point]], middle: float, room: int) -> None:
    """Let links that arrive at one side of a node end beside each other, in the order they come.

    What leaves a node may share a place; of what arrives, each head shows what kind of link it is.
    A single link arrives where its path leads.
    """
    step = min(_ARRIVAL, room * 0.8 / len(paths))
    for i, path in enumerate(sorted(paths, key=lambda path: (path[-3][0], path[0]))):
        x = middle + (i - (len(paths) - 1) / 2) * step if len(paths) > 1 else path[-1][0]
        path[-2:] = [(x, path[-2][1]), (x, path[-1][1])]


def _rounded(points: Iterable[Point]) -> LinkPath:
    return tuple((round(x, 1), round(y, 1)) for x, y in points)


def _aside(room: int, most: int) -> float:
    """How far one link is drawn beside the other, of `most` links beside the first.

    All of them stay on the node, which takes `room`, and in the lane that is kept at a bend.
    """
    return min(_ASIDE, room * 0.4 / most) if room else min(_NUDGE, (_LANE - 4) / most)


def _points_through(
    passed: Sequence[int],
    at: Sequence[float],
    bands: Sequence[tuple[float, float]],
    aside: Sequence[float],
) -> list[Point]:
    """The points that lead a link, as places across and along the layers.

    It crosses each layer straight, where room is kept for it, and slants only between layers.
    """
    onward = bands[passed[0]] < bands[passed[-1]]
    points: list[Point] = []
    for vertex, step in zip(passed, aside, strict=True):
        start, end = bands[vertex][0] - _STUB, bands[vertex][1] + _STUB
        edges = (start, end) if onward else (end, start)
        points += [(at[vertex] + step, edge) for edge in edges]
    return points


def _loop(box: Box, before: int) -> LinkPath:
    """The path of a link from a node to itself, around its upper right corner."""
    right, top = box.x + box.width / 2, box.y - box.height / 2
    reach = _STUB * (2 - 1 / (1 + before))
    out, above = right + reach, top - reach
    points = (right, box.y), (out, box.y), (out, above), (right - 20, above), (right - 20, top)
    return _rounded(points)


def _loose(sizes: Mapping[str, Point], *, wide: float, top: float) -> dict[str, Box]:
    """Nodes without links, in rows below the others."""
    area = sum((w + _APART) * (h + _APART) for w, h in sizes.values())
    wide = max(wide, sqrt(area * _SHAPE))
    boxes: dict[str, Box] = {}
    left, deepest = 0.0, 0.0
    for name, (width, height) in sizes.items():
        if left and left + width > wide:
            left, top, deepest = 0.0, top + deepest + _APART, 0.0
        boxes[name] = Box(left + width / 2, top + height / 2, width, height)
        left += width + _APART
        deepest = max(deepest, height)
    return boxes
