"""Key latency in a graph of 2,000 events, and the cost of drawing the graph.

python performance/graph_keys.py [EVENTS]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path
from string import ascii_lowercase

from terminal import PROGRAM, Terminal, median_ms, painted, percentile_ms

EVENTS = 2000
PRESSES = 200
FEW = 2
"""Events of the graph against which memory is measured."""
KEYS = b"jlkh"
"""A round: what one key leaves another comes back to, so that no key leads nowhere."""
PLACEHOLDER = "Under the cursor"
TARGET_MS = 35
TARGET_MB = 25


def name(number: int) -> str:
    """Three letters."""
    return "".join(ascii_lowercase[number // 26**place % 26] for place in (2, 1, 0))


def write_graph(path: Path, events: int) -> None:
    """Write a graph in which each event has a cause, every tenth two, among the forty before.

    Names are short, because files of more than 100,000 bytes are not read.
    """
    chance = random.Random(2000)
    lines = ["id: large", "language: en", "title: A large graph", "events:"]
    lines += [f"  {name(number)}: {{text: Day {number}}}" for number in range(events)]
    lines.append("links:")
    for number in range(1, events):
        among = range(max(0, number - 40), number)
        causes = chance.sample(among, min(len(among), 2 if number % 10 == 0 else 1))
        lines += [f"- {{from: {name(cause)}, to: {name(number)}}}" for cause in causes]
    path.write_text("\n".join(lines), encoding="utf-8")


def under_cursor(lines: list[str]) -> str:
    """What the pane below the graph says of the event under the cursor; empty before it does."""
    title = next((y for y, line in enumerate(lines) if PLACEHOLDER in line), None)
    if title is None:
        return ""
    start = lines[title].index("╭─ " + PLACEHOLDER)
    return lines[title + 1][start:].split("│")[1].strip()


def seconds_to_move(terminal: Terminal, key: bytes) -> float:
    """Press a key; seconds until another event is under the cursor, 0 where there is none."""
    before = under_cursor(terminal.lines)
    pressed = time.perf_counter()
    terminal.send(key)
    try:
        return terminal.until(lambda lines: under_cursor(lines) not in (before, ""), 1) - pressed
    except TimeoutError:
        return 0.0


def opened(path: Path) -> Terminal:
    """The program on a graph, in the pane that draws it."""
    terminal = Terminal([*PROGRAM, "browse", str(path), "--benchmark", "com2"])
    try:
        terminal.until(painted(PLACEHOLDER), 60)
    except TimeoutError:
        terminal.close()
        raise
    terminal.send(b"\t")
    terminal.settle(1)
    return terminal


def main() -> None:
    """Walk in a graph; print how long keys take, and the memory beyond that of a tiny one."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    bytes_of, waits = {}, []
    spent = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for count in (FEW, events):
            path = Path(folder) / f"{count}.yaml"
            write_graph(path, count)
            terminal = opened(path)
            try:
                begun = terminal.cpu_seconds()
                for number in range(PRESSES if count == events else 0):
                    waits.append(seconds_to_move(terminal, KEYS[number % 4 : number % 4 + 1]))
                    terminal.settle(0.08)
                spent = terminal.cpu_seconds() - begun
                bytes_of[count] = terminal.resident_bytes()
            finally:
                terminal.close()
    moved = [wait for wait in waits if wait]
    print(
        f"key to paint, {events:,} events: median {median_ms(moved):.0f} ms, "
        f"p95 {percentile_ms(moved, 0.95):.0f} ms (target {TARGET_MS}, n={len(moved)}); "
        f"processor {1000 * spent / PRESSES:.1f} ms a key"
    )
    print(
        f"memory: {(bytes_of[events] - bytes_of[FEW]) / 1e6:.1f} MB more than with {FEW} events "
        f"(target {TARGET_MB})"
    )


if __name__ == "__main__":
    main()
