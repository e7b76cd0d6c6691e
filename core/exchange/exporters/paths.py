"""Lines of a picture as paths: links as curves with control points, nodes as polygons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import hypot

from core.contract.view import Link
from core.exchange.exporters.looks import Look, Outline

Point = tuple[float, float]
LinkPath = tuple[Point, ...]
"""From the edge of the source to the edge of the target, through at least two points between."""
Key = tuple[str, str, int]
"""Source and target of a link, and how many links between these two came before it."""

_HEAD = 11.0
"""Length of an arrow head, in pixels."""
_INNER = 4.0
"""How far inside the node a second outline is drawn, in pixels."""
_ROUND = 8.0
_CUT = 10.0
_PILL = 22.0


@dataclass(frozen=True, slots=True)
class Box:
    """The middle and the size of a node."""

    x: float
    y: float
    width: float
    height: float


def with_keys(links: Iterable[Link]) -> Iterator[tuple[Key, Link]]:
    """Each link with a key that is unique in its graph."""
    seen: Counter[tuple[str, str]] = Counter()
    for link in links:
        pair = link.source, link.target
        yield (*pair, seen[pair]), link
        seen[pair] += 1


def curve_path(path: LinkPath) -> str:
    """The curve as path data of SVG: straight at its ends, bent at each point between."""
    parts = [f"M{_pair(path[0])}"]
    parts += [f"Q{_pair(control)} {_pair(end)}" for _, control, end in _bends(path)]
    return "".join(parts)


def arrow_head(path: LinkPath) -> str:
    """A triangle at the end of a path, as path data of SVG."""
    (x0, y0), (x, y) = path[-2], path[-1]
    long = max(hypot(x - x0, y - y0), 1e-9)
    ux, uy = (x - x0) / long * _HEAD, (y - y0) / long * _HEAD
    left = x - ux - uy * 0.45, y - uy + ux * 0.45
    right = x - ux + uy * 0.45, y - uy - ux * 0.45
    return f"M{_pair((x, y))}L{_pair(left)}L{_pair(right)}Z"


def label_place(path: LinkPath) -> Point:
    """The middle of a link's label, on the curve between the last two layers."""
    x, y = _middle(path[-3], path[-2])
    return round(x, 1), round(y, 1)


def _bends(path: LinkPath) -> Iterator[tuple[Point, Point, Point]]:
    """The quadratic curves that a path consists of: start, control point, end."""
    start = path[0]
    for i in range(1, len(path) - 1):
        end = path[-1] if i == len(path) - 2 else _middle(path[i], path[i + 1])
        yield start, path[i], end
        start = end


def _middle(a: Point, b: Point) -> Point:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _pair(point: Point) -> str:
    return " ".join(f"{round(c, 1):g}" for c in point)


def polygon_path(points: Sequence[Point]) -> str:
    """A polygon as path data of SVG."""
    return f"M{'L'.join(map(_pair, points))}Z"


def outline_paths(look: Look, box: Box) -> list[str]:
    """The outlines of a node as path data of SVG: one, or a second one inside it."""
    insets = (0.0, _INNER) if look.double else (0.0,)
    return [_outline(look.outline, box, inset) for inset in insets]


def _outline(kind: Outline, box: Box, inset: float) -> str:
    """The outline of a node, clockwise; `inset` makes it smaller."""
    width, height = box.width / 2 - inset, box.height / 2 - inset
    match kind:
        case "square":
            return _cut(box, width, height, 0.0, 0.0)
        case "cut":
            return _cut(box, width, height, _CUT, _CUT)
        case "hexagon":
            return _cut(box, width, height, min(_CUT, width), height)
        case "round":
            return _rounded(box, width, height, min(_ROUND, height))
        case "pill":
            return _rounded(box, width, height, min(height, _PILL))


def _cut(box: Box, width: float, height: float, dx: float, dy: float) -> str:
    """Corners taken off by `dx` and `dy`; a hexagon where these meet."""
    corners = [
        (-width, -height + dy),
        (-width + dx, -height),
        (width - dx, -height),
        (width, -height + dy),
        (width, height - dy),
        (width - dx, height),
        (-width + dx, height),
        (-width, height - dy),
    ]
    return polygon_path([(box.x + x, box.y + y) for x, y in dict.fromkeys(corners)])


def _rounded(box: Box, width: float, height: float, radius: float) -> str:
    """Corners that are quarters of a circle."""
    start = _pair((box.x - width, box.y - height + radius))
    across, down, r = (
        f"{round(c, 1):g}" for c in (2 * (width - radius), 2 * (height - radius), radius)
    )
    corner = f"a{r} {r} 0 0 1 "
    return (
        f"M{start}{corner}{r} -{r}h{across}{corner}{r} {r}v{down}"
        f"{corner}-{r} {r}h-{across}{corner}-{r} -{r}Z"
    )
