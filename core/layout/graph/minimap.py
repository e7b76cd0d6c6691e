"""A small map of a graph: a dot for every node, and the visible part."""

from __future__ import annotations

from core.contract.view import Role
from core.layout.graph.placement import Placement
from core.layout.rows import Ink, Row, Span

_BLOCKS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"


class Minimap:
    """The nodes of a placement as dots, four to a cell."""

    def __init__(self, placement: Placement, width: int, height: int) -> None:
        """`width` and `height` are in cells."""
        self._across = 2 * width / max(1, placement.width)
        self._down = 2 * height / max(1, placement.height)
        self._spots: dict[str, tuple[int, int]] = {}
        self._dots = [[0] * width for _ in range(height)]
        for node_id, rect in placement.nodes.items():
            x, y = rect.centre
            dot_x, dot_y = int(x * self._across), int(y * self._down)
            self._dots[dot_y // 2][dot_x // 2] |= 1 << (dot_x % 2 + 2 * (dot_y % 2))
            self._spots[node_id] = (dot_x // 2, dot_y // 2)

    def rows(self, window: tuple[int, int, int, int], cursor: str) -> list[Row]:
        """The map; `window` is x, y, width and height of what is seen of the placement.

        The part in sight and the node under the cursor have inks of their own.
        """
        left, top, wide, high = window
        columns = range(int(left * self._across / 2), int((left + wide) * self._across / 2) + 1)
        lines = range(int(top * self._down / 2), int((top + high) * self._down / 2) + 1)
        spot = self._spots.get(cursor)
        rows = []
        for y, dots in enumerate(self._dots):
            spans = []
            for x, cell in enumerate(dots):
                seen = x in columns and y in lines
                ink = Ink.LIT if (x, y) == spot else Role.PLAIN if seen else Ink.TRACK
                spans.append(Span("·" if seen and not cell else _BLOCKS[cell], ink))
            rows.append(tuple(spans))
        return rows
