"""Checks all items of a suite again, independently of the code that generated them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from core.benchmarks.accord.grounding.records import QuestionRecord, instance_of
from core.benchmarks.accord.item import Grounds
from core.benchmarks.accord.soundness import Check, check
from core.benchmarks.accord.suites.files import ITEMS, Refused, read_line, read_manifest
from core.files.regular_file import open_regular_file
from core.files.rows import at_line, lines
from core.files.unreadable import CappedErrors, too_many_failures, unreadable_file_error
from core.text.errors import DataError
from core.text.escaping import quoted


@dataclass(slots=True)
class Report:
    """The results of checking a suite."""

    total: int
    """Number of lines of the finished suite."""
    items: int = 0
    bare: int = 0
    refused: int = 0
    unreadable: CappedErrors = field(default_factory=CappedErrors)
    failed: Counter[Check] = field(default_factory=Counter)
    unsound: list[str] = field(default_factory=list)
    """For each failed check of an item: `file:line`, the check and why."""
    repeated: int = 0
    """Number of items with the id of an earlier one."""

    @property
    def lines(self) -> int:
        """Number of lines that were checked."""
        return self.items + self.bare + self.refused + self.unreadable.total

    @property
    def sound(self) -> bool:
        """Whether every line could be read and every item passed every check."""
        return not (self.unreadable or self.unsound or self.repeated)


def checked(folder: Path, grounds: Grounds) -> Report:
    """Check every item of a suite.

    Raises `DataError` if there is no suite, it was generated with another knowledge base, or none
    of its first lines can be read.
    """
    manifest = read_manifest(folder)
    if manifest.knowledge != grounds.name:
        raise DataError(
            f"The suite was made with {quoted(manifest.knowledge)}, and this is "
            f"{quoted(grounds.name)}.",
            where=folder,
            hint="Name the knowledge base by --kb.",
        )
    report, seen = Report(manifest.total), set[str]()
    path = folder / ITEMS
    try:
        handle = open_regular_file(path, DataError)
    except FileNotFoundError:
        raise DataError("The suite has no items yet.", where=folder) from None
    with handle:
        for row in lines(handle, str(path), report.unreadable, with_blank=True):
            try:
                _check_line(row.raw, at_line(path, row.line), grounds, report, seen)
            except DataError as error:
                report.unreadable.append(error)
                failed = report.unreadable.total
                if too_many_failures(report.lines - failed, failed):
                    raise unreadable_file_error(report.unreadable[0]) from error
    return report


def _check_line(line: bytes, where: str, grounds: Grounds, report: Report, seen: set[str]) -> None:
    content = read_line(line, where=where)
    if isinstance(content, QuestionRecord):
        report.bare += 1
        return
    if isinstance(content, Refused):
        report.refused += 1
        return
    record = content
    # The stated id, hops and path must match the rest of the record.
    instance_of(record, grounds.matrix, where=where)
    if record.knowledge != grounds.name:
        raise DataError("The item was made with another knowledge base.", where=where)
    report.items += 1
    report.repeated += record.id in seen
    seen.add(record.id)
    for flag in check(record, grounds.matrix, grounds.knowledge):
        if not flag.passed:
            report.failed[flag.check] += 1
            report.unsound.append(f"{where}: {flag.check.value}: {flag.evidence}")
        if record.flags and record.flags.get(flag.check.key) is not flag.passed:
            report.unsound.append(f"{where}: {flag.check.value}: the item says otherwise of itself")
