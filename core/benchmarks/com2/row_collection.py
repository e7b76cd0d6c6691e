"""What the collections of CauseNet and of released questions share: files of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from core.benchmarks.com2.item import Com2Item
from core.contract.about import read_about
from core.contract.collection import About, Repair
from core.contract.indexed_collection import IndexedCollection
from core.files.row_file import RowFile, joint_hash
from core.files.rows import Row
from core.files.unreadable import (
    MOST_ERRORS,
    CappedErrors,
    too_many_failures,
    unreadable_file_error,
)
from core.text.errors import DataError
from core.text.language import N_, _

EXPECTED = N_("Expected are rows of Com² or CauseNet: a JSON array or JSON lines.")
_SINGLE_KEYS = frozenset({"type", "causal_relation"})
"""An object with one of these keys is one row, not rows by key."""


_Decoded = TypeVar("_Decoded")


class DecodedRow(NamedTuple, Generic[_Decoded]):
    """A row of a file with its decoded value."""

    file_number: int
    number: int
    """Its number in the file, from 1; rows that cannot be read count."""
    row: Row
    value: _Decoded


class RowCollection(IndexedCollection[Com2Item]):
    """Items made of the rows of some files, each read when it is asked for."""

    def __init__(
        self,
        files: Sequence[RowFile],
        about: About,
        errors: Sequence[DataError],
        repairs: Sequence[Repair],
    ) -> None:
        super().__init__(about, errors, repairs)
        self._files = files

    @property
    def content_hash(self) -> str:
        """SHA-256 over names and contents of the files; raises `DataError` if they changed."""
        return joint_hash(self._files)


def about_rows(path: Path, citation: tuple[str, ...], errors: list[DataError]) -> About:
    """The file ABOUT beside the rows at `path`, else the citation of their format."""
    folder = path if path.is_dir() else path.parent
    return read_about(folder, errors) or About(title=path.name, citation=citation)


def decoded_rows(
    files: Sequence[RowFile], decode: Callable[[bytes, str], _Decoded], errors: list[DataError]
) -> Iterator[DecodedRow[_Decoded]]:
    """The rows of files that can be decoded; `decode` is given the bytes of a row and `file:line`.

    What cannot be read goes to `errors`.
    """
    read = 0
    for file_number, file in enumerate(files):
        failures = CappedErrors(MOST_ERRORS)
        for number, row in enumerate(_rows(file, failures), 1):
            try:
                value = decode(row.raw, file.where(row.line))
            except DataError as error:
                failures.append(error)
                if too_many_failures(read, failures.total):
                    errors.append(unreadable_file_error(failures[0]))
                    break
            else:
                read += 1
                yield DecodedRow(file_number, number, row, value)
        else:
            errors += failures.listed(file.shown)


def _rows(file: RowFile, errors: list[DataError]) -> Iterator[Row]:
    try:
        yield from file.rows(errors, _(EXPECTED), _SINGLE_KEYS)
    except DataError as error:
        errors.append(error)
