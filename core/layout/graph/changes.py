"""What another state of the same graph changed, the most telling first."""

from __future__ import annotations

from core.contract.view import Graph, Role

_SET = frozenset({Role.FORCED, Role.OBSERVED, Role.IMAGINED})
"""What was set from outside."""


def changed_nodes(before: Graph, now: Graph) -> tuple[str, ...]:
    """The ids of the nodes that were set, then of those that happen or not because of that.

    None where the two graphs have no node in common: then they are of different items. A node
    that was not drawn before counts where it was set or is marked as changed.
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
    changed.sort(key=lambda node: (node.role not in _SET, not node.happens))
    return tuple(node.id for node in changed)
