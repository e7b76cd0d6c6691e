"""No drawing may suggest a link that is not there, and no state may move what another shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.view import Graph, Link, Node
from core.exchange.exporters.arrangement import MOST_LINKS, Arrangement, arrange
from core.exchange.exporters.document import ExportError
from core.exchange.exporters.looks import LOOKS
from core.exchange.exporters.paths import Box, LinkPath, Point, curve_path, outline_paths, with_keys
from core.exchange.exporters.stacked import WIDTH, stacked
from tests.exchange.exporters.documents import rain


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Graphs with cycles, loops, several links between two nodes, and unlinked nodes."""
    count = draw(st.integers(1, 12))
    words = st.text("ab 雨", min_size=1, max_size=60)
    nodes = tuple(Node(f"n{i}", draw(words)) for i in range(count))
    ends = st.integers(0, count - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=16))
    return Graph("G", nodes, tuple(Link(f"n{a}", f"n{b}") for a, b in pairs))


def drawn(way: LinkPath, steps: int = 12) -> list[Point]:
    """Points of the curve of a way, as `curve_path` describes it."""
    parts = [[float(c) for c in part.split()] for part in curve_path(way)[1:].split("Q")]
    (x, y), *bends = parts
    points = [(x, y)]
    for led_x, led_y, end_x, end_y in bends:
        for i in range(1, steps + 1):
            t = i / steps
            points.append(
                (
                    (1 - t) ** 2 * x + 2 * t * (1 - t) * led_x + t * t * end_x,
                    (1 - t) ** 2 * y + 2 * t * (1 - t) * led_y + t * t * end_y,
                )
            )
        x, y = end_x, end_y
    return points


def inside(box: Box, point: Point, margin: float) -> bool:
    return (
        abs(point[0] - box.x) < box.width / 2 - margin
        and abs(point[1] - box.y) < box.height / 2 - margin
    )


def at_the_edge(box: Box, point: Point) -> bool:
    return inside(box, point, -1.0) and not inside(box, point, 1.0)


def check(graph: Graph, arrangement: Arrangement) -> None:
    boxes = arrangement.boxes
    for one, other in combinations(boxes.values(), 2):
        apart_x = abs(one.x - other.x) - (one.width + other.width) / 2
        apart_y = abs(one.y - other.y) - (one.height + other.height) / 2
        assert max(apart_x, apart_y) > 8
    for key, link in with_keys(graph.links):
        way = arrangement.paths[key]
        assert at_the_edge(boxes[link.source], way[0])
        assert at_the_edge(boxes[link.target], way[-1])
        for point in drawn(way):
            touched = [name for name, box in boxes.items() if inside(box, point, 1.0)]
            assert touched == [], (key, touched)
        # The arrow head has a direction.
        assert all(one != other for one, other in pairwise(way))


@given(graphs())
@settings(max_examples=150, deadline=None)
def test_links_join_their_own_nodes_and_touch_no_other(graph: Graph) -> None:
    check(graph, arrange([graph]))


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_no_two_links_share_a_path(graph: Graph) -> None:
    arrangement = arrange([graph])
    ways = list(arrangement.paths.values())
    assert len(set(ways)) == len(ways)


@given(st.lists(graphs(), min_size=2, max_size=3))
@settings(max_examples=60, deadline=None)
def test_states_share_one_arrangement(states: list[Graph]) -> None:
    arrangement = arrange(states)
    for graph in states:
        assert {node.id for node in graph.nodes} <= set(arrangement.boxes)
        check(graph, arrangement)


@given(graphs())
@settings(max_examples=150, deadline=None)
def test_a_narrow_drawing_has_no_false_links_and_fits_a_phone(graph: Graph) -> None:
    arrangement = stacked(graph)
    check(graph, arrangement)
    assert set(arrangement.boxes) == {node.id for node in graph.nodes}
    assert len(set(arrangement.paths.values())) == len(arrangement.paths)
    for x, _y in (point for path in arrangement.paths.values() for point in path):
        assert 0 <= x <= WIDTH
    for box in arrangement.boxes.values():
        assert box.x - box.width / 2 >= 0
        assert box.x + box.width / 2 <= WIDTH
        assert box.width > WIDTH / 2


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_links_of_two_nodes_share_no_line_of_a_narrow_drawing(graph: Graph) -> None:
    arrangement = stacked(graph)
    lines: dict[float, list[tuple[float, float, str]]] = {}
    for (source, _target, _number), path in arrangement.paths.items():
        for (x, y), (other_x, other_y) in pairwise(path):
            if x == other_x and y != other_y and x < arrangement.boxes[source].x / 2:
                lines.setdefault(x, []).append((min(y, other_y), max(y, other_y), source))
    for spans in lines.values():
        for one, other in combinations(spans, 2):
            overlap = min(one[1], other[1]) - max(one[0], other[0])
            assert one[2] == other[2] or overlap < 1


def test_causes_stand_before_effects() -> None:
    boxes = arrange([rain()]).boxes
    depth = {name: box.y for name, box in boxes.items()}
    if len({depth["rain"], depth["street"], depth["walk"]}) < 3:
        depth = {name: box.x for name, box in boxes.items()}
    assert depth["rain"] < depth["street"] < depth["walk"]
    assert depth["street"] == depth["river"]


def corners(path: str) -> Iterator[Point]:
    """The points that an outline goes through; its arcs stay between their ends."""
    x = y = 0.0
    for command, words in re.findall("([MLahv])([^MLahvZ]*)", path):
        numbers = [float(word) for word in words.split()]
        match command:
            case "M" | "L":
                x, y = numbers
            case "a":
                x, y = x + numbers[-2], y + numbers[-1]
            case "h":
                x += numbers[0]
            case "v":
                y += numbers[0]
        yield x, y


def test_outlines_stay_in_their_box_and_touch_its_sides() -> None:
    box = Box(10, 20, 90, 40)
    for look in LOOKS.values():
        for number, path in enumerate(outline_paths(look, box)):
            inset = 4.0 * number
            xs, ys = zip(*corners(path), strict=True)
            assert abs(min(xs) - (-35 + inset)) < 0.1
            assert abs(max(xs) - (55 - inset)) < 0.1
            assert abs(min(ys) - inset) < 0.1
            assert abs(max(ys) - (40 - inset)) < 0.1


def test_an_item_without_a_graph_has_an_empty_arrangement() -> None:
    assert arrange([Graph("", (), ())]) == Arrangement({}, {})


def test_a_picture_with_thousands_of_links_is_refused() -> None:
    many = tuple(Link(f"{a}", f"{b}") for a in range(60) for b in range(60) if a != b)
    nodes = tuple(Node(f"{number}", f"node {number}") for number in range(60))
    assert len(many) > MOST_LINKS
    with pytest.raises(ExportError, match="3,540 links"):
        arrange([Graph("", nodes, many)])
