"""Answers a command or an option by its old name with the new one."""

from __future__ import annotations

from core.text.errors import SettingError

COMMANDS = {"layers": "blocks"}
"""Old name of a command to the new one."""
OPTIONS = {"--layers": "--blocks", "--twin": "--contrast"}
"""Old name of an option to the new one."""


def refuse_old_names(words: tuple[str, ...]) -> None:
    """Raise `SettingError` if the command or an option was typed by its old name."""
    if words and words[0] in COMMANDS:
        new = COMMANDS[words[0]]
        raise SettingError(f"`{words[0]}` is now `{new}`.", hint=f"commonsense-tui {new} --help")
    for word in words:
        option = word.partition("=")[0]
        if option in OPTIONS:
            raise SettingError(f"`{option}` is now `{OPTIONS[option]}`.", where=option)
