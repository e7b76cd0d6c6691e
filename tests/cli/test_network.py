"""Only --allow-network lets a command listen, or send, beyond this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from tests.cli.support import run
from tui.cli.groups import COMMANDS
from tui.cli.lazy_commands import Command, Group
from tui.cli.option_groups import with_single_options

ROOT = Path(__file__).parents[2]
BEYOND = ("--engine", "dask", "--address", "tcp://192.0.2.1:8786")
WORDS = {
    "serve": ("serve", "--host", "0.0.0.0"),
    "evaluate": ("evaluate", "gita", *BEYOND),
    "com2 synthesise": ("com2", "synthesise", "--kind", "direct", "--out", "x", *BEYOND),
    "com2 case": ("com2", "case", "STORY", "--out", "x", *BEYOND),
    "accord generate": ("accord", "generate", "--out", "x", *BEYOND),
    "abspyramid curate": ("abspyramid", "curate", "STORY", "--out", "x", *BEYOND),
}
"""What is typed for each command that listens, or lets workers connect to it."""


def listening(commands: Mapping[str, Command | Group], before: str = "") -> set[str]:
    """The commands that have the option."""
    found = set()
    for name, command in commands.items():
        if isinstance(command, Group):
            found |= listening(command.commands, f"{before}{name} ")
            continue
        module, _, function = command.target.partition(":")
        target = with_single_options(getattr(import_module(module), function))
        if "allow_network" in signature(target).parameters:
            found.add(f"{before}{name}")
    return found


def test_these_are_all_the_commands_that_listen() -> None:
    assert listening(COMMANDS) == set(WORDS)
    opening = re.compile(r"\b(?:create_server|start_server|socket.socket|Scheduler|LocalCluster)\(")
    sources = [path for name in ("core", "tui") for path in (ROOT / name).rglob("*.py")]
    found = {
        str(path.relative_to(ROOT)) for path in sources if opening.search(path.read_text("utf-8"))
    }
    # The second accepts connections at a socket that the third has bound.
    assert found == {
        "core/runs/engines/cluster.py",
        "tui/serving/connection.py",
        "tui/serving/server.py",
    }


@pytest.mark.parametrize("name", WORDS)
def test_it_stays_on_this_machine_unless_the_network_is_allowed(name: str, tmp_path: Path) -> None:
    story = tmp_path / "story.txt"
    story.write_text("A vase broke. The cat was in the room. " * 10, encoding="utf-8")
    words = [str(story) if word == "STORY" else word for word in WORDS[name]]
    ran = run(*(str(tmp_path / word) if word == "x" else word for word in words))
    assert ran.code == 2
    assert "is beyond this machine" in ran.err
    assert "Add --allow-network" in ran.err
    assert list(tmp_path.iterdir()) == [story]
