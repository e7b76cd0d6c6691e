"""Start-up: processor time of `--help` and of completion, first paint beside a bare Textual app.

Processor time is user plus system time; first paint is the time until text is on the screen.

python performance/start.py
"""

from __future__ import annotations

import os
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


COMPLETED = {
    "commands": ("ev",),
    "options": ("ask", "--"),
    "benchmarks": ("show", "gi"),
    "models": ("ask", "gita", "1", "--model", "de"),
}
"""Words that are typed; the last one is completed."""


def help_seconds() -> float:
    """CPU seconds of `--help`."""
    return cpu_seconds([*PROGRAM, "--help"])


def completing_seconds(words: tuple[str, ...]) -> float:
    """Processor seconds until bash has the completions of the last word."""
    asked = {
        "_COMMONSENSE_TUI_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(("commonsense-tui", *words)),
        "COMP_CWORD": str(len(words)),
    }
    return cpu_seconds(PROGRAM, **asked)


def cpu_seconds(command: list[str], **env: str) -> float:
    """CPU seconds of a command that ends by itself."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=os.environ | env, stdout=subprocess.DEVNULL, check=False)
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
    completed = {
        name: [completing_seconds(words) for _ in range(ROUNDS)]
        for name, words in COMPLETED.items()
    }
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
    for name, seconds in completed.items():
        print(f"{name:<18} {median_ms(seconds):6.0f} ms CPU   (target 300, n={ROUNDS}), completed")
    print(f"first paint, bare  {bare:6.0f} ms")
    print(f"first paint, ours  {ours:6.0f} ms       ({ours / bare:.2f}x, target 2x, n={ROUNDS})")


if __name__ == "__main__":
    main()
