"""From a node to the nearest: what keys reach."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.view import Graph, Link, Node
from core.layout.graph.drawing_options import Direction, Zoom
from core.layout.graph.neighbours import Heading, nearest
from core.layout.graph.placement import Placement, Rect, place_graph


def standing(**rects: tuple[int, int, int, int]) -> Placement:
    """Nodes at x, y with a width and a height."""
    return Placement(
        nodes={name: Rect(*rect) for name, rect in rects.items()},
        lines={},
        routes=(),
        labels=(),
        loops=frozenset(),
        width=100,
        height=100,
        direction=Direction.DOWN,
        zoom=Zoom.BOXES,
    )


def test_a_lone_node_has_no_neighbour() -> None:
    alone = standing(a=(4, 4, 5, 3))
    assert {nearest(alone, "a", heading) for heading in Heading} == {"a"}


def test_a_layer_is_not_jumped_over() -> None:
    diamond = standing(a=(12, 0, 20, 3), b=(0, 6, 20, 3), c=(24, 6, 20, 3), d=(12, 12, 20, 3))
    assert nearest(diamond, "a", Heading.DOWN) in {"b", "c"}
    assert nearest(diamond, "d", Heading.UP) in {"b", "c"}
    assert nearest(diamond, "b", Heading.RIGHT) == "c"
    assert nearest(diamond, "c", Heading.LEFT) == "b"


def test_what_stands_beside_is_not_below_however_tall_it_is() -> None:
    row = standing(a=(0, 0, 10, 3), tall=(14, 0, 10, 9), under=(60, 12, 10, 3))
    assert nearest(row, "a", Heading.DOWN) == "under"
    assert nearest(row, "tall", Heading.UP) == "tall"


def test_the_straight_one_of_two_as_near_is_taken() -> None:
    two = standing(a=(10, 0, 11, 1), left=(0, 3, 12, 1), straight=(13, 3, 5, 1))
    assert nearest(two, "a", Heading.DOWN) == "straight"


def test_far_aside_is_not_to_the_right() -> None:
    assert nearest(standing(a=(0, 0, 5, 1), b=(8, 30, 5, 1)), "a", Heading.RIGHT) == "a"


@st.composite
def placements(draw: st.DrawFn) -> Placement:
    count = draw(st.integers(1, 14))
    nodes = tuple(
        Node(f"n{i}", draw(st.text("abc ", min_size=1, max_size=40))) for i in range(count)
    )
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    links = tuple(Link(f"n{a}", f"n{b}") for a, b in draw(st.lists(ends, max_size=24)))
    return place_graph(
        Graph("", nodes, links),
        cell_len,
        direction=draw(st.sampled_from(Direction)),
        zoom=draw(st.sampled_from(Zoom)),
    )


@settings(max_examples=150, deadline=None)
@given(placements(), st.sampled_from(Heading))
def test_a_step_leads_that_way(placement: Placement, heading: Heading) -> None:
    dx, dy = heading.value
    for node, rect in placement.nodes.items():
        other = placement.nodes[nearest(placement, node, heading)]
        if other is rect:
            continue
        x0, y0 = rect.centre
        x, y = other.centre
        assert (x - x0) * dx + (y - y0) * dy > 0


@settings(max_examples=300, deadline=None)
@given(placements())
def test_every_node_is_reached_from_the_first(placement: Placement) -> None:
    reached = {"n0"}
    waiting = ["n0"]
    while waiting:
        here = waiting.pop()
        new = {nearest(placement, here, heading) for heading in Heading} - reached
        reached |= new
        waiting += new
    assert reached == set(placement.nodes)


@pytest.mark.parametrize("direction", Direction)
def test_along_a_chain_every_step_is_one_link(direction: Direction) -> None:
    names = [str(i) for i in range(8)]
    links = tuple(Link(a, b) for a, b in pairwise(names))
    chain = Graph("", tuple(Node(name, "word " * int(name)) for name in names), links)
    placement = place_graph(chain, cell_len, direction=direction, zoom=Zoom.BOXES)
    on, back = (
        (Heading.DOWN, Heading.UP) if direction is Direction.DOWN else (Heading.RIGHT, Heading.LEFT)
    )
    for name, following in pairwise(names):
        assert nearest(placement, name, on) == following
        assert nearest(placement, following, back) == name
