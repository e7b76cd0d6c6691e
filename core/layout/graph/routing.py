"""Routes links between the layers, each net on a track of its own, so that lines stay distinct.

Two lines share a cell only where both come from the same source, or where they cross at a right
angle. Between two layers this is channel routing (Hashimoto and Stevens, 1971): a net whose port
stands over another's must bend above it, and a ring of such demands is opened by a detour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from core.layout.graph.layering import Layered

Point = tuple[int, int]
"""Across and along the layers."""


@dataclass(slots=True, eq=False)
class Wire:
    """What one net draws between two layers: down from its port, along a track, down to targets."""

    net: int
    start: int
    """Where it comes in, across."""
    ends: dict[int, int]
    """Where it goes out, for each vertex of the next layer that it leads to."""
    track: int = -1
    """Counted from above; -1 for one that goes straight down."""
    after: Wire | None = None
    """The second half of a detour, which begins where this one ends."""

    @property
    def extent(self) -> tuple[int, int]:
        """First and last cell of its track."""
        cells = (self.start, *self.ends.values())
        return min(cells), max(cells)

    @property
    def straight(self) -> bool:
        """Whether it needs no track."""
        return all(end == self.start for end in self.ends.values())


@dataclass(slots=True)
class Channel:
    """The room between two layers."""

    wires: list[Wire] = field(default_factory=list)
    tracks: int = 0


def route_channels(
    graph: Layered, layers: Sequence[Sequence[int]], places: Sequence[int], sizes: Sequence[int]
) -> list[Channel]:
    """The wires below each layer, with their ports and tracks."""
    out = _out_ports(graph, places, sizes)
    into = _in_ports(graph, out, places, sizes)
    between = [Channel() for _ in layers]
    by_start: dict[tuple[int, int], Wire] = {}
    for net, above, below in graph.pieces:
        key = (net, above)
        wire = by_start.get(key)
        if wire is None:
            wire = by_start[key] = Wire(net, out[key], {})
            between[graph.layer[above]].wires.append(wire)
        wire.ends[below] = into[net, below]
    for channel in between:
        _give_tracks(channel)
    return between


def _spread(number: int, start: int, size: int) -> list[int]:
    """`number` cells evenly inside `size` cells from `start`."""
    return [start + (2 * i + 1) * size // (2 * number) for i in range(number)]


def _side(number: int, start: int, size: int) -> tuple[int, int]:
    """First and last cell for `number` ports: not on a corner unless there is no other room."""
    inset = 1 if size - 2 >= number else 0
    return start + inset, start + size - 1 - inset


def _out_ports(
    graph: Layered, places: Sequence[int], sizes: Sequence[int]
) -> dict[tuple[int, int], int]:
    """Where each net leaves each of its vertices."""
    leaving: dict[int, dict[int, list[int]]] = {}
    for net, above, below in graph.pieces:
        leaving.setdefault(above, {}).setdefault(net, []).append(places[below])
    ports = {}
    for vertex, nets in leaving.items():
        if len(nets) == 1:
            ports[next(iter(nets)), vertex] = places[vertex]
            continue
        in_order = sorted(nets, key=lambda net: (sum(nets[net]) / len(nets[net]), net))
        start, size = places[vertex] - sizes[vertex] // 2, sizes[vertex]
        cells = _apart(_spread(len(nets), start, size), *_side(len(nets), start, size))
        for net, port in zip(in_order, cells, strict=True):
            ports[net, vertex] = port
    return ports


def _in_ports(
    graph: Layered,
    out: Mapping[tuple[int, int], int],
    places: Sequence[int],
    sizes: Sequence[int],
) -> dict[tuple[int, int], int]:
    """Where each net enters each of its vertices: straight from above where that can be.

    A label is entered where it is left, in its middle.
    """
    entering: dict[int, list[tuple[int, int]]] = {}
    for net, above, below in graph.pieces:
        entering.setdefault(below, []).append((out[net, above], net))
    ports = {}
    for vertex, wires in entering.items():
        if graph.nodes <= vertex < graph.stops:
            ports[wires[0][1], vertex] = places[vertex]
            continue
        wires.sort()
        begin, size = places[vertex] - sizes[vertex] // 2, sizes[vertex]
        first, last = _side(len(wires), begin, size)
        wishes = [
            start if first <= start <= last else even
            for (start, _), even in zip(wires, _spread(len(wires), begin, size), strict=True)
        ]
        for (_, net), port in zip(wires, _apart(wishes, first, last), strict=True):
            ports[net, vertex] = port
    return ports


def _apart(wishes: Sequence[int], first: int, last: int) -> list[int]:
    """Ascending different cells from `first` to `last` near the wished ones."""
    cells: list[int] = []
    for i, wish in enumerate(wishes):
        least = cells[-1] + 1 if cells else first
        most = last - (len(wishes) - 1 - i)
        cells.append(min(max(wish, least), most))
    return cells


def _give_tracks(channel: Channel) -> None:
    """A track for every wire that bends, below those that it must not run into."""
    wires = [wire for wire in channel.wires if not wire.straight]
    taken: list[list[tuple[int, int]]] = []
    while True:
        above = _demands(wires)
        below: dict[int, list[int]] = {i: [] for i in range(len(wires))}
        for i, others in enumerate(above):
            for other in others:
                below[other].append(i)
        waiting = [len(others) for others in above]
        ready = [(wire.extent, i) for i, wire in enumerate(wires) if not waiting[i]]
        heapify(ready)
        left = set(range(len(wires)))
        while ready:
            extent, i = heappop(ready)
            left.discard(i)
            wires[i].track = _first_free(taken, extent, wires[i].track)
            for j in below[i]:
                wires[j].track = max(wires[j].track, wires[i].track + 1)
                waiting[j] -= 1
                if not waiting[j]:
                    heappush(ready, (wires[j].extent, j))
        if not left:
            break
        wires = [wires[i] for i in sorted(left)]
        wires.append(_detour(min(wires, key=lambda wire: wire.extent), channel))
    channel.tracks = len(taken)


def _demands(wires: Sequence[Wire]) -> list[set[int]]:
    """The wires that must bend above each one: those whose port stands over one of its ends."""
    by_start = {wire.start: i for i, wire in enumerate(wires)}
    places = {id(wire): i for i, wire in enumerate(wires)}
    demands: list[set[int]] = [set() for _ in wires]
    for i, wire in enumerate(wires):
        for end in wire.ends.values():
            above = by_start.get(end)
            if above is not None and wires[above] not in (wire, wire.after):
                demands[i].add(above)
        second = places.get(id(wire.after))
        if second is not None:
            demands[second].add(i)
    return demands


def _first_free(taken: list[list[tuple[int, int]]], extent: tuple[int, int], least: int) -> int:
    """The first track from the least one on where nothing else is touched."""
    first, last = extent
    track = max(0, least)
    while True:
        if track == len(taken):
            taken.append([])
        if all(last < start - 1 or end + 1 < first for start, end in taken[track]):
            taken[track].append((first, last))
            return track
        track += 1


def _detour(wire: Wire, channel: Channel) -> Wire:
    """Let a wire bend twice, by way of a free cell; returns its new second half."""
    used = {cell for w in channel.wires for cell in (w.start, *w.ends.values())}
    used |= {w.after.start for w in channel.wires if w.after is not None}
    by_way = next(
        cell
        for far in range(1, 10**6)
        for cell in (wire.start + far, wire.start - far)
        if cell >= 0 and cell not in used
    )
    # What is known to lie above the wire lies above its ends, so above the second half.
    after = Wire(wire.net, by_way, dict(wire.ends), track=wire.track)
    wire.after, wire.ends, wire.track = after, {-1: by_way}, -1
    return after
