"""Limits for the rows of a file that cannot be read.

Describing what is wrong with a row takes a hundred times as long as skipping it, and a file of
another kind may have millions of such rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.text.errors import DataError
from core.text.language import _

MOST_FAILURES = 10_000
"""A file is not read on when so many rows failed before the first that could be read."""


def too_many_failures(read: int, failed: int) -> bool:
    """Whether to stop reading, from the numbers of rows that were read and that failed."""
    return not read and failed >= MOST_FAILURES


def unreadable_file_error(first: DataError) -> DataError:
    """One error in place of all the errors of such a file, of which `first` is the first."""
    return DataError(
        _(
            "None of the first {most:,} rows can be read. The first: {what}",
            most=MOST_FAILURES,
            what=first.what,
        ),
        where=first.where,
        hint=first.hint,
    )


class CappedErrors(list[DataError]):
    """The errors of the rows of some files: the first are kept, the others counted."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self.left_out = 0
        """How many errors were counted and not kept."""

    @property
    def total(self) -> int:
        """How many errors there were."""
        return len(self) + self.left_out

    def append(self, error: DataError) -> None:
        """Keep an error, or count it."""
        if len(self) < self._most:
            super().append(error)
        else:
            self.left_out += 1

    def extend(self, errors: Iterable[DataError]) -> None:
        """Keep or count each of some errors."""
        for error in errors:
            self.append(error)

    def listed(self, where: str) -> list[DataError]:
        """The errors that were kept, and one at `where` that says how many others there were."""
        if not self.left_out:
            return list(self)
        what = _("{left:,} more rows cannot be read.", left=self.left_out)
        return [*self, DataError(what, where=where)]
