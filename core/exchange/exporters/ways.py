"""The path of a link through a picture: a curve with control points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import hypot

from core.contract.view import Link

Point = tuple[float, float]
LinkPath = tuple[Point, ...]
"""From the edge of the source to the edge of the target, through at least two points between."""
Key = tuple[str, str, int]
"""Source and target of a link, and how many links between these two came before it."""

_HEAD = 11.0
"""Length of an arrow head, in pixels."""


def with_keys(links: Iterable[Link]) -> Iterator[tuple[Key, Link]]:
    """Each link with a key that is unique in its graph."""
    seen: Counter[tuple[str, str]] = Counter()
    for link in links:
        pair = link.source, link.target
        yield (*pair, seen[pair]), link
        seen[pair] += 1


def curve_path(way: LinkPath) -> str:
    """The curve as path data of SVG: straight at its ends, bent at each point between."""
    parts = [f"M{_pair(way[0])}"]
    parts += [f"Q{_pair(control)} {_pair(end)}" for _, control, end in _bends(way)]
    return "".join(parts)


def arrow_head(way: LinkPath) -> str:
    """A triangle at the end of a path, as path data of SVG."""
    (x0, y0), (x, y) = way[-2], way[-1]
    long = max(hypot(x - x0, y - y0), 1e-9)
    ux, uy = (x - x0) / long * _HEAD, (y - y0) / long * _HEAD
    left = x - ux - uy * 0.45, y - uy + ux * 0.45
    right = x - ux + uy * 0.45, y - uy - ux * 0.45
    return f"M{_pair((x, y))}L{_pair(left)}L{_pair(right)}Z"


def label_place(way: LinkPath) -> Point:
    """The middle of a link's label, on the curve between the last two layers."""
    x, y = _middle(way[-3], way[-2])
    return round(x, 1), round(y, 1)


def _bends(way: LinkPath) -> Iterator[tuple[Point, Point, Point]]:
    """The quadratic curves that a path consists of: start, control point, end."""
    start = way[0]
    for i in range(1, len(way) - 1):
        end = way[-1] if i == len(way) - 2 else _middle(way[i], way[i + 1])
        yield start, way[i], end
        start = end


def _middle(a: Point, b: Point) -> Point:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _pair(point: Point) -> str:
    return " ".join(f"{round(c, 1):g}" for c in point)


def polygon_path(points: Sequence[Point]) -> str:
    """A polygon as path data of SVG."""
    return f"M{'L'.join(map(_pair, points))}Z"
