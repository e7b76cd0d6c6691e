"""A change of states travels: the cut link, what was set, then what depends on it."""

from __future__ import annotations

from core.contract.view import Graph, Link, Node, Role
from core.layout.graph.travel import pictures_between

BEFORE = Graph(
    "",
    tuple(Node(name, name) for name in "abcd"),
    (Link("a", "b"), Link("b", "c"), Link("c", "d")),
)
NOW = Graph(
    "",
    (
        Node("a", "a"),
        Node("b", "b", Role.FORCED, happens=False),
        Node("c", "c", Role.ABSENT, happens=False),
        Node("d", "d", Role.ABSENT, happens=False),
    ),
    (Link("a", "b", role=Role.CUT), Link("b", "c"), Link("c", "d")),
)


def roles(graph: Graph) -> str:
    return " ".join([*(link.role for link in graph.links[:1]), *(n.role for n in graph.nodes[1:])])


def test_the_link_is_cut_first_then_nodes_change_in_causal_order() -> None:
    assert [roles(each) for each in pictures_between(BEFORE, NOW, 5)] == [
        "cut plain plain plain",
        "cut forced plain plain",
        "cut forced absent plain",
    ]


def test_freeing_a_node_travels_back_the_same_way() -> None:
    assert [roles(each) for each in pictures_between(NOW, BEFORE, 5)] == [
        "cause forced absent absent",
        "cause plain absent absent",
        "cause plain plain absent",
    ]


def test_there_are_no_more_pictures_than_asked_for_and_none_without_a_change() -> None:
    assert len(pictures_between(BEFORE, NOW, 2)) == 2
    assert pictures_between(BEFORE, BEFORE, 5) == ()


def test_cycles_and_nodes_that_nothing_leads_to_change_too() -> None:
    ring = (Link("a", "b"), Link("b", "a"))
    before = Graph("", (Node("a", "a"), Node("b", "b"), Node("c", "c")), ring)
    now = Graph("", tuple(Node(n, n, Role.ABSENT, happens=False) for n in "abc"), ring)
    for picture in pictures_between(before, now, 5):
        assert [node.id for node in picture.nodes] == ["a", "b", "c"]
