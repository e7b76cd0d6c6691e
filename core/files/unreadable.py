"""When a file is given up: of a long beginning nothing is what it is read for.

Telling what is wrong with a row takes a hundred times as long as passing over it, and a file of
another kind may have millions.
"""

from __future__ import annotations

from core.text.errors import DataError
from core.text.language import _

MOST_IN_VAIN = 10_000
"""Rows of a file that are tried before the first that can be read."""


def too_many_failures(read: int, failed: int) -> bool:
    """Whether to stop, after so many rows that could be read and so many that could not."""
    return not read and failed >= MOST_IN_VAIN


def unreadable_file_error(first: DataError) -> DataError:
    """What to tell of such a file in the place of all its errors, of which `first` is one."""
    return DataError(
        _(
            "None of the first {most:,} rows can be read. The first: {what}",
            most=MOST_IN_VAIN,
            what=first.what,
        ),
        where=first.where,
        hint=first.hint,
    )
