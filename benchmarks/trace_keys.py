"""How long a key takes to be seen while the blocks of a model are traced.

python benchmarks/trace_keys.py [MODEL.gguf]

Without a model: a random one of 0.3 billion parameters, whose traces take long enough.
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
KEYS = b"jlkh"
"""A round: what one key leaves another comes back to, so that no key leads nowhere."""
MOST_SPANS, MOST_BLOCKS = 20, 20
TRACE, ANOTHER_PART = b"X", b"W"
CURSOR, RUNNING = re.compile(r"\[[ ▸•⇄]"), "esc stops"
TARGET_MS = 50


def cursor(lines: list[str]) -> tuple[int, int] | None:
    """Where the cell under the cursor is drawn; None before there is one."""
    found = ((y, CURSOR.search(line)) for y, line in enumerate(lines))
    return next(((y, place.start()) for y, place in found if place is not None), None)


def seconds_to_move(terminal: Terminal, key: bytes) -> float:
    """Press a key; seconds until another cell is under the cursor."""
    before = cursor(terminal.lines)
    pressed = time.perf_counter()
    terminal.send(key)
    return terminal.until(lambda lines: cursor(lines) not in (before, None), 10) - pressed


def trace(terminal: Terminal, key: bytes) -> None:
    """Press what begins a trace, and go to its first cell: from there every key leads on."""
    terminal.send(key)
    terminal.until(lambda lines: painted(RUNNING)(lines) and cursor(lines) is not None, 600)
    terminal.send(b"k" * MOST_SPANS + b"h" * MOST_BLOCKS)
    terminal.settle(2)


def main() -> None:
    """Step over the cells while they come in; print median and 95th percentile."""
    with tempfile.TemporaryDirectory() as folder:
        model = sys.argv[1] if len(sys.argv) > 1 else write(Path(folder, "m.gguf"), BENCH_300M)
        terminal = Terminal([*PROGRAM, "browse", "--model", str(model)])
        waits = []
        try:
            terminal.until(painted("space asks"), 300)
            trace(terminal, TRACE)
            for number in range(PRESSES):
                if number % len(KEYS) == 0 and not painted(RUNNING)(terminal.lines):
                    trace(terminal, ANOTHER_PART)
                terminal.settle(0.08)
                waits.append(seconds_to_move(terminal, KEYS[number % 4 : number % 4 + 1]))
        finally:
            terminal.close()
    print(
        f"key to paint while tracing: median {median_ms(waits):.0f} ms, "
        f"p95 {percentile_ms(waits, 0.95):.0f} ms (target {TARGET_MS}, n={PRESSES})"
    )


if __name__ == "__main__":
    main()
