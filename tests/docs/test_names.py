"""What the documents name is there: modules, files and commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest

from tui.cli.groups import COMMANDS
from tui.cli.lazy_commands import Command, Group

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_FOLDERS = ("commonsense_tui", "core", "tui", "tests", "tools", "performance", "themes", "samples")
_DOTTED = re.compile(rf"({'|'.join(_FOLDERS[:3])})(\.\w+)*")
_PATH = re.compile(rf"({'|'.join(_FOLDERS)})/[\w./*-]*")


def quoted(page: Path) -> list[str]:
    """What a page's sentences have in backquotes, blocks of commands left out."""
    return _CODE.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            target = import_module(".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[n:]:
            if not hasattr(target, attribute):
                return False
            target = getattr(target, attribute)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_and_file_named_in_a_document_is_there(page: Path) -> None:
    entry_points = {"commonsense_tui.benchmarks", "commonsense_tui.commands"}
    for text in quoted(page):
        if _DOTTED.fullmatch(text) and "." in text and text not in entry_points:
            assert is_there(text), text
        elif _PATH.fullmatch(text) and "CODE" not in text:
            assert list(ROOT.glob(text.rstrip("/"))), text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_named_in_a_document_is_there(page: Path) -> None:
    for line in re.findall(r"commonsense-tui ([a-z0-9-]+(?: [a-z-]+)*)", page.read_text("utf-8")):
        words = line.split()
        if words[0] in COMMANDS:
            assert names_a_command(words, COMMANDS), line


def names_a_command(words: list[str], table: Mapping[str, Command | Group]) -> bool:
    """Whether the first words lead to a command, or to a group and nothing else."""
    entry = table.get(words[0])
    if isinstance(entry, Group):
        return len(words) == 1 or names_a_command(words[1:], entry.commands)
    return entry is not None


def test_every_command_is_on_the_page_of_commands() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## (.+)$", page, re.MULTILINE))
    assert {heading.split()[0] for heading in headings} == set(COMMANDS)
