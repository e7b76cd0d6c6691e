"""Collections of released Com² questions: an index in memory, rows read on access."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.benchmarks.com2.item import Com2Item
from core.benchmarks.com2.released import Parts, parts_of, released_item
from core.benchmarks.com2.row_collection import EXPECTED, RowCollection, about_rows, decoded_rows
from core.contract.collection import Entry, Repair
from core.files.row_file import RowFile, RowIndex
from core.files.rows import decoded
from core.text.errors import DataError
from core.text.language import _
from core.text.text_index import unknown_item

_LABEL = 100
_CITATION = ("The format is that of Com² (Xiong et al., 2025), whose release states no licence.",)


class ReleasedCollection(RowCollection):
    """The rows of some files, in order.

    The id of an item is its file and its number there, as `main-17`, because the release has no
    ids; rows that cannot be read count.
    """

    def __init__(self, path: Path, files: Sequence[RowFile]) -> None:
        """Index the rows of some files at a path; raises `DataError` when none can be read."""
        errors: list[DataError] = []
        repairs: list[Repair] = []
        self._rows = RowIndex(files)
        self._ids: dict[str, int] = {}
        stems = [file.stem for file in files]
        for file_number, number, row, parts in decoded_rows(files, _parts, errors):
            stem = stems[file_number]
            name = stem if stems.count(stem) == 1 else f"{stem}.{file_number + 1}"
            item_id = f"{name}-{number}"
            where = files[file_number].where(row.line)
            self._ids[item_id] = len(self._rows)
            self._rows.add(file_number, row)
            repairs += (Repair(where, f"{item_id}: {what}") for what in parts.repairs)
        if not self._ids:
            raise errors[0] if errors else DataError(_("There is no row in this."), where=path)
        self._id_list = list(self._ids)
        super().__init__(files, about_rows(path, _CITATION, errors), errors, repairs)

    def __len__(self) -> int:
        """Number of items."""
        return len(self._ids)

    def entry(self, index: int) -> Entry:
        """The list entry of an item: the beginning of its question, and the scenario."""
        item = self.item(index)
        (task,) = item.tasks
        label = " ".join(task.question[: 4 * _LABEL].split())
        label = label if len(label) <= _LABEL else f"{label[:_LABEL]}…"
        detail = f"{task.scenario.value}{', case' if item.hard else ''}"
        return Entry(item.id, label, detail)

    def find(self, item_id: str) -> int:
        """The position of an id; raises `NotFoundError` naming the nearest ids."""
        if item_id not in self._ids:
            raise unknown_item(item_id, self._id_list)
        return self._ids[item_id]

    def _read_item(self, index: int) -> Com2Item:
        where = self._rows.where(index)
        parts = _parts(self._rows.read(index).raw, where)
        return released_item(parts, self._id_list[index])

    def _searched_text(self, index: int) -> str:
        # Not kept, because searching reads every item once.
        item = self._read_item(index)
        (task,) = item.tasks
        case = (item.case.crime, *item.case.facts) if item.case else ()
        options = (option.text for option in task.options)
        return "\n".join((item.id, *case, task.question, *options))


def _parts(raw: bytes, where: str) -> Parts:
    return parts_of(decoded(raw, where, _(EXPECTED)), where)
