"""Finds the files of tuples; the names of files and folders give task, relation and split.

The release is `{Detection,Generation}/{merged,noun,verb,event}_dataset/{train,valid,test}.json`.
`merged_dataset` repeats the tuples of the folders beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.tuples import Relation
from core.files.regular_file import open_regular_file
from core.files.rows import BOM
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _


class Task(StrEnum):
    """What the tuples of a file are for (section 5.2)."""

    DETECTION = "detection"
    GENERATION = "generation"


class Split(StrEnum):
    """A part of the data, one file each."""

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


TABLES = frozenset({".tsv", ".txt"})
"""Files of tab-separated columns; all others hold JSON."""
_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_DATASET = "_dataset"
_MERGED = f"merged{_DATASET}"
_DEPTH = 4
_HEAD = 2**16
"""Number of bytes in which the first row must end to be recognised."""
_NAMES = {
    **dict.fromkeys(("train", "trn"), Split.TRAIN),
    **dict.fromkeys(("valid", "validation", "val", "dev"), Split.VALID),
    **dict.fromkeys(("test", "tst"), Split.TEST),
}
_SENTENCES = "_s"
"""Suffix of the Levy/Holt files of sentences; the others hold parsed relations."""


@dataclass(frozen=True, slots=True)
class TupleSource:
    """A file of tuples, with what its name and its folders say about them."""

    path: Path
    task: Task | None
    """From the folder; None if no folder is named after a task."""
    relation: Relation | None
    """From the folder; None if only the rows state it."""
    split: Split | None
    """From the file's name; None for another name."""
    is_atomic: bool
    """Whether it is in a folder named after ATOMIC, whose rows need not state a relation."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The files to read, in order, and notes about those that are not read."""

    sources: tuple[TupleSource, ...]
    notes: tuple[str, ...]


def layout(path: Path) -> Layout:
    """The files of tuples at a path: itself, or those of a folder and its subfolders.

    Raises `DataError` if there are none.
    """
    try:
        if not path.is_dir():
            if not path.exists():
                raise DataError(_("There is no such file or folder."), where=path)
            return Layout((_source(path, path.parent.resolve().parts),), ())
        files = list(_files(path))
    except OSError as error:
        raise DataError(_("This cannot be read: {why}.", why=error.strerror), where=path) from error
    if not files:
        raise DataError(
            _("There is no file of tuples in this folder."),
            where=path,
            hint=_(
                "Expected are folders like Detection/merged_dataset with train.json, "
                "valid.json and test.json, or files of JSON lines."
            ),
        )
    kept, notes = _without_copies(files)
    above = path.resolve().parts
    sources = (_source(file, (*above, *file.relative_to(path).parent.parts)) for file in kept)
    return Layout(tuple(sources), notes)


def is_released(path: Path) -> bool:
    """Whether a path is a folder in the released layout, or a file that begins with such a row.

    Only the fields of the first row are checked; nothing is raised.
    """
    if path.is_dir():
        return any((path / task.value.title()).is_dir() for task in Task)
    try:
        with open_regular_file(path, DataError) as handle:
            first = handle.read(_HEAD).removeprefix(BOM).lstrip().partition(b"\n")[0]
        fields = msgspec.json.decode(first, type=dict[str, msgspec.Raw])
    except (OSError, DataError, ValueError, RecursionError):
        return False
    return {"event", "concept"} <= set(fields)


def _files(folder: Path, depth: int = _DEPTH) -> Iterable[Path]:
    """The files of tuples at or below a folder; no link to another folder is followed."""
    for entry in sorted(folder.iterdir(), key=_in_order):
        if entry.is_dir():
            if depth and not entry.is_symlink():
                yield from _files(entry, depth - 1)
        elif _holds_tuples(entry):
            yield entry


def _in_order(entry: Path) -> tuple[int, str]:
    """Training data before held-out data, as in the release and the paper's tables."""
    split = _split(entry)
    return list(Split).index(split) if split else -1, entry.name


def _holds_tuples(file: Path) -> bool:
    suffix = file.suffix.lower()
    if file.name.startswith(".") or not file.is_file():
        return False
    # A text file may be anything, so it must have a name of the release of Levy/Holt.
    return suffix in _JSON or suffix == ".tsv" or (suffix == ".txt" and _split(file) is not None)


def _without_copies(files: Sequence[Path]) -> tuple[list[Path], tuple[str, ...]]:
    """Leave out the folders of single relations that stand beside a merged one."""
    merged = {file.parent.parent for file in files if file.parent.name == _MERGED}
    copies = {f"{relation}{_DATASET}" for relation in Relation}
    kept, left_out = [], []
    for file in files:
        folder = file.parent
        if folder.name in copies and folder.parent in merged:
            left_out.append(folder)
        else:
            kept.append(file)
    notes = (
        f"{folder} is not read: {_MERGED} beside it holds the same tuples."
        for folder in dict.fromkeys(left_out)
    )
    return kept, tuple(map(escape_control_characters, notes))


def _source(file: Path, folders: Sequence[str]) -> TupleSource:
    inmost = [name.casefold() for name in folders[-2:]][::-1]
    relations = {f"{relation}{_DATASET}": relation for relation in Relation}
    return TupleSource(
        file,
        next((Task(name) for name in inmost if name in set(Task)), None),
        relations.get(inmost[0]) if inmost else None,
        _split(file),
        any("atomic" in name for name in (*inmost, file.name.casefold())),
    )


def _split(file: Path) -> Split | None:
    stem = file.stem.casefold()
    return _NAMES.get(stem, _NAMES.get(stem.removesuffix(_SENTENCES)))
