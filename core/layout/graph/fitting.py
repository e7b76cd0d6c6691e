"""Chooses the largest drawing of a graph that fits into a pane."""

from __future__ import annotations

from functools import partial

from core.contract.view import Graph
from core.layout.graph.drawing_options import LABEL_WIDTH, Direction, Zoom
from core.layout.graph.placement import Placement, place_graph
from core.layout.rows import Measure

_FITS = (
    (Zoom.BOXES, 0),
    *((Zoom.LABELS, width) for width in (48, 34, LABEL_WIDTH, 18, 14, 11)),
)
"""The drawings that are tried, the largest first: a zoom, and most cells of a label."""
_NARROW = (LABEL_WIDTH, 18, 14, 11)
"""The labels that are tried where a drawing is too high, so that it is scrolled in one direction
only; the shortest have room for a word."""
_MANY = 150
"""Nodes beyond which only one drawing is tried."""


def fitting_placement(
    graph: Graph,
    measure: Measure,
    width: int,
    height: int,
    *,
    direction: Direction | None = None,
    zoom: Zoom | None = None,
    glyphs: bool = False,
) -> Placement:
    """Place a graph as large as it fits; where nothing fits, larger than the pane.

    What is too high is made as narrow as the pane, beside its scrollbar, where short labels are
    enough for that.

    Args:
        graph: the graph.
        measure: terminal cells that a text takes.
        width: terminal cells of the pane.
        height: its lines.
        direction: the only direction to try; None for each.
        zoom: the only zoom to try; None for the largest that fits.
        glyphs: whether nodes may be drawn as bare numbers where nothing larger fits.
    """
    lay = partial(place_graph, graph, measure, room=width)
    directions = (direction,) if direction else tuple(Direction)

    def fits(placement: Placement) -> bool:
        return placement.width <= width and placement.height <= height

    if zoom is not None:
        return lay(direction=directions[0], zoom=zoom)
    if len(graph.nodes) <= _MANY:
        # What does not fit as numbers hardly fits in any other way, and laying out takes time.
        least = [lay(direction=each, zoom=Zoom.GLYPHS) for each in directions]
        fitting = [placement for placement in least if fits(placement)]
        for larger, label in _FITS:
            for numbers in fitting:
                placement = lay(direction=numbers.direction, zoom=larger, label=label)
                if fits(placement):
                    return placement
        if fitting and glyphs:
            return fitting[0]
        beside_scrollbar = width - 1
        for label in _NARROW if least[0].width <= beside_scrollbar else ():
            placement = lay(direction=directions[0], label=label, room=beside_scrollbar)
            if placement.width <= beside_scrollbar:
                return placement
    return lay(direction=directions[0], zoom=Zoom.LABELS)
