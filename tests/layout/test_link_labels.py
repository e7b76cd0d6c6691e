"""Labels stand in the lines of their links, and graphs without labels are drawn without them."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.view import Graph, Link, Node, Role
from core.layout.graph.canvas import Canvas, draw_placement
from core.layout.graph.drawing_options import Direction, Zoom
from core.layout.graph.placement import LINK_LABEL_WIDTH, Label, Placement, Rect, place_graph
from core.layout.rows import plain
from core.text.escaping import escape_control_characters
from tests.layout.any_graph import LOOKS, Cell, Look, cells_of, graphs, placed

STEPS = {1: (0, -1), 2: (0, 1), 4: (-1, 0), 8: (1, 0)}
BACK = {1: 2, 2: 1, 4: 8, 8: 4}
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\u202eback",
    "two\nlines",
    "tab\there",
    "part of " * 125,
    "雨降り" * 20,
    "👩‍👩‍👧 family",
    "e\u0301\u0301\u0301",
    "\u200b",
    "]8;;http://x\x07",
)


def traced(canvas: Canvas, link: int) -> dict[Cell, int]:
    """The cells in which a link is drawn, and the sides of each on which its lines go on."""
    found: dict[Cell, int] = {}
    for y in range(canvas.placement.height):
        for x, cell in canvas.cells(y).items():
            for _, bits, links in cell.nets:
                if link in links:
                    found[x, y] = found.get((x, y), 0) | bits
    return found


def reached(lines: dict[Cell, int], start: Rect, doors: dict[Cell, str]) -> set[str]:
    """The boxes to which the lines lead that touch a box, cell by cell and without a gap.

    A line goes from a cell to the next only where both are open to each other.
    """
    here = cells_of(start)
    waiting = [
        (x, y)
        for (x, y), bits in lines.items()
        if any(bits & side and (x + dx, y + dy) in here for side, (dx, dy) in STEPS.items())
    ]
    seen, found = set(waiting), set()
    while waiting:
        x, y = waiting.pop()
        for side, (dx, dy) in STEPS.items():
            there = x + dx, y + dy
            if not lines[x, y] & side:
                continue
            if there in doors and there not in here:
                found.add(doors[there])
            elif there not in seen and lines.get(there, 0) & BACK[side]:
                seen.add(there)
                waiting.append(there)
    return found


def label_at(placement: Placement, link: int) -> Label | None:
    """The label of a link."""
    return next((label for label in placement.labels if link in label.links), None)


@settings(max_examples=300, deadline=None)
@given(graphs(), LOOKS)
def test_every_label_is_written_once_in_cells_of_its_own(graph: Graph, look: Look) -> None:
    placement = placed(graph, look)
    links = [link for label in placement.labels for link in label.links]
    told = [] if look[1] is Zoom.GLYPHS else graph.links
    assert sorted(links) == [
        i for i, link in enumerate(told) if link.label and link.source != link.target
    ]
    for label in placement.labels:
        ends = {replace(graph.links[link], note="") for link in label.links}
        assert len(ends) == 1
        text = ends.pop().label
        assert label.rect.width == cell_len(label.text) <= LINK_LABEL_WIDTH + 2
        shown = label.text.strip()
        assert shown == text or (shown.endswith("…") and text.startswith(shown[:-1]))
    rows = [
        [c for c in row for _ in range(cell_len(c))]
        for row in plain(draw_placement(placement, graph, cell_len)).split("\n")
    ]
    for label in placement.labels:
        first = label.rect.x
        written = "".join(rows[label.rect.y][first : first + label.rect.width])
        assert written.strip() == "".join(c * cell_len(c) for c in label.text.strip())


@settings(max_examples=300, deadline=None)
@given(graphs(), LOOKS)
def test_every_link_can_be_traced_from_its_source_through_its_label_to_its_target(
    graph: Graph, look: Look
) -> None:
    placement = placed(graph, look)
    canvas = Canvas(placement, graph, cell_len)
    boxes = dict(placement.nodes)
    boxes |= {f"label {i}": label.rect for i, label in enumerate(placement.labels)}
    doors = {cell: name for name, rect in boxes.items() for cell in cells_of(rect)}
    for route in placement.routes:
        link = graph.links[route.link]
        ends = (link.target, link.source) if route.reversed else (link.source, link.target)
        upper, lower = ends
        lines = traced(canvas, route.link)
        label = label_at(placement, route.link)
        if label is None:
            assert reached(lines, boxes[upper], doors) == {lower}
            continue
        name = f"label {placement.labels.index(label)}"
        assert reached(lines, boxes[upper], doors) == {name}
        assert reached(lines, boxes[name], doors) == {upper, lower}
        assert reached(lines, boxes[lower], doors) == {name}


@settings(max_examples=100, deadline=None)
@given(graphs(), st.sampled_from(Direction))
def test_graphs_drawn_as_numbers_have_no_labels(graph: Graph, direction: Direction) -> None:
    bare = replace(graph, links=tuple(replace(link, label="") for link in graph.links))
    look = (direction, Zoom.GLYPHS)
    assert placed(graph, look) == placed(bare, look)


@settings(max_examples=100, deadline=None)
@given(graphs(st.just("")), LOOKS, st.sampled_from([" ", "   "]))
def test_blank_labels_are_no_labels(graph: Graph, look: Look, blank: str) -> None:
    blanks = replace(graph, links=tuple(replace(link, label=blank) for link in graph.links))
    assert placed(graph, look) == placed(blanks, look)


def numbered(count: int) -> Graph:
    """A graph without labels in which most events have two causes and some close a cycle."""
    nodes = tuple(Node(f"e{i}", f"event {i} " * (1 + i % 4)) for i in range(count))
    ends = [(i * i // 3 % i, i) for i in range(1, count)]
    ends += [(i, i * 7 % count) for i in range(0, count, 3)]
    return Graph("", nodes, tuple(Link(f"e{a}", f"e{b}") for a, b in ends))


def test_graphs_without_labels_stand_where_they_stood_before_there_were_labels() -> None:
    geometry = sha256()
    for count in (2, 9, 23, 40):
        for direction in Direction:
            for zoom in Zoom:
                graph = numbered(count)
                placement = placed(graph, (direction, zoom))
                for name, rect in placement.nodes.items():
                    box = (rect.x, rect.y, rect.width, rect.height)
                    geometry.update(f"{name} {box}\n".encode())
                geometry.update(plain(draw_placement(placement, graph, cell_len)).encode())
    before = "b13428f514ec51fed5eea1ad2d2cb6a0766373e2461bcb557cc60edea5888a45"
    assert geometry.hexdigest() == before


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("direction", Direction)
def test_a_hostile_label_is_shown_and_cut_and_does_nothing(text: str, direction: Direction) -> None:
    graph = Graph("", (Node("a", "a"), Node("b", "b")), (Link("a", "b", text),))
    placement = place_graph(graph, cell_len, direction=direction)
    (label,) = placement.labels
    assert label.text.strip()
    assert label.rect.height == 1
    assert label.rect.width == cell_len(label.text) <= LINK_LABEL_WIDTH + 2
    assert label.text == escape_control_characters(label.text)
    shown = " ".join(escape_control_characters(text).split())
    if cell_len(shown) > LINK_LABEL_WIDTH:
        assert label.text.strip().endswith("…")
    else:
        assert label.text.strip() == shown
    rows = draw_placement(placement, graph, cell_len)
    assert len(rows) == placement.height
    assert any(label.text.strip() in span.text for row in rows for span in row)
    assert all(cell_len(span.text) <= placement.width for row in rows for span in row)
    (route,) = placement.routes
    assert [len(set(leg.points)) for leg in route.legs] == [len(leg.points) for leg in route.legs]


@settings(max_examples=200, deadline=None)
@given(graphs(st.text(max_size=30) | st.sampled_from(HOSTILE)), LOOKS)
def test_no_label_makes_a_row_wider_than_the_drawing(graph: Graph, look: Look) -> None:
    placement = placed(graph, look)
    canvas = Canvas(placement, graph, cell_len)
    for y in range(placement.height):
        row = canvas.row(y, 0, placement.width)
        assert sum(cell_len(span.text) for span in row) == placement.width
        assert all(span.text == escape_control_characters(span.text) for span in row)


def test_a_label_has_the_ink_of_its_link_and_is_lit_with_it() -> None:
    links = (Link("a", "b", "part of", Role.DISTRACTOR), Link("a", "c", "causes"))
    graph = Graph("", tuple(Node(n, n) for n in "abc"), links)
    placement = place_graph(graph, cell_len)
    canvas = Canvas(placement, graph, cell_len)

    def inks(**lit: tuple[int, ...]) -> dict[str, str]:
        rows = [canvas.row(y, 0, placement.width, **lit) for y in range(placement.height)]
        return {span.text.strip(): str(span.ink) for row in rows for span in row}

    assert (inks()["part of"], inks()["causes"]) == ("distractor", "link")
    assert (inks(lit=(1,))["part of"], inks(lit=(1,))["causes"]) == ("distractor", "lit")


def drawing(said: str, direction: Direction) -> str:
    """The drawing of `a>b:label` words."""
    words = [word.partition(":") for word in said.split()]
    links = tuple(Link(*ends.split(">"), label.replace("_", " ")) for ends, _, label in words)
    names = dict.fromkeys(end for link in links for end in (link.source, link.target))
    graph = Graph("", tuple(Node(name, name) for name in names), links)
    return plain(draw_placement(place_graph(graph, cell_len, direction=direction), graph, cell_len))


ONE = """\
  [ a ]
    │
 causes
    ▼
  [ b ]"""
BACK_AND_FORTH = """\
       [ a ]
        │ ↺
    ╭───╯ ╰───╮
    │         │
 causes   requires
    ╰───╮ ╭───╯
        ▼ │
       [ b ]"""
SEVERAL = """\
                  [ a ]
    ╭──────────┬────┴────┬──────╮
    │          │         │      │
 part of   used for   causes    │
    ╰────╮ ╭───╯         │      │
         ▼ ▼             ▼      ▼
        [ b ]         [ c ]   [ d ]"""


@pytest.mark.parametrize(
    ("said", "direction", "expected"),
    [
        ("a>b:causes", Direction.DOWN, ONE),
        ("a>b:causes a>b:causes", Direction.DOWN, ONE),
        ("a>b:causes", Direction.RIGHT, "[ a]─── causes ──▶[ b]"),
        ("a>b:causes b>a:requires", Direction.DOWN, BACK_AND_FORTH),
        ("a>b:part_of a>b:used_for a>c:causes a>d", Direction.DOWN, SEVERAL),
    ],
)
def test_small_graphs_look_as_expected(said: str, direction: Direction, expected: str) -> None:
    assert drawing(said, direction) == expected
