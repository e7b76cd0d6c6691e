"""Files of released Com² questions, opened lazily: an index in memory, rows read when needed."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from core.benchmarks.com2.item import Com2Item
from core.benchmarks.com2.released import Parts, parts_of, released_item
from core.benchmarks.com2.row_collection import RowCollection, about_rows, every_row
from core.contract.collection import About, Entry, Repair
from core.files.rows import EXPECTED, RowFile, append_capped, unknown
from core.files.unreadable import too_many_failures, unreadable_file_error
from core.text.errors import DataError
from core.text.text_index import TextIndex

_CACHED = 256
_LABEL = 100
_CITATION = ("The format is that of Com² (Xiong et al., 2025), whose release states no licence.",)


class _Index:
    """Where each row is, and what it is called: the file's name and the row's number there."""

    def __init__(self, files: Sequence[RowFile]) -> None:
        self.files = files
        self.of_file = array("H")
        self.starts = array("Q")
        self.sizes = array("Q")
        self.lines = array("Q")
        self.ids: list[str] = []
        self.repairs: list[Repair] = []

    def fill(self, errors: list[DataError]) -> None:
        """Check every row; what cannot be read goes to `errors`."""
        stems = [file.stem for file in self.files]
        for number, file in enumerate(self.files):
            mine: list[DataError] = []
            name = file.stem if stems.count(file.stem) == 1 else f"{file.stem}.{number + 1}"
            for place, row in enumerate(every_row(file, mine), 1):
                item_id = f"{name}-{place}"
                try:
                    where = file.where(row.line)
                    parts = _read(row.raw, where)
                except DataError as error:
                    mine.append(error)
                    if too_many_failures(len(self.ids), len(mine)):
                        mine[:] = [unreadable_file_error(mine[0])]
                        break
                    continue
                self.of_file.append(number)
                self.starts.append(row.start)
                self.sizes.append(len(row.raw))
                self.lines.append(row.line)
                self.ids.append(item_id)
                self.repairs += (Repair(where, f"{item_id}: {what}") for what in parts.repairs)
            append_capped(errors, mine, file)


class ReleasedCollection(RowCollection):
    """The rows of some files, in order. Fulfils `core.contract.benchmark.Collection`.

    An item is called by its file and its number there, as `main-17`, because the release has no
    ids; rows that cannot be read count.
    """

    def __init__(self, index: _Index, about: About, errors: Sequence[DataError]) -> None:
        super().__init__(index.files, about, errors)
        self._index = index
        self._searched = TextIndex(len(index.ids), lambda i: _searched(self._decoded(i)))
        self._places = {item_id: i for i, item_id in enumerate(index.ids)}
        self._item = lru_cache(maxsize=_CACHED)(self._decoded)

    @property
    def repairs(self) -> Sequence[Repair]:
        """Defects repaired on reading, by `file:line`."""
        return self._index.repairs

    def __len__(self) -> int:
        """How many items there are."""
        return len(self._index.ids)

    def entry(self, index: int) -> Entry:
        """The line about an item: how its question begins, and the scenario."""
        item = self._item(index)
        (task,) = item.tasks
        label = " ".join(task.question[: 4 * _LABEL].split())
        label = label if len(label) <= _LABEL else f"{label[:_LABEL]}…"
        detail = f"{task.scenario.value}{', case' if item.hard else ''}"
        return Entry(item.id, label, detail)

    def item(self, index: int) -> Com2Item:
        """The item at a position; raises `DataError` when it cannot be read again."""
        return self._item(index)

    def find(self, item_id: str) -> int:
        """The position of an id; raises `NotFoundError` naming the nearest ids."""
        if item_id not in self._places:
            raise unknown(item_id, self._index.ids)
        return self._places[item_id]

    def matching(self, text: str) -> Sequence[int]:
        """Positions of the items whose id, question, options, crime or facts contain `text`."""
        return self._searched.matching(text)

    def _decoded(self, i: int) -> Com2Item:
        index = self._index
        file, line = index.files[index.of_file[i]], index.lines[i]
        raw = file.read(index.starts[i], index.sizes[i], line)
        where = file.where(line)
        return released_item(_read(raw, where), index.ids[i], where)


def open_released(path: Path, files: Sequence[RowFile]) -> ReleasedCollection:
    """Open the rows of some files; raises `DataError` when none of them can be read."""
    errors: list[DataError] = []
    index = _Index(files)
    index.fill(errors)
    if not index.ids:
        raise errors[0] if errors else DataError("There is no row in this.", where=str(path))
    return ReleasedCollection(index, about_rows(path, _CITATION, errors), errors)


def _read(raw: bytes, where: str) -> Parts:
    try:
        row: Any = msgspec.json.decode(raw)
    except UnicodeDecodeError as error:
        raise DataError("This is not UTF-8 text.", where=where) from error
    except RecursionError as error:
        raise DataError("This is nested too deeply.", where=where) from error
    except msgspec.DecodeError as error:
        raise DataError(f"This is not JSON: {error}.", where=where, hint=EXPECTED) from error
    return parts_of(row, where)


def _searched(item: Com2Item) -> str:
    (task,) = item.tasks
    case = (item.case.crime, *item.case.facts) if item.case else ()
    return "\n".join((item.id, *case, task.question, *(option.text for option in task.options)))
