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

    Nodes that lie more aside than ahead are not looked at; of those as near as each other the
    first one counts.
    """
    x0, y0 = placement.nodes[node_id].centre
    dx, dy = heading.value
    best, least = node_id, float("inf")
    for other, rect in placement.nodes.items():
        if other == node_id:
            continue
        x, y = rect.centre
        across, down = (x - x0) / _ASPECT, y - y0
        ahead = across * dx + down * dy
        aside = abs(across * dy) + abs(down * dx)
        if ahead <= 0 or (dx and aside > ahead):
            continue
        distance = ahead + _ASIDE * aside
        if distance < least:
            best, least = other, distance
    return best
