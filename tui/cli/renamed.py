"""Answers a command or an option by its old name with the new one."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer

from core.contract import registry
from core.text.errors import SettingError

COMMANDS = {"layers": "blocks"}
"""New names of commands, by the old."""
OPTIONS = {
    "export": {"--layers": "--blocks", "--twin": "--contrast"},
    "patch": {"--twin": "--contrast"},
    "trace": {"--twin": "--contrast"},
}
"""New names of options by the old, for each command that had them."""


def refuse_old_command(words: Sequence[str], commands: Container[str]) -> None:
    """Raise `SettingError` for the old name of a command that nothing else is called by now."""
    old = words[0] if words else ""
    if old not in COMMANDS or old in commands or old in registry.names() or Path(old).exists():
        return
    new = COMMANDS[old]
    raise SettingError(f"`{old}` is now `{new}`.", hint=f"commonsense-tui {new} --help")


@contextmanager
def refuse_old_options(words: Sequence[str]) -> Iterator[None]:
    """Raise `SettingError` if the option that a command does not know is the old name of one."""
    try:
        yield
    except typer.TyperException as error:
        # Only the parser knows which words are options, and which are values or arguments.
        old = getattr(error, "option_name", "")
        new = OPTIONS.get(words[0] if words else "", {}).get(old)
        if new is None:
            raise
        raise SettingError(f"`{old}` is now `{new}`.", where=old) from error
