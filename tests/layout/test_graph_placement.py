"""Drawings of graphs say nothing that the graph does not."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.view import Graph, Link, Node, Role
from core.layout.graph.canvas import Canvas, draw_placement
from core.layout.graph.drawing_options import Direction, Zoom
from core.layout.graph.placement import place_graph
from core.layout.rows import plain
from tests.layout.any_graph import LOOKS, Look, cells_of, graphs, placed

UP_DOWN, LEFT_RIGHT = 3, 12


@settings(max_examples=300, deadline=None)
@given(graphs(), LOOKS)
def test_links_share_a_cell_only_with_the_same_source_or_where_they_cross(
    graph: Graph, look: Look
) -> None:
    placement = placed(graph, look)
    canvas = Canvas(placement, graph, cell_len)
    for y in range(placement.height):
        for cell in canvas.cells(y).values():
            for _, _, links in cell.nets:
                assert len({graph.links[link].source for link in links}) == 1
            directions = [bits for _, bits, _ in cell.nets]
            assert len(directions) <= 2
            if len(directions) == 2:
                assert sorted(directions) == [UP_DOWN, LEFT_RIGHT]


@settings(max_examples=300, deadline=None)
@given(graphs(), LOOKS)
def test_every_link_leads_from_its_source_to_its_target(graph: Graph, look: Look) -> None:
    placement = placed(graph, look)
    down = look[0] is Direction.DOWN
    assert {route.link for route in placement.routes} == {
        i for i, link in enumerate(graph.links) if link.source != link.target
    }
    for route in placement.routes:
        link = graph.links[route.link]
        ends = (link.target, link.source) if route.reversed else (link.source, link.target)
        (x0, y0), (x1, y1) = route.first, route.last
        upper, lower = (placement.nodes[end] for end in ends)
        if down:
            assert upper.x <= x0 < upper.x + upper.width
            assert y0 == upper.y + upper.height
            assert lower.x <= x1 < lower.x + lower.width
            assert y1 == lower.y - 1
        else:
            assert upper.y <= y0 < upper.y + upper.height
            assert x0 == upper.x + upper.width
            assert lower.y <= y1 < lower.y + lower.height
            assert x1 == lower.x - 1
        for leg in route.legs:
            for (a, b), (c, d) in pairwise(leg.points):
                assert (a == c) != (b == d)


@settings(max_examples=200, deadline=None)
@given(graphs(), LOOKS)
def test_nothing_lies_on_a_node_or_a_label(graph: Graph, look: Look) -> None:
    placement = placed(graph, look)
    taken: set[tuple[int, int]] = set()
    for rect in (*placement.nodes.values(), *(label.rect for label in placement.labels)):
        cells = cells_of(rect)
        assert not cells & taken
        taken |= cells
    canvas = Canvas(placement, graph, cell_len)
    lines = {(x, y) for y in range(placement.height) for x in canvas.cells(y)}
    assert not lines & taken
    heads = [route.first if route.reversed else route.last for route in placement.routes]
    links = [graph.links[route.link] for route in placement.routes]
    told = {(x.source, x.target, "" if look[1] is Zoom.GLYPHS else x.label) for x in links}
    if len(told) == len(links):
        assert len(set(heads)) == len(heads)


@settings(max_examples=100, deadline=None)
@given(graphs(), LOOKS, st.data())
def test_roles_signs_and_notes_never_move_anything(
    graph: Graph, look: Look, data: st.DataObject
) -> None:
    changed = replace(
        graph,
        nodes=tuple(
            replace(node, role=data.draw(st.sampled_from(Role)), sign="do", note="why")
            for node in graph.nodes
        ),
        links=tuple(replace(x, role=data.draw(st.sampled_from(Role))) for x in graph.links),
    )
    assert placed(graph, look) == placed(changed, look)


@settings(max_examples=100, deadline=None)
@given(graphs(), LOOKS)
def test_rows_are_as_wide_as_they_say_and_a_window_shows_part_of_them(
    graph: Graph, look: Look
) -> None:
    placement = placed(graph, look)
    canvas = Canvas(placement, graph, cell_len)
    for y in range(placement.height):
        whole = plain([canvas.row(y, 0, placement.width)])
        assert cell_len(whole) <= placement.width
        assert sum(cell_len(s.text) for s in canvas.row(y, 3, 11)) == 8
        ascii_only = whole.isascii()
        if ascii_only:
            assert plain([canvas.row(y, 3, 11)]) == whole[3:11].rstrip()


def graph(text: str, **roles: Role) -> Graph:
    """A graph of `a>b` words."""
    links = tuple(Link(*word.split(">")) for word in text.split())
    names = dict.fromkeys(end for link in links for end in (link.source, link.target))
    return Graph("", tuple(Node(n, n, roles.get(n, Role.PLAIN)) for n in names), links)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a>b", "[ a ]\n  ▼\n[ b ]"),
        (
            "a>b a>c",
            "    [ a ]\n  ╭───┴───╮\n  ▼       ▼\n[ b ]   [ c ]",
        ),
        (
            "a>c b>c",
            "[ a ]   [ b ]\n  ╰──╮ ╭──╯\n     ▼ ▼\n    [ c ]",
        ),
    ],
)
def test_small_graphs_look_as_expected(given: str, expected: str) -> None:
    shown = graph(given)
    found = plain(draw_placement(place_graph(shown, cell_len), shown, cell_len))
    assert found == expected


def test_a_cut_link_ends_before_the_event_it_no_longer_reaches() -> None:
    shown = graph("a>b", b=Role.FORCED)
    shown = replace(shown, links=(replace(shown.links[0], role=Role.CUT),))
    found = plain(draw_placement(place_graph(shown, cell_len), shown, cell_len))
    assert "╳" in found
    assert "▼" not in found
    assert "╣◆b" in found


def test_a_cycle_is_marked_where_it_comes_back() -> None:
    shown = graph("a>b b>c c>a c>c")
    found = plain(draw_placement(place_graph(shown, cell_len), shown, cell_len))
    assert found.count("↺") == 2
    assert found.count("▼") == 2
