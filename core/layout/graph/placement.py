"""The geometry of a drawn graph, which does not depend on the roles of its nodes.

Toggling the world changes how a node or a link looks, never its position. The label of a link
stands in its line: the link enters it on one side and goes on from the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.contract.view import Graph
from core.layout.graph.coordinates import vertex_centres
from core.layout.graph.drawing_options import LABEL_WIDTH, Direction, Zoom
from core.layout.graph.layering import Layered, assign_layers
from core.layout.graph.ordering import order_vertices
from core.layout.graph.routing import Channel, Point, Wire, route_channels
from core.layout.rows import Measure, fit, pad, wrap
from core.text.escaping import escape_control_characters

BOX_WIDTH = 24
"""Most cells of a line in a box."""
LINK_LABEL_WIDTH = 16
"""Most cells of the label of a link."""
_AROUND_LABEL = 3
"""Cells of a one-line node beside its text: its sign and brackets."""
_GAP = 3
"""Cells between nodes of a row."""


@dataclass(frozen=True, slots=True)
class Rect:
    """Where a node or a label stands, in cells."""

    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[float, float]:
        """The middle."""
        return self.x + (self.width - 1) / 2, self.y + (self.height - 1) / 2


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of a link's way, in straight lines from one corner to the next."""

    net: int
    """Legs of the same net have the same beginning and may share lines."""
    points: tuple[tuple[int, int], ...]
    """(x, y) from beside a node or a label to beside the next, in the layers' direction."""


@dataclass(frozen=True, slots=True)
class Route:
    """The way of one link."""

    link: int
    """Its index among the graph's links."""
    legs: tuple[Leg, ...]
    """One from node to node, or one to the link's label and one from there, in the layers'
    direction."""
    reversed: bool
    """Whether the link leads against the layers' direction: it closes a cycle."""

    @property
    def first(self) -> tuple[int, int]:
        """The cell beside the upper node, or the left one."""
        return self.legs[0].points[0]

    @property
    def last(self) -> tuple[int, int]:
        """The cell beside the lower node, or the right one."""
        return self.legs[-1].points[-1]


@dataclass(frozen=True, slots=True)
class Label:
    """The label in the line of one link, or of several with the same ends."""

    rect: Rect
    text: str
    """With a blank before and behind it, as wide as `rect`."""
    links: tuple[int, ...]
    """Their indices among the graph's links."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where everything is drawn."""

    nodes: Mapping[str, Rect]
    lines: Mapping[str, tuple[str, ...]]
    """The text of each node, wrapped for the zoom."""
    routes: tuple[Route, ...]
    labels: tuple[Label, ...]
    loops: frozenset[str]
    """Nodes that have a link to themselves."""
    width: int
    height: int
    direction: Direction
    zoom: Zoom


def place_graph(
    graph: Graph,
    measure: Measure,
    *,
    direction: Direction = Direction.DOWN,
    zoom: Zoom = Zoom.LABELS,
    label: int = LABEL_WIDTH,
    room: int = 0,
) -> Placement:
    """Lay a graph out.

    `label` is the most cells of a one-line node. Where there are `room` cells from side to side,
    nodes are as much longer as the places of the others allow. Links whose ends are not among the
    nodes are left out, and so are all labels of links where nodes are drawn as numbers. Depends on
    the ids, texts and order of the nodes and on the links' ends and labels only.
    """
    ids = [node.id for node in graph.nodes]
    number = {node_id: i for i, node_id in enumerate(ids)}
    links = [
        (i, number[link.source], number[link.target])
        for i, link in enumerate(graph.links)
        if link.source in number and link.target in number
    ]
    words = [_label(graph.links[i].label, measure) for i, _, _ in links]
    shape = assign_layers(
        len(ids),
        [(source, target) for _, source, target in links],
        None if zoom is Zoom.GLYPHS else words,
    )
    down = direction is Direction.DOWN
    texts = _texts(graph, zoom, [label] * len(ids), measure)
    ports = _ports(shape)
    boxes = [
        _box(texts[node_id], ports[i], measure, zoom, down=down) for i, node_id in enumerate(ids)
    ]
    boxes += [(measure(words[link]), 1) for link in shape.labels]
    along = [height if down else width for width, height in boxes]
    order = order_vertices(shape)
    sizes = [width if down else height for width, height in boxes]
    sizes += [1] * (shape.count - shape.stops)
    gaps = (_GAP, 1) if down else (1, 1)
    places = vertex_centres(shape, order, sizes, *gaps)
    left_of = [width // 2 for width in sizes]
    if down and zoom is Zoom.LABELS and room:
        places, spare = _spread(order, places, sizes, room)
        # A node that is wider than the pane could not be seen whole by scrolling either.
        widest = max(label, room - 1 - _GAP - _AROUND_LABEL)
        most = [min(widest, boxes[i][0] - _AROUND_LABEL + sum(spare[i])) for i in range(len(ids))]
        texts = _texts(graph, zoom, most, measure)
        wanted = [_width(texts[node_id], measure) for node_id in ids]
        boxes, left_of, places = _widened(boxes, left_of, places, wanted, spare)
    wires = route_channels(shape, order, places, sizes)
    tops, bottoms = _depths(shape, order, along, wires, down=down)
    rects = []
    for i, (width, height) in enumerate(boxes):
        start, top = places[i] - left_of[i], tops[shape.layer[i]]
        rects.append(Rect(start, top, width, height) if down else Rect(top, start, width, height))
    ways = _ways(shape, wires, (tops, bottoms), along, down=down)
    which = [i for i, _, _ in links]
    routes = _routes(shape, ways, which, down=down)
    points = [point for route in routes for leg in route.legs for point in leg.points]
    xs = [rect.x + rect.width for rect in rects] + [x + 1 for x, _ in points]
    ys = [rect.y + rect.height for rect in rects] + [y + 1 for _, y in points]
    return Placement(
        nodes=dict(zip(ids, rects, strict=False)),
        lines=texts,
        routes=routes,
        labels=tuple(
            Label(rects[net.source], words[net.links[0]], tuple(which[i] for i in net.links))
            for net in shape.nets
            if net.source >= shape.nodes
        ),
        loops=frozenset(ids[links[i][1]] for i in shape.loops),
        width=max(xs, default=0),
        height=max(ys, default=0),
        direction=direction,
        zoom=zoom,
    )


def _label(text: str, measure: Measure) -> str:
    """The label of a link between blanks, not too long; empty where it has none."""
    shown = " ".join(escape_control_characters(text).split())
    width = min(measure(shown), LINK_LABEL_WIDTH)
    return f" {pad(shown, width, measure)} " if shown else ""


def _spread(
    order: Sequence[Sequence[int]], places: Sequence[int], sizes: Sequence[int], room: int
) -> tuple[list[int], list[tuple[int, int]]]:
    """Centres in the middle of `room` cells, and the free cells before and behind each vertex."""
    right = max(place + size // 2 for place, size in zip(places, sizes, strict=True))
    aside = max(0, (room - 1 - right) // 2)
    centres, free = [place + aside for place in places], [(0, 0)] * len(places)
    for row in order:
        edges = [(centres[v] - sizes[v] // 2, centres[v] + sizes[v] // 2) for v in row]
        # Neighbours have half of the way between them each.
        between = [max(0, right[0] - left[1] - 1 - _GAP) // 2 for left, right in pairwise(edges)]
        before = [max(0, edges[0][0]), *between]
        behind = [*between, max(0, room - 1 - edges[-1][1])]
        for vertex, beside in zip(row, zip(before, behind, strict=True), strict=True):
            free[vertex] = beside
    return centres, free


def _widened(
    boxes: Sequence[tuple[int, int]],
    left_of: Sequence[int],
    places: Sequence[int],
    wanted: Sequence[int],
    spare: Sequence[tuple[int, int]],
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Nodes as wide as wanted: their boxes, the cells left of their centres, and the centres.

    Wires keep to the narrower node, which stands within the wider one.
    """
    wide, left = list(boxes), list(left_of)
    for i, (width, (before, behind)) in enumerate(zip(wanted, spare, strict=False)):
        more = max(0, width - boxes[i][0])
        wide[i] = (boxes[i][0] + more, boxes[i][1])
        left[i] += min(max(more // 2, more - behind), before)
    margin = min(place - cells for place, cells in zip(places, left, strict=True))
    return wide, left, [place - margin for place in places]


def _texts(
    graph: Graph, zoom: Zoom, widths: Sequence[int], measure: Measure
) -> dict[str, tuple[str, ...]]:
    texts: dict[str, tuple[str, ...]] = {}
    for i, (node, label) in enumerate(zip(graph.nodes, widths, strict=True), 1):
        shown = " ".join(escape_control_characters(node.text).split()) or "·"
        if zoom is Zoom.GLYPHS:
            texts[node.id] = (str(i),)
        elif zoom is Zoom.LABELS:
            lines = wrap(shown, label, measure)
            if len(lines) == 1:
                texts[node.id] = (lines[0],)
            else:
                # A whole word less is too much where there is room for two or three.
                cut = fit if label < LABEL_WIDTH else _first_line
                texts[node.id] = (cut(shown, label - 1, measure).rstrip() + "…",)
        else:
            texts[node.id] = tuple(wrap(shown, BOX_WIDTH, measure))
    return texts


def _first_line(text: str, width: int, measure: Measure) -> str:
    return wrap(text, width, measure)[0]


def _ports(shape: Layered) -> list[int]:
    """Most nets that enter, or leave, each node."""
    into: list[set[int]] = [set() for _ in range(shape.nodes)]
    out: list[set[int]] = [set() for _ in range(shape.nodes)]
    for net, above, below in shape.pieces:
        if above < shape.nodes:
            out[above].add(net)
        if below < shape.nodes:
            into[below].add(net)
    return [max(len(a), len(b)) for a, b in zip(into, out, strict=True)]


def _box(
    lines: Sequence[str], ports: int, measure: Measure, zoom: Zoom, *, down: bool
) -> tuple[int, int]:
    """Width and height of a node: its text, a sign, brackets or a frame, and room for its ports."""
    width = _width(lines, measure) + (2 if zoom is Zoom.BOXES else 0)
    height = len(lines) + (2 if zoom is Zoom.BOXES else 0)
    if down:
        width = max(width, 2 * ports - 1)
        return width + (width + 1) % 2, height
    return width, max(height, ports + (2 if zoom is Zoom.BOXES else 0))


def _width(lines: Sequence[str], measure: Measure) -> int:
    return max(measure(line) for line in lines) + _AROUND_LABEL


def _depths(
    shape: Layered,
    order: Sequence[Sequence[int]],
    along: Sequence[int],
    wires: Sequence[Channel],
    *,
    down: bool,
) -> tuple[list[int], list[int]]:
    """Where each layer begins, and where the first track below it lies."""
    tops, tracks = [], []
    at = 0
    for row, channel in zip(order, wires, strict=True):
        tops.append(at)
        thick = max((along[v] for v in row if v < shape.stops), default=1)
        back = any(
            shape.nets[wire.net].reversed and shape.nets[wire.net].source < shape.nodes
            for wire in channel.wires
        )
        first = at + thick + (1 if back or not down else 0)
        tracks.append(first)
        at = first + channel.tracks * (1 if down else 2) + (1 if down else 2)
    return tops, tracks


def _ways(
    shape: Layered,
    wires: Sequence[Channel],
    depths: tuple[Sequence[int], Sequence[int]],
    along: Sequence[int],
    *,
    down: bool,
) -> dict[tuple[int, int], list[Point]]:
    """The corners from each net's source to each of its targets, across and along."""
    tops, tracks = depths
    step = 1 if down else 2
    ways: dict[tuple[int, int], list[Point]] = {}
    starts: dict[tuple[int, int], list[Point]] = {}
    upper: dict[tuple[int, int], int] = {}
    for net, above, below in shape.pieces:
        upper[net, below] = above
    for depth, channel in enumerate(wires):
        last = tops[depth + 1] - 1 if depth + 1 < len(tops) else 0
        for wire in channel.wires:
            second = wire.after
            for vertex in (second or wire).ends:
                above = upper[wire.net, vertex]
                begun = starts.get((wire.net, above))
                if begun is None:
                    top = tops[depth] + (along[above] if above < shape.stops else 0)
                    begun = [(wire.start, top)]
                points = [*begun, *_corners(wire, vertex, tracks[depth], step)]
                end = (second or wire).ends[vertex]
                points.append((end, last))
                if vertex < shape.stops:
                    ways[wire.net, vertex] = _without_repeats(points)
                else:
                    starts[wire.net, vertex] = points
    return ways


def _corners(wire: Wire, vertex: int, first: int, step: int) -> list[Point]:
    """Where a wire turns on its way to a vertex."""
    corners: list[Point] = []
    part: Wire | None = wire
    while part is not None:
        end = part.ends[-1] if part.after is not None else part.ends[vertex]
        if part.track >= 0:
            y = first + part.track * step
            corners += [(part.start, y), (end, y)]
        part = part.after
    return corners


def _routes(
    shape: Layered,
    ways: Mapping[tuple[int, int], Sequence[Point]],
    which: Sequence[int],
    *,
    down: bool,
) -> tuple[Route, ...]:
    """The legs of every link, in the graph's order; `which` are the links' places in the graph."""
    legs: dict[int, list[Leg]] = {}
    back = set()
    for number, net in enumerate(shape.nets):
        for link, target in zip(net.links, net.targets, strict=True):
            points = tuple((a, b) if down else (b, a) for a, b in ways[number, target])
            legs.setdefault(which[link], []).append(Leg(number, points))
            if net.reversed:
                back.add(which[link])
    return tuple(Route(link, tuple(legs[link]), link in back) for link in sorted(legs))


def _without_repeats(points: Sequence[Point]) -> list[Point]:
    """The same way without points that stand twice or in the middle of a straight line."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and (
            kept[-2][0] == kept[-1][0] == point[0] or kept[-2][1] == kept[-1][1] == point[1]
        ):
            kept[-1] = point
        else:
            kept.append(point)
    return kept
