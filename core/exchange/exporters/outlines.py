"""The outlines of nodes as polygons."""

from __future__ import annotations

from math import cos, pi, sin

from core.exchange.exporters.arrangement import Box
from core.exchange.exporters.looks import Look, Outline
from core.exchange.exporters.ways import Point, polygon_path

_INNER = 4.0
"""How far inside the node a second outline is drawn, in pixels."""
_ROUND = 8.0
_CUT = 10.0
_STEPS = 6
"""Straight pieces of a rounded corner."""


def outline_paths(look: Look, box: Box) -> list[str]:
    """The outlines of a node as path data of SVG: one, or a second one inside it."""
    insets = (0.0, _INNER) if look.double else (0.0,)
    return [polygon_path(outline(look.outline, box, inset)) for inset in insets]


def outline(kind: Outline, box: Box, inset: float = 0.0) -> tuple[Point, ...]:
    """The corners of a node's outline, clockwise from the upper left; `inset` makes it smaller."""
    width, height = box.width / 2 - inset, box.height / 2 - inset
    match kind:
        case "square":
            corners = [(-width, -height), (width, -height), (width, height), (-width, height)]
        case "cut":
            corners = _cut(width, height, _CUT, _CUT)
        case "hexagon":
            corners = _cut(width, height, min(_CUT, width), height)
        case "round":
            corners = _rounded(width, height, min(_ROUND, height))
        case "pill":
            corners = _rounded(width, height, min(height, 22.0))
    return tuple((round(box.x + x, 2), round(box.y + y, 2)) for x, y in corners)


def _cut(width: float, height: float, dx: float, dy: float) -> list[Point]:
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
    return list(dict.fromkeys(corners))


def _rounded(width: float, height: float, radius: float) -> list[Point]:
    corners = []
    for turn, (sx, sy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        for step in range(_STEPS + 1):
            angle = pi + (turn + step / _STEPS) * pi / 2
            x = sx * (width - radius) + radius * cos(angle)
            y = sy * (height - radius) + radius * sin(angle)
            corners.append((x, y))
    return corners
