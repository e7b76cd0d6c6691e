"""The size of the terminal, which the environment, the system and the terminal itself may misstate.

What is drawn takes memory for every cell, so that no size is believed that no terminal has.
"""

from __future__ import annotations

import shutil
from typing import NamedTuple

MOST_COLUMNS = 1000
MOST_LINES = 500


class TerminalSize(NamedTuple):
    """Columns and lines."""

    columns: int
    lines: int


def held_within_limits(columns: int, lines: int) -> TerminalSize:
    """A size with at most `MOST_COLUMNS` and `MOST_LINES`."""
    return TerminalSize(min(columns, MOST_COLUMNS), min(lines, MOST_LINES))


def terminal_size() -> TerminalSize:
    """The size of the terminal, within the limits; 80 columns and 24 lines where there is none."""
    return held_within_limits(*shutil.get_terminal_size((80, 24)))
