"""The map of a large graph: every node a dot, what is in sight, where one stands."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.view import Graph, Link, Node, Role
from core.layout.graph.drawing_options import Zoom
from core.layout.graph.minimap import Minimap
from core.layout.graph.placement import Placement, place_graph
from core.layout.rows import Ink, Row, plain

NOWHERE = (0, 0, 0, 0)


def placed(count: int, *ends: tuple[int, int]) -> Placement:
    nodes = tuple(Node(str(i), "an event") for i in range(count))
    links = tuple(Link(str(a), str(b)) for a, b in ends)
    return place_graph(Graph("", nodes, links), cell_len, zoom=Zoom.LABELS)


def inks(rows: list[Row]) -> list[list[str]]:
    return [[str(span.ink) for span in row] for row in rows]


def dots(rows: list[Row]) -> int:
    """How many quarters of cells are filled."""
    quarters = dict(zip(" ·▘▝▀▖▌▞▛▗▚▐▜▄▙▟█", map(int, "00112122312232334"), strict=True))
    return sum(quarters[c] for c in plain(rows) if c != "\n")


def test_a_chain_is_a_line_and_its_ends_are_at_the_ends() -> None:
    chain = placed(20, *((i, i + 1) for i in range(19)))
    rows = Minimap(chain, 8, 5).rows(NOWHERE, "0")
    filled = [x for row in rows for x, span in enumerate(row) if span.text not in " ·"]
    assert len(set(filled)) == 1
    assert dots(rows) == 10
    assert [ink[filled[0]] == Ink.LIT for ink in inks(rows)] == [True] + [False] * 4
    rows = Minimap(chain, 8, 5).rows(NOWHERE, "19")
    assert [ink[filled[0]] == Ink.LIT for ink in inks(rows)] == [False] * 4 + [True]


def test_what_is_in_sight_is_marked_also_where_nothing_stands() -> None:
    wide = placed(40)
    window = (wide.width // 2, 0, wide.width // 4, wide.height)
    (row,) = Minimap(wide, 16, 1).rows(window, "")
    seen = [x for x, span in enumerate(row) if span.ink == Role.PLAIN]
    assert seen == list(range(seen[0], seen[-1] + 1))
    assert 7 <= seen[0] <= 9
    assert 3 <= len(seen) <= 6
    chain = placed(20, *((i, i + 1) for i in range(19)))
    rows = Minimap(chain, 8, 5).rows((0, 0, chain.width, 1), "")
    assert "·" in plain(rows[:1])
    assert "·" not in plain(rows[1:])


def test_an_empty_graph_has_an_empty_map() -> None:
    assert plain(Minimap(placed(0), 4, 2).rows((0, 0, 80, 24), "")).replace("·", "").strip() == ""


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 30),
    st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=40),
    st.integers(1, 20),
    st.integers(1, 8),
    st.tuples(*[st.integers(0, 200)] * 4),
)
def test_it_is_as_large_as_asked_and_shows_no_more_than_there_is(
    count: int,
    ends: list[tuple[int, int]],
    width: int,
    height: int,
    window: tuple[int, int, int, int],
) -> None:
    placement = placed(count, *((a, b) for a, b in ends if max(a, b) < count))
    rows = Minimap(placement, width, height).rows(window, "0")
    assert [len(row) for row in rows] == [width] * height
    assert all(cell_len(span.text) == 1 for row in rows for span in row)
    assert min(count, 1) <= dots(rows) <= count
    assert sum(ink == Ink.LIT for row in inks(rows) for ink in row) == min(count, 1)
