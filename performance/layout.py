"""Graph layout: processor time, and the size and crossings of the drawings.

python performance/layout.py [--rounds N]

The graphs are invented: every event has a cause among the forty before it, every second one
another; they are laid out without labels on their links, then with one on each. Times are the
processor's, best of the rounds, and the targets are for graphs without labels; a window is what a
terminal of 140 by 40 cells shows.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from itertools import cycle, product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.contract.view import Graph, Link, Node, Role
from core.layout.graph.canvas import Canvas
from core.layout.graph.drawing_options import Direction, Zoom
from core.layout.graph.placement import place_graph
from core.layout.plain_text import cells
from core.layout.rows import Row

TARGETS_MS = {200: 50, 2000: 500}
WINDOW = (140, 40)
RELATIONS = ("causes", "part of", "type of", "used for", "requires", "⇒ spatial")


def events(count: int) -> Graph:
    """An acyclic graph of `count` nodes and half as many links again."""
    rnd = random.Random(count)
    nodes = tuple(Node(f"e{i}", f"Event {i} takes place") for i in range(count))
    links = [
        Link(f"e{rnd.randrange(max(0, i - 40), i)}", f"e{i}", role=Role.PLAIN)
        for i in range(1, count)
        for _ in range(1 + i % 2)
    ]
    return Graph("Events", nodes, tuple(links))


def labelled(graph: Graph) -> Graph:
    """The same graph with a label on every link."""
    names = cycle(RELATIONS)
    return replace(graph, links=tuple(replace(x, label=next(names)) for x in graph.links))


def best_ms(work: Callable[[], object], rounds: int) -> float:
    """Least processor time of one call."""
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return 1000 * min(times)


def crossings(canvas: Canvas) -> int:
    """Cells in which two different lines cross."""
    return sum(
        len(cell.nets) > 1
        for y in range(canvas.placement.height)
        for cell in canvas.cells(y).values()
    )


def window(canvas: Canvas, lit: Collection[int]) -> list[Row]:
    """The middle of a drawing, as much as a terminal shows."""
    width, height = WINDOW
    left = max(0, (canvas.placement.width - width) // 2)
    top = max(0, (canvas.placement.height - height) // 2)
    return [canvas.row(top + i, left, left + width, lit=lit) for i in range(height)]


def main() -> None:
    """Print a line for each size, direction and zoom."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=5)
    rounds = arguments.parse_args().rounds
    looks = (
        (Direction.DOWN, Zoom.LABELS),
        (Direction.DOWN, Zoom.BOXES),
        (Direction.RIGHT, Zoom.LABELS),
    )
    for count, named, (direction, zoom) in product((28, 200, 2000), (False, True), looks):
        graph = labelled(events(count)) if named else events(count)
        took = best_ms(partial(place_graph, graph, cells, direction=direction, zoom=zoom), rounds)
        placement = place_graph(graph, cells, direction=direction, zoom=zoom)
        indexing = best_ms(partial(Canvas, placement, graph, cells), rounds)
        canvas = Canvas(placement, graph, cells)
        rows = best_ms(partial(window, canvas, canvas.links_at("e0")), rounds)
        target = None if named else TARGETS_MS.get(count)
        print(
            f"{count:5} nodes {len(graph.links):5} {'labelled ' if named else ''}links "
            f"{direction:5} {zoom:6} "
            f"placed {took:6.1f} ms{f' (target {target})' if target else '':13} "
            f"indexed {indexing:5.1f} ms  a window {rows:5.1f} ms  "
            f"{placement.width} x {placement.height} cells  "
            f"{crossings(canvas)} crossings",
            flush=True,
        )


if __name__ == "__main__":
    main()
