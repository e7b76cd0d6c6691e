"""The map in the corner of a graph that is much larger than its pane."""

from __future__ import annotations

from textual.geometry import Offset, Size

from core.layout.graph.minimap import Minimap
from core.layout.graph.placement import Placement
from core.layout.rows import Row

WIDTH, HEIGHT = 16, 5


class GraphMap:
    """The map of one drawing; its rows are drawn again when the window or the cursor moves."""

    def __init__(self, placement: Placement) -> None:
        self._placement = placement
        self._map = Minimap(placement, WIDTH, HEIGHT)
        self._rows: list[Row] = []
        self._drawn: object = None
        """The window and cursor of `_rows`."""

    def row(self, y: int, offset: Offset, size: Size, cursor: str) -> Row | None:
        """The part of the map in row y of a pane; None where the pane shows none there."""
        top = size.height - HEIGHT
        if y < top or size.width < 3 * WIDTH:
            return None
        if self._placement.width * self._placement.height <= 2 * size.width * size.height:
            return None
        window = (int(offset.x), int(offset.y), size.width, size.height)
        if self._drawn != (window, cursor):
            self._drawn = (window, cursor)
            self._rows = self._map.rows(window, cursor)
        return self._rows[y - top]
