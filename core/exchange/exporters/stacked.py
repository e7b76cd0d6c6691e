"""A drawing for a narrow window: the nodes below each other, their links beside them.

Whatever the graph, it fits the width of a phone with letters of full size, because a node has a row
of its own and links take little room: all links of a node leave along one line at the left, and
each arrives from above, in a row that has its label.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.contract.view import Graph, Link
from core.exchange.exporters.arrangement import Arrangement
from core.exchange.exporters.labels import CELL, PADDING, label_of
from core.exchange.exporters.paths import Box, Key, LinkPath, Point, with_keys

WIDTH = 358.0
"""Width of the drawing, in pixels: that of a phone without its margins."""
EDGE = 2.0
"""Room at either side, of which outlines need a part."""

_GAP = 12.0
"""Distance between a node and the next one, or the first link that arrives there."""
_ARRIVAL = 17.0
"""Height of the row of a link that arrives."""
_DROP = 16.0
"""Distance between the last of these rows and the node, for the head of the arrow."""
_MOST_GUTTER = 110.0
_LANE = 11.0
_STEP = 14.0
_TURN = 5.0


def stacked(graph: Graph) -> Arrangement:
    """Place the nodes of a graph below each other, causes above their effects."""
    order = _causes_first(graph)
    row = {name: i for i, name in enumerate(order)}
    arriving: dict[str, list[Key]] = defaultdict(list)
    for key, _link in with_keys(graph.links):
        arriving[key[1]].append(key)
    lanes = _lanes(graph.links, row)
    count = max(lanes.values(), default=-1) + 1
    pitch = min(_LANE, _MOST_GUTTER / max(count, 1))
    left = EDGE + (8.0 + pitch * count if count else 0.0)
    width = WIDTH - left - EDGE
    line_cells = int((width - 2 * PADDING[0]) / CELL)
    nodes = {node.id: node for node in graph.nodes}
    boxes: dict[str, Box] = {}
    ends: dict[Key, Point] = {}
    labels: dict[Key, Point] = {}
    y = EDGE
    for name in order:
        keys = arriving[name]
        step = min(_STEP, width * 0.4 / max(len(keys), 1))
        first = left + _STEP + step * max(len(keys) - 1, 0)
        for i, key in enumerate(keys):
            y += _GAP if i == 0 else _ARRIVAL
            # The highest goes furthest, so that none crosses the way down of another.
            ends[key] = first - step * i, y
            labels[key] = first + 8.0, y
        y += _DROP if keys else _GAP
        height = label_of(nodes[name], line_cells).size[1]
        boxes[name] = Box(left + width / 2, y + height / 2, width, height)
        y += height
    paths = {
        key: _path(boxes[key[0]], left - 8.0 - pitch * lanes[key[0]], ends[key], boxes[key[1]])
        for key, _link in with_keys(graph.links)
    }
    shown = {node.id: boxes[node.id] for node in graph.nodes}
    return Arrangement(shown, paths, labels, line_cells)


def _causes_first(graph: Graph) -> list[str]:
    """The ids of the nodes: a node after all that lead to it, chains together, cycles cut."""
    targets: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    waiting: Counter[str] = Counter()
    for link in graph.links:
        if link.source != link.target:
            targets[link.source].append(link.target)
            waiting[link.target] += 1
    order: dict[str, None] = {}
    ready = [name for name in reversed(targets) if not waiting[name]]
    rest = iter(targets)
    while len(order) < len(targets):
        # In a cycle every node waits for another; the first of them begins.
        name = ready.pop() if ready else next(name for name in rest if name not in order)
        if name in order:
            continue
        order[name] = None
        for target in reversed(targets[name]):
            waiting[target] -= 1
            if not waiting[target] and target not in order:
                ready.append(target)
    return list(order)


def _lanes(links: Iterable[Link], row: Mapping[str, int]) -> dict[str, int]:
    """The lane of each node that links leave, 0 nearest to the nodes; no two share a place."""
    spans: dict[str, tuple[float, float]] = {}
    for link in links:
        leaves, arrives = row[link.source], row[link.target]
        # It arrives above its node, from above or, back to a cause, from below.
        ends = (float(leaves), arrives - (0.25 if leaves < arrives else 0.5))
        start, stop = spans.get(link.source, ends)
        spans[link.source] = min(start, *ends), max(stop, *ends)
    taken: list[list[tuple[float, float]]] = []
    lanes = {}
    for name, span in sorted(spans.items(), key=lambda each: (each[1][1] - each[1][0], each[1])):
        lane = next((i for i, used in enumerate(taken) if _free(span, used)), len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append(span)
        lanes[name] = lane
    return lanes


def _free(span: tuple[float, float], used: Sequence[tuple[float, float]]) -> bool:
    return all(span[1] <= start or stop <= span[0] for start, stop in used)


def _path(source: Box, lane: float, end: Point, target: Box) -> LinkPath:
    """From the left edge of a node along its lane, then in its row, and down."""
    x, y = end
    corners = (
        (source.x - source.width / 2, source.y),
        (lane, source.y),
        (lane, y),
        (x, y),
        (x, target.y - target.height / 2),
    )
    points = [corners[0]]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        points += [_towards(corner, before), corner, _towards(corner, after)]
    points.append(corners[-1])
    return tuple((round(a, 1), round(b, 1)) for a, b in points)


def _towards(corner: Point, other: Point) -> Point:
    """A point of a line shortly before or behind a corner, where its curve begins."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    share = min(_TURN / max(abs(dx), abs(dy), 1e-9), 0.5)
    return corner[0] + dx * share, corner[1] + dy * share
