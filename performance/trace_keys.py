"""Key latency while the blocks of a model are traced.

python performance/trace_keys.py [MODEL.gguf]

Without a model: a random one of 0.3 billion parameters, whose traces take long enough. Two minutes.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from terminal import PROGRAM, Terminal, median_ms, painted, percentile_ms

from tests.gguf_files import BENCH_300M, write

PRESSES = 200
MOST_SECONDS = 75
"""Of pressing; what was measured until then counts."""
KEYS = b"jlkh"
"""A round: what one key leaves another comes back to, so that no key leads nowhere."""
MOST_SPANS, MOST_BLOCKS = 20, 20
TRACE, ANOTHER_PART = b"X", b"W"
CURSOR = re.compile(r"\[[ ▸•⇄·░▒▓█▽▲–]")
RUNNING = "esc stops"
TARGET_MS = 50


def cursor(lines: list[str]) -> tuple[int, int] | None:
    """Where the cell under the cursor is drawn; None before there is one."""
    found = ((y, CURSOR.search(line)) for y, line in enumerate(lines))
    return next(((y, place.start()) for y, place in found if place is not None), None)


def seconds_to_move(terminal: Terminal, key: bytes) -> float | None:
    """Press a key; seconds until another cell is under the cursor, None where none is in time."""
    before = cursor(terminal.lines)
    pressed = time.perf_counter()
    terminal.send(key)
    try:
        return terminal.until(lambda lines: cursor(lines) not in (before, None), 2) - pressed
    except TimeoutError:
        return None


def trace(terminal: Terminal, key: bytes) -> None:
    """Press what begins a trace, and go to its first cell: from there every key leads on."""
    terminal.send(key)
    terminal.until(lambda lines: painted(RUNNING)(lines) and cursor(lines) is not None, 60)
    terminal.send(b"k" * MOST_SPANS + b"h" * MOST_BLOCKS)
    terminal.settle(1)


def measured(terminal: Terminal) -> tuple[list[float], int]:
    """Step over the cells while they come in: what each key took, and how many led nowhere."""
    waits: list[float] = []
    missed = 0
    trace(terminal, TRACE)
    end = time.perf_counter() + MOST_SECONDS
    while len(waits) < PRESSES and time.perf_counter() < end:
        for key in KEYS:
            terminal.settle(0.08)
            wait = seconds_to_move(terminal, bytes([key]))
            # Paints after the trace has ended are not measured.
            if not painted(RUNNING)(terminal.lines):
                trace(terminal, ANOTHER_PART)
                break
            if wait is None:
                missed += 1
            else:
                waits.append(wait)
    return waits, missed


def main() -> None:
    """Print median and 95th percentile, and what drawing cost."""
    with tempfile.TemporaryDirectory() as folder:
        model = sys.argv[1] if len(sys.argv) > 1 else write(Path(folder, "m.gguf"), BENCH_300M)
        terminal = Terminal([*PROGRAM, "browse", "--model", str(model)])
        try:
            terminal.until(painted("space asks"), 60)
            begun, spent = time.perf_counter(), terminal.cpu_seconds()
            waits, missed = measured(terminal)
            spent = terminal.cpu_seconds() - spent
            took = time.perf_counter() - begun
        finally:
            terminal.close()
    if not waits:
        raise SystemExit(f"No key was seen to act; {missed} led nowhere.")
    print(
        f"key to paint while tracing: median {median_ms(waits):.0f} ms, "
        f"p95 {percentile_ms(waits, 0.95):.0f} ms (target {TARGET_MS}, n={len(waits)}"
        f"{f', {missed} led nowhere' if missed else ''}); "
        f"the program's own process took {100 * spent / took:.0f} % of a processor"
    )


if __name__ == "__main__":
    main()
