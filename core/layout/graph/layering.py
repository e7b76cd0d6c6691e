"""Layers of a graph: cycles broken, every node below its causes, long links in short pieces.

The first steps of Sugiyama, Tagawa and Toda (1981). Everything is decided by the order in which
nodes and links were given, so equal graphs are drawn equally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Net:
    """Links that are drawn from one port and may share lines: all have the same source.

    A link of a cycle is drawn against its direction and has a net of its own.
    """

    source: int
    links: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    """Where each link ends, in the order of `links`."""
    reversed: bool = False


@dataclass(slots=True)
class Layered:
    """Vertices in layers: nodes 0..n-1 of the graph, then bends of long nets."""

    nodes: int
    layer: list[int]
    """The layer of each vertex."""
    nets: list[Net]
    net_of: list[int]
    """The net that bends at a vertex; -1 for nodes."""
    pieces: list[tuple[int, int, int]]
    """(net, upper vertex, vertex in the next layer), each once."""
    loops: list[int]
    """Links from a node to itself, which are only marked."""

    @property
    def count(self) -> int:
        """How many vertices there are."""
        return len(self.layer)


def layered(count: int, links: Sequence[tuple[int, int]]) -> Layered:
    """Put nodes 0..count-1 with these links in layers."""
    loops = [i for i, (source, target) in enumerate(links) if source == target]
    back = _back_links(count, links)
    nets: list[Net] = []
    by_source: dict[int, Net] = {}
    for i, (source, target) in enumerate(links):
        if source == target:
            continue
        if i in back:
            nets.append(Net(target, [i], [source], reversed=True))
            continue
        net = by_source.get(source)
        if net is None:
            net = by_source[source] = Net(source)
            nets.append(net)
        net.links.append(i)
        net.targets.append(target)
    layer = _layers(count, nets)
    net_of = [-1] * count
    pieces: list[tuple[int, int, int]] = []
    for number, net in enumerate(nets):
        bends: dict[int, int] = {layer[net.source]: net.source}
        for target in dict.fromkeys(net.targets):
            above = net.source
            for depth in range(layer[net.source] + 1, layer[target]):
                if depth not in bends:
                    bends[depth] = len(layer)
                    layer.append(depth)
                    net_of.append(number)
                    pieces.append((number, above, bends[depth]))
                above = bends[depth]
            pieces.append((number, above, target))
    return Layered(count, layer, nets, net_of, pieces, loops)


def _back_links(count: int, links: Sequence[tuple[int, int]]) -> set[int]:
    """The links that close a cycle in a depth-first walk from the nodes as they were given."""
    leaving: list[list[int]] = [[] for _ in range(count)]
    for i, (source, _) in enumerate(links):
        leaving[source].append(i)
    state = [0] * count
    back: set[int] = set()
    for root in range(count):
        if state[root]:
            continue
        state[root] = 1
        walk = [(root, iter(leaving[root]))]
        while walk:
            node, rest = walk[-1]
            for i in rest:
                target = links[i][1]
                if state[target] == 1 and target != node:
                    back.add(i)
                elif state[target] == 0:
                    state[target] = 1
                    walk.append((target, iter(leaving[target])))
                    break
            else:
                state[node] = 2
                walk.pop()
    return back


def _layers(count: int, nets: Sequence[Net]) -> list[int]:
    """Longest path from above; a node with more below it than above moves down towards that."""
    below: list[list[int]] = [[] for _ in range(count)]
    above: list[list[int]] = [[] for _ in range(count)]
    for net in nets:
        for target in net.targets:
            below[net.source].append(target)
            above[target].append(net.source)
    waiting = [len(nodes) for nodes in above]
    order = [node for node in range(count) if not waiting[node]]
    layer = [0] * count
    for node in order:
        for target in below[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                order.append(target)
    for node in reversed(order):
        if len(below[node]) > len(above[node]):
            layer[node] = min(layer[target] for target in below[node]) - 1
    return layer
