"""Limits for unreadable rows.

Describing the problem of a row takes a hundred times as long as skipping it, and a file of another
kind may have millions of such rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.text.errors import DataError
from core.text.language import _, ngettext

MOST_FAILURES = 10_000
"""Reading stops after this many failures without a readable row."""
MOST_ERRORS = 1_000
"""Most errors of a file that are kept; the others are counted."""


def too_many_failures(read: int, failed: int) -> bool:
    """Whether to stop reading, given the numbers of readable and of failed rows."""
    return not read and failed >= MOST_FAILURES


def unreadable_file_error(first: DataError) -> DataError:
    """The error of such a file; `first` is that of its first row."""
    return DataError(
        _(
            "None of the first {most:,} rows can be read. The first: {what}",
            most=MOST_FAILURES,
            what=first.what,
        ),
        where=first.where,
        hint=first.hint,
    )


class ErrorsLeftOut(DataError):
    """Stands in a list of errors for those that were not kept."""

    def __init__(self, count: int, where: str) -> None:
        what = ngettext(
            "{left:,} more row cannot be read.",
            "{left:,} more rows cannot be read.",
            count,
            left=count,
        )
        super().__init__(what, where=where)
        self.count = count


def count_errors(errors: Iterable[DataError]) -> int:
    """The number of errors in a list, those that were not kept included."""
    return sum(each.count if isinstance(each, ErrorsLeftOut) else 1 for each in errors)


class CappedErrors(list[DataError]):
    """A list of errors that keeps the first `most` and counts the others."""

    def __init__(self, most: int = MOST_ERRORS) -> None:
        super().__init__()
        self._most = most
        self.left_out = 0
        """Number of errors that were not kept."""

    @property
    def total(self) -> int:
        """Number of all errors."""
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
        """The kept errors, and one at `where` with the number of the others."""
        if not self.left_out:
            return list(self)
        return [*self, ErrorsLeftOut(self.left_out, where)]
