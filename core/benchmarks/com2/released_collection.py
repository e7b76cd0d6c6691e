"""Files of released Com² questions, opened lazily: an index in memory, rows read when needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.benchmarks.com2.item import Com2Item
from core.benchmarks.com2.released import Parts, parts_of, released_item
from core.benchmarks.com2.row_collection import (
    EXPECTED,
    MOST_ERRORS,
    RowCollection,
    about_rows,
    every_row,
    unknown_item,
)
from core.contract.collection import About, Entry, Repair
from core.files.row_file import RowFile, RowIndex
from core.files.rows import decoded
from core.files.unreadable import CappedErrors, too_many_failures, unreadable_file_error
from core.text.errors import DataError

_LABEL = 100
_CITATION = ("The format is that of Com² (Xiong et al., 2025), whose release states no licence.",)


class _Index:
    """Where each row is, and its id: the file's name and the row's number there."""

    def __init__(self, files: Sequence[RowFile]) -> None:
        self.rows = RowIndex(files)
        self.ids: list[str] = []
        self.repairs: list[Repair] = []

    def fill(self, errors: list[DataError]) -> None:
        """Check every row; what cannot be read goes to `errors`."""
        files = self.rows.files
        stems = [file.stem for file in files]
        for number, file in enumerate(files):
            failures = CappedErrors(MOST_ERRORS)
            name = file.stem if stems.count(file.stem) == 1 else f"{file.stem}.{number + 1}"
            for row_number, row in enumerate(every_row(file, failures), 1):
                item_id = f"{name}-{row_number}"
                where = file.where(row.line)
                try:
                    parts = _read(row.raw, where)
                except DataError as error:
                    failures.append(error)
                    if too_many_failures(len(self.ids), failures.total):
                        errors.append(unreadable_file_error(failures[0]))
                        break
                    continue
                self.rows.add(number, row)
                self.ids.append(item_id)
                self.repairs += (Repair(where, f"{item_id}: {what}") for what in parts.repairs)
            else:
                errors += failures.listed(file.shown)


class ReleasedCollection(RowCollection):
    """The rows of some files, in order.

    The id of an item is its file and its number there, as `main-17`, because the release has no
    ids; rows that cannot be read count.
    """

    def __init__(self, index: _Index, about: About, errors: Sequence[DataError]) -> None:
        super().__init__(index.rows.files, about, errors, index.repairs)
        self._index = index
        self._position_of_id = {item_id: i for i, item_id in enumerate(index.ids)}

    def __len__(self) -> int:
        """How many items there are."""
        return len(self._index.ids)

    def entry(self, index: int) -> Entry:
        """The line about an item: how its question begins, and the scenario."""
        item = self.item(index)
        (task,) = item.tasks
        label = " ".join(task.question[: 4 * _LABEL].split())
        label = label if len(label) <= _LABEL else f"{label[:_LABEL]}…"
        detail = f"{task.scenario.value}{', case' if item.hard else ''}"
        return Entry(item.id, label, detail)

    def find(self, item_id: str) -> int:
        """The position of an id; raises `NotFoundError` naming the nearest ids."""
        if item_id not in self._position_of_id:
            raise unknown_item(item_id, self._index.ids)
        return self._position_of_id[item_id]

    def _read_item(self, index: int) -> Com2Item:
        where = self._index.rows.where(index)
        parts = _read(self._index.rows.read(index).raw, where)
        return released_item(parts, self._index.ids[index], where)

    def _searched_text(self, index: int) -> str:
        # Not kept, because searching reads every item once.
        item = self._read_item(index)
        (task,) = item.tasks
        case = (item.case.crime, *item.case.facts) if item.case else ()
        options = (option.text for option in task.options)
        return "\n".join((item.id, *case, task.question, *options))


def open_released(path: Path, files: Sequence[RowFile]) -> ReleasedCollection:
    """Open the rows of some files; raises `DataError` when none of them can be read."""
    errors: list[DataError] = []
    index = _Index(files)
    index.fill(errors)
    if not index.ids:
        raise errors[0] if errors else DataError("There is no row in this.", where=path)
    return ReleasedCollection(index, about_rows(path, _CITATION, errors), errors)


def _read(raw: bytes, where: str) -> Parts:
    return parts_of(decoded(raw, where, EXPECTED), where)
