"""The pictures between two states of one graph: what was set first, then what depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.contract.view import Graph, Node, Role
from core.layout.graph.changes import WAS_SET


def pictures_between(before: Graph, now: Graph, most: int) -> tuple[Graph, ...]:
    """The pictures after `before` and before `now`, at most so many; none where one step is all.

    Links that are cut come first, then the nodes that were set or freed, then the nodes that depend
    on them in the order of the links. Both graphs have the same nodes and links, in the same order.
    """
    moments = _moments(before, now)
    last = max(moments.values(), default=0)
    cut = [
        i
        for i, (old, new) in enumerate(zip(before.links, now.links, strict=True))
        if old.role is not new.role and Role.CUT in {old.role, new.role}
    ]
    # Moment 0 is that of the links that are cut, the nodes that were set have moment 1.
    times = range(0 if cut else 1, last)[:most]
    return tuple(_picture(before, now, moments, cut, time) for time in times)


def _moments(before: Graph, now: Graph) -> dict[str, int]:
    """When each changed node changes, from 1: those that were set or freed first."""
    pairs = list(zip(before.nodes, now.nodes, strict=True))
    changed = {new.id for old, new in pairs if _state(old) != _state(new)}
    first = [
        new.id
        for old, new in pairs
        if new.id in changed and old.role is not new.role and {old.role, new.role} & WAS_SET
    ]
    moments: dict[str, int] = {}
    follows = {link.target for link in now.links if link.source in changed}
    front: Sequence[str] = first or sorted(changed - follows)
    moment = 1
    while front:
        moments |= dict.fromkeys(front, moment)
        moment += 1
        front = [
            link.target
            for link in now.links
            if link.source in front and link.target in changed and link.target not in moments
        ]
    # What changed for another reason changes with the last.
    return dict.fromkeys(changed, max(moments.values(), default=1)) | moments


def _picture(
    before: Graph, now: Graph, moments: dict[str, int], cut: Sequence[int], time: int
) -> Graph:
    nodes = tuple(
        new if moments.get(new.id, 0) <= time else old
        for old, new in zip(before.nodes, now.nodes, strict=True)
    )
    links = tuple(
        new if i in cut or moments.get(new.target, 0) <= time else old
        for i, (old, new) in enumerate(zip(before.links, now.links, strict=True))
    )
    return replace(now, nodes=nodes, links=links)


def _state(node: Node) -> tuple[Role, bool, str]:
    return node.role, node.happens, node.sign
