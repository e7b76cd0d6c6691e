"""Where tuples lie: the released folders, and what the name of a file or folder says of them.

The release is `{Detection,Generation}/{merged,noun,verb,event}_dataset/{train,valid,test}.json`.
`merged_dataset` holds once more what the folders beside it hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.benchmarks.abspyramid.tuples import Relation
from core.text.errors import DataError
from core.text.escaping import escape_control_characters


class Task(StrEnum):
    """What the tuples of a file are for (section 5.2)."""

    DETECTION = "detection"
    GENERATION = "generation"


class Split(StrEnum):
    """The part of the data that a file is."""

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


TABLES = frozenset({".tsv", ".txt"})
"""Files of tab-separated columns; all others hold JSON."""
_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_DATASET = "_dataset"
_MERGED = f"merged{_DATASET}"
_DEPTH = 4
_NAMES = {
    **dict.fromkeys(("train", "trn"), Split.TRAIN),
    **dict.fromkeys(("valid", "validation", "val", "dev"), Split.VALID),
    **dict.fromkeys(("test", "tst"), Split.TEST),
}
_SENTENCES = "_s"
"""How the names of the Levy/Holt files end that hold sentences, not parsed relations."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file of tuples, and what its name and its folders say of them."""

    path: Path
    task: Task | None
    """By the folder; None where none is called after a task."""
    relation: Relation | None
    """By the folder; None where the rows say it."""
    split: Split | None
    """By the file's name; None where it is called otherwise."""
    social: bool
    """Whether it lies in a folder called after ATOMIC, whose rows may say no relation."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The files to read, in order, and what is told of those that are not."""

    places: tuple[Place, ...]
    notes: tuple[str, ...]


def layout(path: Path) -> Layout:
    """The files of tuples that `path` means: itself, or those of a folder and its subfolders.

    Raises `DataError` where there is nothing, or nothing of the kind.
    """
    where = escape_control_characters(str(path))
    try:
        if not path.is_dir():
            if not path.exists():
                raise DataError("There is no such file or folder.", where=where)
            return Layout((_place(path, path.parent.resolve().parts),), ())
        found = list(_files(path))
    except OSError as error:
        raise DataError(f"This cannot be read: {error.strerror}.", where=where) from error
    if not found:
        raise DataError(
            "There is no file of tuples in this folder.",
            where=where,
            hint="Expected are folders like Detection/merged_dataset with train.json, valid.json "
            "and test.json, or files of JSON lines.",
        )
    kept, notes = _without_copies(found)
    above = path.resolve().parts
    places = (_place(file, (*above, *file.relative_to(path).parent.parts)) for file in kept)
    return Layout(tuple(places), notes)


def _files(folder: Path, depth: int = _DEPTH) -> Iterable[Path]:
    """The files of tuples at or below a folder; no link to another folder is followed."""
    for entry in sorted(folder.iterdir(), key=_in_order):
        if entry.is_dir():
            if depth and not entry.is_symlink():
                yield from _files(entry, depth - 1)
        elif _holds_tuples(entry):
            yield entry


def _in_order(entry: Path) -> tuple[int, str]:
    """Training data before what is held out, as the release and the paper's tables have it."""
    split = _split(entry)
    return list(Split).index(split) if split else -1, entry.name


def _holds_tuples(file: Path) -> bool:
    suffix = file.suffix.lower()
    if file.name.startswith(".") or not file.is_file():
        return False
    # A text file may be anything, so it must be called as the release of Levy/Holt calls it.
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
    notes = tuple(
        escape_control_characters(
            f"{folder} is not read: {_MERGED} beside it holds the same tuples."
        )
        for folder in dict.fromkeys(left_out)
    )
    return kept, notes


def _place(file: Path, folders: Sequence[str]) -> Place:
    inmost = [name.casefold() for name in folders[-2:]][::-1]
    relations = {f"{relation}{_DATASET}": relation for relation in Relation}
    return Place(
        file,
        next((Task(name) for name in inmost if name in set(Task)), None),
        relations.get(inmost[0]) if inmost else None,
        _split(file),
        any("atomic" in name for name in (*inmost, file.name.casefold())),
    )


def _split(file: Path) -> Split | None:
    stem = file.stem.casefold()
    return _NAMES.get(stem, _NAMES.get(stem.removesuffix(_SENTENCES)))
