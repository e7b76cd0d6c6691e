"""In which rows a drawing goes on beyond the columns that are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.layout.graph.placement import Placement

MORE_LEFT, MORE_RIGHT = "◂", "▸"
"""Stand at the edge of a row whose nodes go on there."""


def rows_beyond(
    placement: Placement, left: int, right: int
) -> tuple[frozenset[int], frozenset[int]]:
    """The rows with a node that begins before column `left`, and with one that ends after `right`.

    The row of a node is its middle one.
    """
    rects = placement.nodes.values()
    return (
        frozenset(rect.y + rect.height // 2 for rect in rects if rect.x < left),
        frozenset(rect.y + rect.height // 2 for rect in rects if rect.x + rect.width > right),
    )
