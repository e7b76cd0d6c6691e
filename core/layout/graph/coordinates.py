"""Positions of the vertices in each layer: close to their neighbours in other layers, and at least
a gap apart.

Within a layer the positions with the least squared distance from the desired ones are found
by isotonic regression (pooling adjacent violators): exact and in linear time. At the end
vertices that are linked to nothing but each other are put in one line, where that fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.layout.graph.layering import Layered

_SWEEPS = 6
_BEND_WEIGHT = 4.0
"""Weight of a bend compared with a node, so that long links are drawn straight."""

_FAR = 10**9
"""Wider than any drawing."""


def vertex_centres(
    graph: Layered, layers: Sequence[Sequence[int]], sizes: Sequence[int], gap: int, bend_gap: int
) -> list[int]:
    """The middle cell of every vertex along its layer; the smallest edge is at 0.

    Args:
        graph: the vertices and what links them.
        layers: their order.
        sizes: how many cells each takes.
        gap: least number of empty cells between two nodes.
        bend_gap: least number of empty cells next to a bend.
    """
    near, far = graph.neighbours
    nodes = graph.nodes
    steps = [
        [
            sizes[a]
            - sizes[a] // 2
            + sizes[b] // 2
            + (gap if a < nodes and b < nodes else bend_gap)
            for a, b in pairwise(row)
        ]
        for row in layers
    ]
    positions = [0.0] * graph.count
    for row, distances in zip(layers, steps, strict=True):
        at = 0.0
        for i, vertex in enumerate(row):
            at += distances[i - 1] if i else 0
            positions[vertex] = at
    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        rows = range(len(layers)) if downward else range(len(layers) - 1, -1, -1)
        for i in rows:
            _settle(layers[i], steps[i], positions, near if downward else far, far, near, nodes)
    cells = _whole(layers, steps, positions)
    _straighten(_runs(near, far), layers, steps, cells)
    least = min((cell - size // 2 for cell, size in zip(cells, sizes, strict=True)), default=0)
    return [cell - least for cell in cells]


def _settle(
    row: Sequence[int],
    distances: Sequence[int],
    positions: list[float],
    first: Sequence[list[int]],
    far: Sequence[list[int]],
    near: Sequence[list[int]],
    nodes: int,
) -> None:
    """Move the vertices of one layer towards their neighbours."""
    wishes, weights = [], []
    offset = 0.0
    offsets = []
    for i, vertex in enumerate(row):
        offset += distances[i - 1] if i else 0
        linked = first[vertex] or far[vertex] or near[vertex]
        wish = _median([positions[other] for other in linked]) if linked else positions[vertex]
        wishes.append(wish - offset)
        weights.append((_BEND_WEIGHT if vertex >= nodes else 1.0) * (1 + len(linked)))
        offsets.append(offset)
    for vertex, fitted, offset in zip(row, _isotonic(wishes, weights), offsets, strict=True):
        positions[vertex] = fitted + offset


def _isotonic(wishes: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The non-decreasing values with the least weighted squared distance from `wishes`."""
    pools: list[tuple[float, float, int]] = []
    for wish, weight in zip(wishes, weights, strict=True):
        mean, total, count = wish, weight, 1
        while pools and pools[-1][0] > mean:
            before, heavy, many = pools.pop()
            mean = (mean * total + before * heavy) / (total + heavy)
            total += heavy
            count += many
        pools.append((mean, total, count))
    return [mean for mean, _, count in pools for _ in range(count)]


def _whole(
    layers: Sequence[Sequence[int]], steps: Sequence[Sequence[int]], positions: Sequence[float]
) -> list[int]:
    """Positions rounded to whole cells that keep the distances."""
    cells = [0] * len(positions)
    for row, distances in zip(layers, steps, strict=True):
        for i, vertex in enumerate(row):
            cell = round(positions[vertex])
            cells[vertex] = max(cell, cells[row[i - 1]] + distances[i - 1]) if i else cell
    return cells


def _runs(near: Sequence[list[int]], far: Sequence[list[int]]) -> list[list[int]]:
    """Chains of vertices in successive layers that are linked only to each other."""
    runs = []
    for vertex, above in enumerate(near):
        if len(above) == 1 and len(far[above[0]]) == 1:
            continue
        run = [vertex]
        while len(far[run[-1]]) == 1 and len(near[far[run[-1]][0]]) == 1:
            run.append(far[run[-1]][0])
        if len(run) > 1:
            runs.append(run)
    return runs


def _straighten(
    runs: Sequence[Sequence[int]],
    layers: Sequence[Sequence[int]],
    steps: Sequence[Sequence[int]],
    cells: list[int],
) -> None:
    """Move each run onto one straight line near its median, if its neighbours leave room."""
    beside: dict[int, tuple[int, int, int, int]] = {}
    for row, distances in zip(layers, steps, strict=True):
        for i, vertex in enumerate(row):
            before, room = (row[i - 1], distances[i - 1]) if i else (-1, 0)
            behind, space = (row[i + 1], distances[i]) if i + 1 < len(row) else (-1, 0)
            beside[vertex] = (before, room, behind, space)
    for run in runs:
        least, most = -_FAR, _FAR
        for vertex in run:
            before, room, behind, space = beside[vertex]
            least = max(least, cells[before] + room) if before >= 0 else least
            most = min(most, cells[behind] - space) if behind >= 0 else most
        if least <= most:
            middle = sorted(cells[vertex] for vertex in run)[len(run) // 2]
            for vertex in run:
                cells[vertex] = min(max(middle, least), most)


def _median(values: list[float]) -> float:
    values.sort()
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2
