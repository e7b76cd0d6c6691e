"""Writes the page of all keys from the program's own registry.

python tools/keys_page.py docs/keys.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from tui.shell.command import Command, Place
from tui.shell.commands import COMMANDS

HEAD = """# Keys

Made from the program's registry of commands, screen by screen. Every key can be changed in
`config.yaml` under `keymap:`, by the name in the last column (`browse.copy: "Y"`);
`commonsense-tui locate config` says where that file is.
"""
HEADINGS = {
    Place.BROWSE: "Main screen",
    Place.RUN: "A run over a collection",
    Place.RUNS: "List of runs",
    Place.COMPARISON: "Two runs compared",
    Place.UNREAD: "Answers that were not read",
    Place.STUDIES: "List of studies",
    Place.STUDY: "What a study found",
    Place.WIZARD: "An item of your own, step by step",
    Place.EDITOR: "The answer to a step",
    Place.ANNOTATE: "Questions one after the other",
    Place.LESSON: "A lesson",
    Place.APP: "Everywhere",
}
"""What the page calls each place."""


def page() -> str:
    """The page, in Markdown."""
    tables = [
        f"\n## {HEADINGS[place]}\n\n{_table(commands)}"
        for place, commands in groupby(COMMANDS, lambda command: command.where)
    ]
    return HEAD + "".join(tables)


def _table(commands: Iterable[Command]) -> str:
    rows = [f"| {_code(c.shown_keys)} | {c.label} | {c.help} | {_name(c)} |\n" for c in commands]
    return "".join(["| keys | action | what it does | name |\n|---|---|---|---|\n", *rows])


def _code(keys: str) -> str:
    """Keys as code in a cell of a table, which a bare bar would end."""
    return f"`{keys}`" if "|" not in keys else f"<code>{keys.replace('|', '&#124;')}</code>"


def _name(command: Command) -> str:
    """The name of a command in a keymap; a numbered one has a name for each number."""
    name = command.name
    return f"`{name}.1` to `.{len(command.keys)}`" if command.numbered else f"`{name}`"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
