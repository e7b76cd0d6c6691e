"""The drawing of a graph as an element of a page, in the colours of the page."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape

from core.contract.view import Graph
from core.exchange.exporters.arrangement import Arrangement, arrange
from core.exchange.exporters.self_contained import package_file
from core.exchange.exporters.stacked import EDGE, stacked
from core.exchange.exporters.svg import bounds, graph_elements, role_rules
from core.text.language import _

_MARGIN = 12.0


def inline_drawing(
    graph: Graph,
    arrangement: Arrangement | None = None,
    numbers: Mapping[str, int] | None = None,
    margin: float = _MARGIN,
) -> str:
    """An `<svg>` for an element of class `drawing`.

    Args:
        graph: what is drawn.
        arrangement: where it is drawn; by default as `arrange` places it, which raises
            `ExportError` for too many nodes.
        numbers: numbers of the nodes by id, for `data-node`; None for none.
        margin: room around the drawing, in pixels.
    """
    arrangement = arrangement or arrange([graph])
    left, top, right, bottom = bounds(arrangement)
    width, height = right - left + 2 * margin, bottom - top + 2 * margin
    title = _(
        "a drawing; nodes: {nodes}, links: {links}",
        nodes=len(graph.nodes),
        links=len(graph.links),
    )
    lines = [
        f'<svg width="{width:g}" height="{height:g}" role="img" aria-label="{escape(title)}" '
        f'viewBox="{left - margin:g} {top - margin:g} {width:g} {height:g}">',
        *graph_elements(graph, arrangement, numbers),
        "</svg>",
    ]
    return "\n".join(lines)


def narrow_drawing(graph: Graph, numbers: Mapping[str, int] | None = None) -> str:
    """An `<svg>` for a narrow window, where the nodes stand below each other.

    The graph has a node at least.
    """
    return inline_drawing(graph, stacked(graph), numbers, margin=EDGE)


def drawing_style() -> str:
    """The CSS rules of drawings; the page defines the colours as variables."""
    return package_file("drawing.css") + role_rules(lambda role: f"var(--cs-{role})", ".drawing ")
