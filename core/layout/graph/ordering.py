"""The order of the vertices in each layer: few crossings, by sweeps and transpositions.

Barycentres as Sugiyama, Tagawa and Toda (1981), transpositions and the flipping of ties as
Gansner, Koutsofios, North and Vo (1993), section 3. The best order seen is kept.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

from core.layout.graph.layering import Layered

_SWEEPS = 16
_PATIENCE = 4
"""Stop after this many sweeps without a better order: down and up, with ties either way."""
_SETTLING = 20
"""Most passes of transpositions at the end; each one saves a crossing or is the last."""


def order_vertices(graph: Layered) -> list[list[int]]:
    """The vertices of each layer from first to last."""
    depth = max(graph.layer, default=-1) + 1
    up, down = graph.neighbours
    layers = _first(graph, depth, up, down)
    best, fewest = [list(row) for row in layers], _crossings(layers, down)
    since = 0
    for sweep in range(_SWEEPS):
        if not fewest or since == _PATIENCE:
            break
        flip = sweep % 4 > 1
        if sweep % 2 == 0:
            for i in range(1, depth):
                _by_barycentre(layers[i], layers[i - 1], up, flip=flip)
        else:
            for i in range(depth - 2, -1, -1):
                _by_barycentre(layers[i], layers[i + 1], down, flip=flip)
        _transpose(layers, range(depth), up, down, flip=flip)
        crossings = _crossings(layers, down)
        if crossings < fewest:
            best, fewest, since = [list(row) for row in layers], crossings, 0
        else:
            since += 1
    changed: Sequence[int] = range(depth) if fewest else ()
    for _ in range(_SETTLING):
        moved = _transpose(best, changed, up, down, flip=False)
        changed = sorted({j for i in moved for j in (i - 1, i, i + 1) if 0 <= j < depth})
    return best


def _first(
    graph: Layered, depth: int, up: Sequence[list[int]], down: Sequence[list[int]]
) -> list[list[int]]:
    """The order of a depth-first walk, which draws a tree without a crossing."""
    layers: list[list[int]] = [[] for _ in range(depth)]
    seen = [False] * graph.count
    for root in range(graph.count):
        if seen[root] or up[root]:
            continue
        walk = [root]
        while walk:
            vertex = walk.pop()
            if not seen[vertex]:
                seen[vertex] = True
                layers[graph.layer[vertex]].append(vertex)
                walk.extend(reversed(down[vertex]))
    return layers


def _by_barycentre(
    row: list[int], fixed: Sequence[int], near: Sequence[list[int]], *, flip: bool
) -> None:
    """Sort a layer by the mean place of what is linked to it; what has no link stays in place.

    Of vertices with equal means the last comes first if `flip`.
    """
    positions = {vertex: i for i, vertex in enumerate(fixed)}
    means = {
        vertex: sum(positions[other] for other in near[vertex]) / len(near[vertex])
        for vertex in (reversed(row) if flip else row)
        if near[vertex]
    }
    linked = iter(sorted(means, key=means.__getitem__))
    row[:] = [next(linked) if vertex in means else vertex for vertex in row]


def _transpose(
    layers: Sequence[list[int]],
    which: Sequence[int],
    up: Sequence[list[int]],
    down: Sequence[list[int]],
    *,
    flip: bool,
) -> list[int]:
    """Swap neighbours in some layers where that saves a crossing; the layers where it did.

    If `flip`, also where it costs none.
    """
    moved = []
    for i in which:
        row = layers[i]
        above = {vertex: index for index, vertex in enumerate(layers[i - 1])} if i else {}
        below = {v: index for index, v in enumerate(layers[i + 1])} if i + 1 < len(layers) else {}
        saved = False
        for index in range(len(row) - 1):
            one, other = row[index], row[index + 1]
            now = _pair(up[one], up[other], above) + _pair(down[one], down[other], below)
            if not now and not flip:
                continue
            swapped = _pair(up[other], up[one], above) + _pair(down[other], down[one], below)
            if swapped < now or (flip and swapped == now):
                row[index], row[index + 1] = other, one
                saved = saved or swapped < now
        if saved:
            moved.append(i)
    return moved


def _pair(left: Sequence[int], right: Sequence[int], positions: dict[int, int]) -> int:
    """Crossings between the links of two neighbours of which `left` stands first."""
    return sum(positions[a] > positions[b] for a in left for b in right)


def _crossings(layers: Sequence[Sequence[int]], down: Sequence[list[int]]) -> int:
    """Pairs of pieces that cross, counted as inversions."""
    total = 0
    for upper, lower in pairwise(layers):
        positions = {vertex: i for i, vertex in enumerate(lower)}
        ends: list[int] = []
        for vertex in upper:
            indices = [positions[below] for below in down[vertex]]
            for index in indices:
                total += len(ends) - bisect_right(ends, index)
            for index in indices:
                insort(ends, index)
    return total
