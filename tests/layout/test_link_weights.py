"""How heavy a line is tells what falls on its link, besides its figure."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.view import Graph, Link, Node, Role
from core.layout.graph.canvas import Canvas, draw_placement
from core.layout.graph.drawing_options import Direction, Zoom
from core.layout.graph.placement import Placement, place_graph
from core.layout.rows import Ink, Row, plain

HEAVY = "╸╹╺╻━┃┏┓┗┛┣┫┳┻╋╏╍┋┉"


def graph(*weights: float | None) -> Graph:
    """A node that leads to as many others as there are weights."""
    names = [str(index) for index in range(len(weights))]
    nodes = (Node("root", "root"), *(Node(name, f"end {name}") for name in names))
    links = (Link("root", name, weight=one) for name, one in zip(names, weights, strict=True))
    return Graph("Graph", nodes, tuple(links))


def laid(what: Graph) -> Placement:
    return place_graph(what, cell_len, direction=Direction.DOWN, zoom=Zoom.LABELS)


def rows_of(what: Graph) -> list[Row]:
    return draw_placement(laid(what), what, cell_len)


def light(text: str) -> str:
    """The same with light lines."""
    pairs = ("╸╴", "╹╵", "╺╶", "╻╷", "━─", "┃│", "┏╭", "┓╮", "┗╰", "┛╯")
    pairs += ("┣├", "┫┤", "┳┬", "┻┴", "╋┼", "╏╎", "╍╌", "┋┊", "┉┄")
    return text.translate({ord(heavy): thin for heavy, thin in pairs})


WEIGHT = st.one_of(st.none(), st.floats(0, 1))


@given(st.lists(WEIGHT, min_size=1, max_size=6))
def test_weights_move_nothing(weights: list[float | None]) -> None:
    bare = graph(*[None] * len(weights))
    assert light(plain(rows_of(graph(*weights)))) == plain(rows_of(bare))


@given(st.lists(WEIGHT, min_size=1, max_size=6))
def test_the_heaviest_is_drawn_heavy_to_its_end(weights: list[float | None]) -> None:
    what = graph(*weights)
    canvas = Canvas(laid(what), what, cell_len)
    told = [one for one in weights if one]
    for number, weight in enumerate(weights):
        lines = [
            canvas.row(y, x, x + 1)[0].text
            for y in range(canvas.placement.height)
            for x, cell in canvas.cells(y).items()
            if cell.head < 0 and all(links == (number,) for _, _, links in cell.nets)
        ]
        heavy = weight is not None and weight >= max(0.01, *(one / 2 for one in told), 0.0)
        assert all((line in HEAVY) == heavy for line in lines)


def test_brightness_follows_the_weight() -> None:
    what = graph(0.8, 0.1, None)
    rows = draw_placement(laid(what), what, cell_len)
    inks = {span.ink for row in rows for span in row if set(span.text) & set("▼")}
    assert inks == {Ink.HEADING, Ink.LINK, Ink.TRACK}


def test_what_is_cut_stays_dashed_when_it_is_heavy() -> None:
    what = graph(0.5, 0.4, 0.3)
    cut = replace(what, links=tuple(replace(link, role=Role.CUT) for link in what.links))
    text = plain(rows_of(cut))
    assert "╳" in text
    assert set(text) & set("╏╍")
