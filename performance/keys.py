"""Key latency while the model generates.

python performance/keys.py [MODEL.gguf]
"""

from __future__ import annotations

import sys
import time

from terminal import PROGRAM, Terminal, median_ms, painted, percentile_ms

PRESSES = 200


def cursor_row(lines: list[str]) -> int:
    """The row of the list's cursor; -1 before there is one."""
    return next((y for y, line in enumerate(lines) if line[1:2] == "▌"), -1)


def seconds_to_move(terminal: Terminal, key: bytes) -> float:
    """Press a key; seconds until the list's cursor is on another row."""
    row = cursor_row(terminal.lines)
    pressed = time.perf_counter()
    terminal.send(key)
    return terminal.until(lambda lines: cursor_row(lines) not in (row, -1), 10) - pressed


def main() -> None:
    """Press `j` and `k` while every ladder in turn is asked; print median and 95th percentile."""
    model = sys.argv[1] if len(sys.argv) > 1 else "demo"
    terminal = Terminal([*PROGRAM, "browse", "--model", model])
    waits = []
    try:
        terminal.until(painted("space asks"), 60)
        down = True
        for _ in range(PRESSES):
            if not any("Asking" in line for line in terminal.lines):
                terminal.send(b" ")
            terminal.settle(0.08)
            waits.append(seconds_to_move(terminal, b"j" if down else b"k"))
            down = not down
    finally:
        terminal.close()
    print(
        f"key to paint while generating: median {median_ms(waits):.0f} ms, "
        f"p95 {percentile_ms(waits, 0.95):.0f} ms (target 50, n={PRESSES})"
    )


if __name__ == "__main__":
    main()
