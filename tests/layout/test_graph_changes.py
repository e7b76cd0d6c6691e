"""What another state of the same graph changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.contract.view import Graph, Link, Node, Role
from core.layout.graph.changes import changed_nodes

RAIN = Graph(
    "Events",
    (Node("rain", "It rains"), Node("wet", "The path is wet"), Node("sun", "The sun shines")),
    (Link("rain", "wet"),),
)


def with_states(**states: tuple[Role, bool]) -> Graph:
    return replace(
        RAIN,
        nodes=tuple(
            replace(node, role=states[node.id][0], happens=states[node.id][1])
            if node.id in states
            else node
            for node in RAIN.nodes
        ),
    )


def test_nothing_changed_is_nothing() -> None:
    assert changed_nodes(RAIN, replace(RAIN, title="The same")) == ()


@pytest.mark.parametrize("role", [Role.FORCED, Role.OBSERVED, Role.IMAGINED])
def test_what_was_set_comes_before_what_follows_from_it(role: Role) -> None:
    now = with_states(wet=(Role.ABSENT, False), rain=(role, False))
    assert changed_nodes(RAIN, now) == ("rain", "wet")


def test_what_is_imagined_to_happen_comes_before_what_is_imagined_away() -> None:
    now = with_states(rain=(Role.IMAGINED, False), sun=(Role.IMAGINED, True))
    assert changed_nodes(RAIN, now) == ("sun", "rain")


def test_what_is_let_be_again_counts_too() -> None:
    before = with_states(wet=(Role.ABSENT, False), rain=(Role.FORCED, False))
    assert set(changed_nodes(before, RAIN)) == {"rain", "wet"}


@pytest.mark.parametrize("role", [Role.PLAIN, Role.DISTRACTOR, Role.IMAGINED, Role.CHANGED])
def test_one_new_node_counts(role: Role) -> None:
    now = replace(RAIN, nodes=(*RAIN.nodes, Node("new", "A card is shown", role)))
    assert changed_nodes(RAIN, now) == ("new",)


def test_of_several_new_nodes_those_count_that_are_marked() -> None:
    roles = {"a": Role.PLAIN, "b": Role.ABSENT, "c": Role.IMAGINED, "d": Role.CHANGED}
    new = tuple(Node(name, f"A card {name}", role) for name, role in roles.items())
    assert changed_nodes(RAIN, replace(RAIN, nodes=(*RAIN.nodes, *new))) == ("c", "d")


def test_a_new_node_comes_after_what_was_set() -> None:
    now = with_states(wet=(Role.FORCED, True))
    now = replace(now, nodes=(Node("new", "A card is shown", Role.PLAIN), *now.nodes))
    assert changed_nodes(RAIN, now) == ("wet", "new")


def test_another_item_has_not_changed_though_its_ids_are_the_same() -> None:
    other = replace(
        RAIN,
        nodes=tuple(
            replace(node, text=f"Elsewhere {node.text}", role=Role.FORCED) for node in RAIN.nodes
        ),
    )
    assert changed_nodes(RAIN, other) == ()
