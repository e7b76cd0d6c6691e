"""Plain text, as `show` prints it."""

from __future__ import annotations

from core.exchange.exporters.document import Document, setting_line, source_lines
from core.layout.heatmap_drawing import draw_heat_map
from core.layout.plain_text import cells, view_text
from core.layout.rows import plain
from core.text.escaping import escape_control_characters

WIDTH = 100
"""Terminal cells of a line."""
_MOST = 50_000_000
"""Characters of a text; more than any view has."""


def plain_text(document: Document) -> str:
    """The first sheet as drawn lines, its heat maps, its setting in words, and the source."""
    lines = [view_text(document.first.view, WIDTH, glosses=True), ""]
    for heat in document.readings:
        lines += [plain(draw_heat_map(heat, WIDTH, cells)), ""]
    lines.append(f"Setting: {escape_control_characters(setting_line(document.first))}")
    lines += [
        f"{name}: {escape_control_characters(value)}"
        for name, value in source_lines(document.about)
    ]
    return escape_control_characters("\n".join(lines), lines=True, limit=_MOST) + "\n"
