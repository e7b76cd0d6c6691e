"""Finds the nearest node in a direction, for moving a cursor with keys."""

from __future__ import annotations

from enum import Enum

from core.layout.graph.placement import Placement

_ASPECT = 2.0
"""How many cells of width look as long as one of height."""
_ASIDE = 2.0
"""How much farther a node seems for every step that it lies aside."""


class Heading(Enum):
    """Where to look, as steps in x and y."""

    LEFT = (-1, 0)
    RIGHT = (1, 0)
    UP = (0, -1)
    DOWN = (0, 1)


def nearest(placement: Placement, node_id: str, heading: Heading) -> str:
    """The node nearest to one in a direction; the node itself where there is none.

    Only nodes that lie wholly beyond this one are looked at; to the left and the right none
    that lies more aside than ahead. Of those as near as each other the one whose middle is less
    aside counts, then the first.
    """
    start_rect = placement.nodes[node_id]
    x0, y0 = start_rect.centre
    dx, dy = heading.value
    best, least = node_id, (float("inf"), 0.0)
    for other, rect in placement.nodes.items():
        ahead: float
        if dx:
            ahead = dx * _gap(start_rect.x, start_rect.width, rect.x, rect.width) / _ASPECT
        else:
            ahead = dy * _gap(start_rect.y, start_rect.height, rect.y, rect.height)
        # Most nodes of a large graph lie behind, or farther ahead than the best so far.
        if not 0 < ahead <= least[0]:
            continue
        x, y = rect.centre
        aside: float
        if dx:
            aside, off = (
                abs(_gap(start_rect.y, start_rect.height, rect.y, rect.height)),
                abs(y - y0),
            )
            if aside > ahead:
                continue
        else:
            aside = abs(_gap(start_rect.x, start_rect.width, rect.x, rect.width)) / _ASPECT
            off = abs(x - x0) / _ASPECT
        distance = (ahead + _ASIDE * aside, off)
        if distance < least:
            best, least = other, distance
    return best


def _gap(start: int, size: int, other: int, other_size: int) -> int:
    """Steps from one stretch to another, negative when it lies before; 0 when they overlap."""
    ahead = other - (start + size) + 1
    if ahead > 0:
        return ahead
    behind = other + other_size - 1 - start
    return behind if behind < 0 else 0
