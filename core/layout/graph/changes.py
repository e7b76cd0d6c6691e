"""The nodes that differ between two states of the same graph, the most important first."""

from __future__ import annotations

from core.contract.view import Graph, Role

_SET = frozenset({Role.FORCED, Role.OBSERVED, Role.IMAGINED})
"""Roles of nodes that were set from outside."""


def changed_nodes(before: Graph, now: Graph) -> tuple[str, ...]:
    """The ids of the nodes that were set, and of those that changed as a consequence.

    Empty where the graphs have no node in common, because they belong to different items. A new
    node counts if it was set or is marked as changed.
    """
    states = {(node.id, node.text): (node.role, node.happens) for node in before.nodes}
    if not any((node.id, node.text) in states for node in now.nodes):
        return ()
    changed = [
        node
        for node in now.nodes
        if states.get((node.id, node.text)) != (node.role, node.happens)
        and ((node.id, node.text) in states or node.role in _SET | {Role.CHANGED})
    ]
    # Where something was made to happen, what follows from it matters more than what was prevented.
    made = any(node.role in _SET and node.happens for node in changed)
    changed.sort(
        key=lambda node: (made and not node.happens, node.role not in _SET, not node.happens)
    )
    return tuple(node.id for node in changed)
