"""A picture of a graph the size of a stamp: its shape and its roles, without letters."""

from __future__ import annotations

from core.contract.view import Graph, Role
from core.exchange.exporters.arrangement import arrange
from core.exchange.exporters.looks import LOOKS
from core.exchange.exporters.paths import curve_path, with_keys
from core.exchange.exporters.svg import bounds

_MARGIN = 20.0
_MOST_NODES = 80


def thumbnail(graph: Graph | None) -> str:
    """An `<svg>` without any text of the graph; empty for none, and for one with too many nodes."""
    if graph is None or not 0 < len(graph.nodes) <= _MOST_NODES:
        return ""
    arrangement = arrange([graph])
    left, top, right, bottom = bounds(arrangement)
    width, height = right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN
    lines = [
        f'<path class="{link.role}"{_dash(link.role)} d="{curve_path(arrangement.paths[key])}"/>'
        for key, link in with_keys(graph.links)
    ]
    for node in graph.nodes:
        box = arrangement.boxes[node.id]
        lines.append(
            f'<rect class="{node.role}"{_dash(node.role)} x="{box.x - box.width / 2:.0f}" '
            f'y="{box.y - box.height / 2:.0f}" width="{box.width:.0f}" height="{box.height:.0f}"/>'
        )
    view = f"{left - _MARGIN:.0f} {top - _MARGIN:.0f} {width:.0f} {height:.0f}"
    return f'<svg viewBox="{view}" aria-hidden="true">{"".join(lines)}</svg>'


def thumbnail_style() -> str:
    """The CSS rules of thumbnails, inside elements of class `thumb`."""
    inks = "".join(f".thumb .{role}{{stroke:var(--cs-{role})}}" for role in Role)
    return (
        ".thumb path,.thumb rect{fill:none;stroke-width:1.5;vector-effect:non-scaling-stroke}"
        f".thumb rect{{fill:var(--surface)}}{inks}"
    )


def _dash(role: Role) -> str:
    # Strokes do not shrink with the picture, so the dashes of its full size are right here too.
    dash = LOOKS[role].dash
    return f' stroke-dasharray="{" ".join(map(str, dash))}"' if dash else ""
