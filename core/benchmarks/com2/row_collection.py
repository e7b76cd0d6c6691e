"""What collections of rows share, whatever a row says: where it is from, and what was wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from core.contract.about import read_about
from core.contract.collection import About
from core.files.rows import Row, RowFile, joint_hash
from core.text.errors import DataError


class RowCollection:
    """Rows of some files, each read when it is asked for: the part that is the same for all."""

    def __init__(self, files: Sequence[RowFile], about: About, errors: Sequence[DataError]) -> None:
        self._files = files
        self._about = about
        self._errors = tuple(errors)

    @property
    def about(self) -> About:
        """Origin, licence and citation."""
        return self._about

    @property
    def errors(self) -> Sequence[DataError]:
        """Rows that could not be read."""
        return self._errors

    @property
    def content_hash(self) -> str:
        """SHA-256 over names and contents of the files; raises `DataError` if they changed."""
        return joint_hash(self._files)


def about_rows(path: Path, citation: tuple[str, ...], errors: list[DataError]) -> About:
    """What a file beside the rows at `path` says of them, else what is cited for their format."""
    folder = path if path.is_dir() else path.parent
    return read_about(folder, errors) or About(title=path.name, citation=citation)


def every_row(file: RowFile, errors: list[DataError]) -> Iterator[Row]:
    """The rows of a file; where it cannot be read on, `errors` says so."""
    try:
        yield from file.rows(errors)
    except DataError as error:
        errors.append(error)
