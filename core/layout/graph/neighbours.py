"""From one node to the nearest in a direction, as keys move a cursor."""

from __future__ import annotations

from enum import Enum

from core.layout.graph.placement import Placement


class Heading(Enum):
    """Where to look, as steps in x and y."""

    LEFT = (-1, 0)
    RIGHT = (1, 0)
    UP = (0, -1)
    DOWN = (0, 1)


_ASPECT = 2.0
"""How many cells across look as long as one down."""
_ASIDE = 2.0
"""How much farther a node seems for every step that it lies aside."""


def nearest(placement: Placement, node_id: str, heading: Heading) -> str:
    """The node nearest to one in a direction; the node itself where there is none.

    Only nodes that begin where this one has ended are looked at; to the left and the right none
    that lies more aside than ahead. Of those as near as each other the one whose middle is less
    aside counts, then the first.
    """
    here = placement.nodes[node_id]
    x0, y0 = here.centre
    dx, dy = heading.value
    best, least = node_id, (float("inf"), 0.0)
    for other, rect in placement.nodes.items():
        across = _gap(here.x, here.width, rect.x, rect.width) / _ASPECT
        down = _gap(here.y, here.height, rect.y, rect.height)
        x, y = rect.centre
        ahead: float
        aside: float
        if dx:
            ahead, aside, off = across * dx, abs(down), abs(y - y0)
        else:
            ahead, aside, off = down * dy, abs(across), abs(x - x0) / _ASPECT
        if ahead <= 0 or (dx and aside > ahead):
            continue
        distance = (ahead + _ASIDE * aside, off)
        if distance < least:
            best, least = other, distance
    return best


def _gap(start: int, size: int, other: int, other_size: int) -> int:
    """Steps from one stretch to another, negative when it lies before; 0 when they overlap."""
    return max(0, other - (start + size) + 1) + min(0, other + other_size - 1 - start)
