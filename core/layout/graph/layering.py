"""Layers of a graph: cycles broken, every node below its causes, long links in short pieces.

The first steps of Sugiyama, Tagawa and Toda (1981). A link's label is a vertex between its ends as
in Gansner, Koutsofios, North and Vo (1993), section 5.3, in a layer where only labels and bends
stand. Everything is decided by the order in which nodes and links were given, so equal graphs are
drawn equally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Net:
    """Links that are drawn from one port and may share lines: all have the same source.

    A link of a cycle is drawn against its direction and has a net of its own. A link with a label
    has two: that of its source, down to the label, and one from there on.
    """

    source: int
    links: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    """The node or label at which each link leaves the net, in the order of `links`."""
    reversed: bool = False


@dataclass(slots=True)
class Layered:
    """Vertices in layers: nodes 0..n-1 of the graph, then labels, then bends of long nets."""

    nodes: int
    labels: list[int]
    """The first link of each label; vertex `nodes + i` is label i."""
    layer: list[int]
    """The layer of each vertex."""
    nets: list[Net]
    """The net of a link's source stands before that of its label."""
    pieces: list[tuple[int, int, int]]
    """(net, upper vertex, vertex in the next layer), each once."""
    loops: list[int]
    """Links from a node to itself, which are only marked."""

    @property
    def count(self) -> int:
        """How many vertices there are."""
        return len(self.layer)

    @property
    def stops(self) -> int:
        """How many vertices are nodes or labels, not bends."""
        return self.nodes + len(self.labels)

    @property
    def neighbours(self) -> tuple[list[list[int]], list[list[int]]]:
        """Of each vertex those that it is linked to in the layer before, and in the one after."""
        up: list[list[int]] = [[] for _ in self.layer]
        down: list[list[int]] = [[] for _ in self.layer]
        for _, above, below in self.pieces:
            down[above].append(below)
            up[below].append(above)
        return up, down


def assign_layers(
    count: int, links: Sequence[tuple[int, int]], labels: Sequence[str] | None = None
) -> Layered:
    """Assign nodes 0..count-1 to layers.

    Args:
        count: how many nodes there are.
        links: the source and the target of each.
        labels: the label of each link, empty for none; links between the same ends with the same
            label share it. None where no label is drawn.
    """
    loops = [i for i, (source, target) in enumerate(links) if source == target]
    back = _back_links(count, links)
    ends = {
        i: (target, source) if i in back else (source, target)
        for i, (source, target) in enumerate(links)
        if source != target
    }
    layer = _layers(count, list(ends.values()))
    nets: list[Net] = []
    behind: list[Net] = []
    by_source: dict[int, Net] = {}
    by_label: dict[tuple[int, int, str], int] = {}
    named: list[int] = []
    for i, (upper, lower) in ends.items():
        net = None if i in back else by_source.get(upper)
        if net is None:
            net = Net(upper, reversed=i in back)
            nets.append(net)
            if i not in back:
                by_source[upper] = net
        net.links.append(i)
        label = labels[i] if labels else ""
        if not label:
            net.targets.append(lower)
            continue
        known = None if i in back else by_label.get((upper, lower, label))
        if known is None:
            known = len(named)
            named.append(i)
            behind.append(Net(count + known, reversed=i in back))
            if i not in back:
                by_label[upper, lower, label] = known
        net.targets.append(count + known)
        behind[known].links.append(i)
        behind[known].targets.append(lower)
    layer = _with_labels(layer, [ends[i][1] for i in named])
    nets += behind
    return Layered(count, named, layer, nets, _pieces(nets, layer), loops)


def _with_labels(layer: Sequence[int], lower: Sequence[int]) -> list[int]:
    """The layers of all nodes and labels, with one for labels wherever there are some.

    Args:
        layer: that of each node as if there were no labels.
        lower: the lower end of each labelled link, above which its label stands.
    """
    above = sorted({layer[node] for node in lower})
    pushed = [0] * (max(layer, default=-1) + 1)
    for depth in above:
        pushed[depth] = 1
    for depth in range(1, len(pushed)):
        pushed[depth] += pushed[depth - 1]
    moved = [depth + pushed[depth] for depth in layer]
    return moved + [moved[node] - 1 for node in lower]


def _pieces(nets: Sequence[Net], layer: list[int]) -> list[tuple[int, int, int]]:
    """The pieces of each net between neighbouring layers; adds its bends to `layer`."""
    pieces: list[tuple[int, int, int]] = []
    for number, net in enumerate(nets):
        bends: dict[int, int] = {layer[net.source]: net.source}
        for target in dict.fromkeys(net.targets):
            above = net.source
            for depth in range(layer[net.source] + 1, layer[target]):
                if depth not in bends:
                    bends[depth] = len(layer)
                    layer.append(depth)
                    pieces.append((number, above, bends[depth]))
                above = bends[depth]
            pieces.append((number, above, target))
    return pieces


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


def _layers(count: int, links: Sequence[tuple[int, int]]) -> list[int]:
    """Longest path from above; a node with more below it than above moves down towards that.

    `links` are the upper and the lower end of each.
    """
    below: list[list[int]] = [[] for _ in range(count)]
    above: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in links:
        below[upper].append(lower)
        above[lower].append(upper)
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
