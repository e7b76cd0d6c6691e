"""How soon the program is there: `--help` in CPU seconds, first paint against a bare Textual app.

python benchmarks/start.py
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from terminal import PROGRAM, Terminal, median_ms, painted

HELLO = """
from textual.app import App
from textual.widgets import Footer, Header, Label

class Hello(App):
    def compose(self):
        yield Header()
        yield Label("hello world")
        yield Footer()

Hello().run()
"""
ROUNDS = 7


def help_seconds() -> float:
    """CPU time of `--help`, user and system, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*PROGRAM, "--help"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_paint(command: list[str], text: str) -> float:
    """Seconds from starting `command` to `text` standing on its screen."""
    terminal = Terminal(command)
    try:
        return terminal.until(painted(text), 30) - terminal.started
    finally:
        terminal.close()


def main() -> None:
    """Print the figures and the targets beside them."""
    helps = [help_seconds() for _ in range(ROUNDS)]
    with tempfile.TemporaryDirectory() as folder:
        hello = Path(folder, "hello.py")
        hello.write_text(HELLO, encoding="utf-8")
        pairs = [
            (
                first_paint([sys.executable, str(hello)], "hello world"),
                first_paint(PROGRAM, "Ladder"),
            )
            for _ in range(ROUNDS)
        ]
    bare = median_ms([a for a, _ in pairs])
    ours = median_ms([b for _, b in pairs])
    print(f"--help             {median_ms(helps):6.0f} ms CPU   (target 250, n={ROUNDS})")
    print(f"first paint, bare  {bare:6.0f} ms")
    print(f"first paint, ours  {ours:6.0f} ms       ({ours / bare:.2f}x, target 2x, n={ROUNDS})")


if __name__ == "__main__":
    main()
