"""The order of the vertices in each layer: few crossings, by median sweeps and transpositions.

Gansner, Koutsofios, North and Vo (1993), section 3. The best order seen is kept.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

from core.layout.graph.layering import Layered

_SWEEPS = 8
_FEW = 600
"""Vertices up to which all sweeps are made, and neighbours also tried the other way round."""


def ordered(graph: Layered) -> list[list[int]]:
    """The vertices of each layer from first to last."""
    depth = max(graph.layer, default=-1) + 1
    up: list[list[int]] = [[] for _ in range(graph.count)]
    down: list[list[int]] = [[] for _ in range(graph.count)]
    for _, above, below in graph.pieces:
        down[above].append(below)
        up[below].append(above)
    layers = _first(graph, depth, up, down)
    best, fewest = [list(row) for row in layers], _crossings(layers, down)
    for sweep in range(_SWEEPS if graph.count <= _FEW else _SWEEPS // 2):
        if not fewest:
            break
        if sweep % 2 == 0:
            for i in range(1, depth):
                _by_median(layers[i], layers[i - 1], up)
        else:
            for i in range(depth - 2, -1, -1):
                _by_median(layers[i], layers[i + 1], down)
        if graph.count <= _FEW:
            _transpose(layers, up, down)
        crossings = _crossings(layers, down)
        if crossings < fewest:
            best, fewest = [list(row) for row in layers], crossings
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


def _by_median(row: list[int], fixed: Sequence[int], near: Sequence[list[int]]) -> None:
    place = {vertex: i for i, vertex in enumerate(fixed)}
    keys = {}
    for i, vertex in enumerate(row):
        places = sorted(place[other] for other in near[vertex] if other in place)
        if not places:
            keys[vertex] = float(i)
        elif len(places) % 2:
            keys[vertex] = float(places[len(places) // 2])
        else:
            keys[vertex] = (places[len(places) // 2 - 1] + places[len(places) // 2]) / 2
    row.sort(key=keys.__getitem__)


def _transpose(
    layers: Sequence[list[int]], up: Sequence[list[int]], down: Sequence[list[int]]
) -> None:
    """Swap neighbours as long as that saves a crossing."""
    for i, row in enumerate(layers):
        above = {vertex: at for at, vertex in enumerate(layers[i - 1])} if i else {}
        below = {v: at for at, v in enumerate(layers[i + 1])} if i + 1 < len(layers) else {}
        for at in range(len(row) - 1):
            one, other = row[at], row[at + 1]
            now = _pair(up[one], up[other], above) + _pair(down[one], down[other], below)
            swapped = _pair(up[other], up[one], above) + _pair(down[other], down[one], below)
            if swapped < now:
                row[at], row[at + 1] = other, one


def _pair(left: Sequence[int], right: Sequence[int], place: dict[int, int]) -> int:
    """Crossings between the links of two neighbours of which `left` stands first."""
    return sum(place[a] > place[b] for a in left for b in right)


def _crossings(layers: Sequence[Sequence[int]], down: Sequence[list[int]]) -> int:
    """Pairs of pieces that cross, counted as inversions."""
    total = 0
    for upper, lower in pairwise(layers):
        place = {vertex: i for i, vertex in enumerate(lower)}
        ends: list[int] = []
        for vertex in upper:
            places = [place[below] for below in down[vertex]]
            for at in places:
                total += len(ends) - bisect_right(ends, at)
            for at in places:
                insort(ends, at)
    return total
