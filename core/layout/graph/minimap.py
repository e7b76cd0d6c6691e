"""A graph at a glance: every node a dot, and the part that is in sight."""

from __future__ import annotations

from core.layout.graph.placement import Placement
from core.layout.rows import Ink, Row, Span
from core.view import Role

_BLOCKS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"


def minimap(
    placement: Placement, window: tuple[int, int, int, int], width: int, height: int, cursor: str
) -> list[Row]:
    """Rows of `width` cells, four dots a cell; `window` is x, y, width and height of what is seen.

    The part in sight and the node under the cursor have inks of their own.
    """
    dots = [[0] * width for _ in range(height)]
    across = 2 * width / max(1, placement.width)
    down = 2 * height / max(1, placement.height)
    spot = (-1, -1)
    for node_id, rect in placement.nodes.items():
        x, y = rect.centre
        dot_x, dot_y = min(2 * width - 1, int(x * across)), min(2 * height - 1, int(y * down))
        dots[dot_y // 2][dot_x // 2] |= 1 << (dot_x % 2 + 2 * (dot_y % 2))
        if node_id == cursor:
            spot = (dot_x // 2, dot_y // 2)
    left, top, wide, high = window
    columns = range(int(left * across / 2), int((left + wide) * across / 2) + 1)
    lines = range(int(top * down / 2), int((top + high) * down / 2) + 1)
    rows = []
    for y in range(height):
        spans = []
        for x in range(width):
            seen = x in columns and y in lines
            ink = Ink.LIT if (x, y) == spot else Role.PLAIN if seen else Ink.TRACK
            block = _BLOCKS[dots[y][x]]
            spans.append(Span("·" if seen and block == " " else block, ink))
        rows.append(tuple(spans))
    return rows
