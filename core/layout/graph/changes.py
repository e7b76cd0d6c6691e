"""Compares two states of a graph: its shape, and the nodes that differ."""

from __future__ import annotations

from core.contract.view import Graph, Role

WAS_SET = frozenset({Role.FORCED, Role.OBSERVED, Role.IMAGINED})
"""Roles of nodes that were set from outside."""


def changed_nodes(before: Graph, now: Graph) -> tuple[str, ...]:
    """The ids of the nodes that were set, and of those that changed as a consequence.

    The most important come first, and last a new node that stands for itself.
    Empty where the graphs have no node in common, because they belong to different items. Of
    several new nodes those count that were set or are marked as changed.
    """
    states = {(node.id, node.text): (node.role, node.happens) for node in before.nodes}
    if not any((node.id, node.text) in states for node in now.nodes):
        return ()
    new = [node for node in now.nodes if (node.id, node.text) not in states]
    changed = [
        node
        for node in now.nodes
        if states.get((node.id, node.text)) != (node.role, node.happens)
        and (node not in new or node.role in WAS_SET | {Role.CHANGED})
    ]
    # Where something was made to happen, what follows from it matters more than what was prevented.
    forced = any(node.role in WAS_SET and node.happens for node in changed)
    changed.sort(
        key=lambda node: (
            forced and not node.happens,
            node.role not in WAS_SET,
            not node.happens,
        )
    )
    alone = new if len(new) == 1 else []
    return tuple(dict.fromkeys(node.id for node in (*changed, *alone)))


def graph_shape(graph: Graph) -> tuple[object, object]:
    """What decides where everything is drawn."""
    return (
        tuple((node.id, node.text) for node in graph.nodes),
        tuple((link.source, link.target, link.label) for link in graph.links),
    )
