"""Graphs of any kind, and the looks in which they are drawn."""

from __future__ import annotations

from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.view import Graph, Link, Node
from core.layout.graph.drawing_options import Direction, Zoom
from core.layout.graph.placement import Placement, Rect, place_graph

Look = tuple[Direction, Zoom]
Cell = tuple[int, int]
WORDS = st.text("abc è雨降り ", min_size=1, max_size=40)
SKILLS = st.sampled_from(("", "", "causes", "part of", "雨", "⇒ spatial", "x" * 40))
LOOKS = st.tuples(st.sampled_from(Direction), st.sampled_from(Zoom))


@st.composite
def graphs(draw: st.DrawFn, labels: st.SearchStrategy[str] = SKILLS) -> Graph:
    """Any directed graph: cycles, loops, links that occur twice, lone nodes, wide characters."""
    count = draw(st.integers(0, 14))
    nodes = tuple(Node(f"n{i}", draw(WORDS)) for i in range(count))
    if not count:
        return Graph("", (), ())
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1), labels)
    links = draw(st.lists(ends, max_size=30))
    return Graph("", nodes, tuple(Link(f"n{a}", f"n{b}", label) for a, b, label in links))


def placed(graph: Graph, look: Look) -> Placement:
    """The graph laid out in a direction and from a distance."""
    return place_graph(graph, cell_len, direction=look[0], zoom=look[1])


def cells_of(rect: Rect) -> set[Cell]:
    """All cells of a node or a label."""
    return {
        (x, y)
        for x in range(rect.x, rect.x + rect.width)
        for y in range(rect.y, rect.y + rect.height)
    }
