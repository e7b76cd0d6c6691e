"""Writes the page of all commands from the program's own command line.

python tools/commands_page.py docs/commands.md
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from tui.cli.lazy_commands import LazyCommand
from tui.cli.main import app

_COLUMNS = 80
HEAD = """# Commands

What each command says of itself. Results go to stdout, everything else to stderr. `--json` prints
one JSON document, `--jsonl` one object a line. The exit code is 0 when the work is done, 1 when a
model failed at it or a check found something, 2 for every other error (what was typed, a file, the
disk), 130 when it was interrupted, and 143 and 129 when SIGTERM and SIGHUP did that.
"""


def page() -> str:
    """The page, in Markdown."""
    os.environ["COLUMNS"] = str(_COLUMNS)
    parts = [HEAD]
    root = typer.main.get_command(app)
    for words, context in _leaves(root, root.make_context("commonsense-tui", [])):
        text = context.get_help().rstrip()
        parts.append(f"## {words}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def _leaves(command: Any, context: Any, words: str = "") -> Iterator[tuple[str, Any]]:
    """The commands that do something, with their names, in the order of the help."""
    if isinstance(command, LazyCommand):
        command = command.load()
        context = type(context)(command, parent=context.parent, info_name=context.info_name)
    children = getattr(command, "commands", None)
    if not children:
        yield words, context
        return
    for name, child in children.items():
        below = type(context)(child, parent=context, info_name=name)
        yield from _leaves(child, below, f"{words} {name}".strip())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
