"""The page that says why each part of a graph is as it is."""

from __future__ import annotations

from core.contract.view import Graph, Link, Node, Role
from tui.browse.dials import reasons

MATCH = Graph(
    "Events",
    (
        Node("card", "A card is shown", note="happens: by itself"),
        Node("lead", "The visitors lead", note="happens: because of “A card is shown”"),
        Node("storm", "A storm breaks", note="does not happen: nothing brings it about"),
    ),
    (
        Link("card", "lead", role=Role.PLAIN, note="source: own"),
        Link("storm", "lead", role=Role.HINDERS, note="source: own"),
        Link("storm", "card", "stops", role=Role.CUT, note="strength 0.5, source: own"),
    ),
)


def test_reasons_come_first_and_what_several_links_share_is_said_once() -> None:
    assert reasons(MATCH).split("\n\n") == [
        "A card is shown\n    happens: by itself",
        "The visitors lead\n    happens: because of “A card is shown”",
        "A storm breaks\n    does not happen: nothing brings it about",
        "A card is shown  ─→  The visitors lead\n"
        "A storm breaks  ─⊥  The visitors lead\n"
        "    source: own",
        "A storm breaks  ─stops╳  A card is shown\n    strength 0.5, source: own",
    ]


def test_a_graph_of_which_nothing_is_known_says_so() -> None:
    bare = Graph("", (Node("a", "a"), Node("b", "b")), (Link("a", "b"),))
    assert reasons(bare) == "Nothing more is known of its parts."
