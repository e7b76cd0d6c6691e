"""A graph in words says everything that the drawing says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.view import Graph, Link, Node, Role
from core.layout.graph.outline import outline
from core.layout.rows import SIGNS, plain
from core.layout.sections import draw_section

RAIN = Graph(
    "Events",
    (
        Node("rain", "It rains", Role.FORCED, sign="do=1", note="set by do()"),
        Node("wet", "The path gets wet"),
        Node("sand", "Sand is spread", Role.ABSENT),
        Node("slip", "A runner slips", Role.CHANGED),
    ),
    (
        Link("rain", "wet", role=Role.PLAIN, note="strength 0.8"),
        Link("wet", "slip", role=Role.PLAIN),
        Link("sand", "slip", "prevents", Role.HINDERS),
        Link("gone", "slip"),
    ),
    note="Two events are not drawn.",
)


def words(graph: Graph, width: int = 100) -> str:
    return plain(outline(graph, width, cell_len))


def test_every_node_has_its_number_its_sign_and_its_links_both_ways() -> None:
    assert words(RAIN) == "\n".join(
        (
            " Events",
            " 1. ◆ It rains (do=1, set by do())",
            "      to 2 (strength 0.8)",
            " 2. The path gets wet",
            "      from 1 (strength 0.8)",
            "      to 4",
            " 3. ○ Sand is spread (does not happen)",
            "      to 4 (prevents)",
            " 4. △ A runner slips (changed)",
            "      from 2; 3 (prevents)",
            " Two events are not drawn.",
        )
    )


def test_an_empty_graph_says_nothing() -> None:
    assert outline(Graph("", (), ()), 80, cell_len) == []


@pytest.mark.parametrize("role", [role for role in Role if role not in (Role.PLAIN, Role.MUTED)])
def test_every_role_that_has_a_sign_has_a_word_or_is_the_usual_one(role: Role) -> None:
    assert SIGNS[role].strip()
    [row] = outline(Graph("", (Node("a", "It rains", role),), ()), 80, cell_len)
    assert "(" in "".join(span.text for span in row) or role is Role.CAUSE


@pytest.mark.parametrize("hostile", ["\x1b[2Jx", "a\x00b", "one\u202eowt", "x" * 1_000_000, "\n\n"])
def test_hostile_words_are_shown_and_not_obeyed(hostile: str) -> None:
    graph = Graph(
        hostile,
        (Node("a", hostile, sign=hostile, note=hostile), Node("b", "b")),
        (Link("a", "b", hostile, note=hostile),),
        note=hostile,
    )
    text = words(graph, 60)
    assert not [c for c in text if c != "\n" and (ord(c) < 32 or c == "\u202e")]
    assert len(text) < 100_000


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text("abc 雨降り", min_size=1, max_size=60), max_size=8),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20),
    st.integers(20, 120),
)
def test_every_link_is_said_at_both_ends_and_every_row_fits(
    texts: list[str], ends: list[tuple[int, int]], width: int
) -> None:
    nodes = tuple(Node(str(i), text) for i, text in enumerate(texts))
    known = [(a, b) for a, b in ends if max(a, b) < len(texts)]
    graph = Graph("", nodes, tuple(Link(str(a), str(b), role=Role.PLAIN) for a, b in known))
    rows = outline(graph, width, cell_len)
    assert all(cell_len(line) <= width for line in plain(rows).split("\n"))
    # In one line each, so that what is counted is not broken over two.
    lines = plain(outline(graph, 10_000, cell_len)).split("\n")
    said: dict[str, list[tuple[int, int]]] = {"to": [], "from": []}
    at = -1
    for line in lines:
        if re.match(r" \d+\.( |$)", line):
            at += 1
        elif found := re.match(r"      (to|from) ([\d; ]+)$", line):
            for end in map(int, found[2].split("; ")):
                pair = (at, end - 1) if found[1] == "to" else (end - 1, at)
                said[found[1]].append(pair)
    assert sorted(said["to"]) == sorted(known) == sorted(said["from"])


def test_a_graph_with_very_many_links_is_told_in_words() -> None:
    nodes = tuple(Node(f"n{number}", f"node {number}") for number in range(40))
    links = [Link(f"n{a}", f"n{b}") for a in range(40) for b in range(40) if a != b]
    few, many = Graph("", nodes, tuple(links[:90])), Graph("", nodes, tuple(links))
    assert draw_section(few, 400, cell_len) != outline(few, 400, cell_len)
    assert draw_section(many, 400, cell_len) == outline(many, 400, cell_len)
