"""A generated suite as a collection: its lines are indexed, and read when an item is needed."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from core.benchmarks.accord.collection import grounds_beside
from core.benchmarks.accord.grounding.records import (
    QuestionRecord,
    Record,
    instance_of,
    question_of,
)
from core.benchmarks.accord.item import AccordItem, Grounds
from core.benchmarks.accord.skill_names import cell_in_short, size_in_words, skill_name
from core.benchmarks.accord.suites.files import (
    ITEMS,
    MANIFEST,
    REFUSED,
    Refused,
    read_line,
    read_manifest,
)
from core.contract.about import read_about
from core.contract.collection import About, Entry, Repair
from core.contract.indexed_collection import IndexedCollection
from core.files.regular_file import open_regular_file
from core.files.rows import at_line, lines
from core.files.unreadable import CappedErrors, too_many_failures, unreadable_file_error
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _
from core.text.quantities import counted


class _Index:
    """The position of each item in its file."""

    def __init__(self, handle: BinaryIO, name: str) -> None:
        self.starts, self.sizes, self.lines = array("Q"), array("Q"), array("Q")
        self.refused = 0
        """Number of lines of items that could not be generated."""
        self.errors = CappedErrors()
        digest = hashlib.sha256()
        unreadable = CappedErrors()
        read = False
        for line, start, raw, _key in lines(handle, name, self.errors, digest):
            if not read:
                # Items are decoded when they are asked for; a file of another kind is seen at once.
                try:
                    read_line(raw, where=at_line(name, line))
                    read = True
                except DataError as error:
                    unreadable.append(error)
                    if too_many_failures(0, unreadable.total):
                        raise unreadable_file_error(unreadable[0]) from error
            if raw.startswith(REFUSED):
                self.refused += 1
            elif raw.endswith(b"\n"):
                # A line without an end was left by a kill; the generator resumes before it.
                self.starts.append(start)
                self.sizes.append(len(raw) - 1)
                self.lines.append(line)
        self.sha256 = digest.hexdigest()


class SuiteCollection(IndexedCollection[AccordItem]):
    """The items of a suite in their order."""

    def __init__(
        self, name: str, opener: Callable[[], BinaryIO], grounds: Grounds, about: About
    ) -> None:
        """Index the lines that `opener` opens; `name` is that of their file in messages.

        Raises `DataError` or `FileNotFoundError` where they cannot be read.
        """
        self.grounds = grounds
        self._name = name
        self._open = opener
        with opener() as handle:
            self._index = _Index(handle, name)
        repairs = []
        if refused := self._index.refused:
            what = f"{counted(refused, 'item')} could not be made when the suite was made."
            repairs.append(Repair(escape_control_characters(name), what))
        super().__init__(about, self._index.errors.listed(name), repairs)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the items' file as it was opened."""
        return self._index.sha256

    def __len__(self) -> int:
        """Number of items."""
        return len(self._index.lines)

    def entry(self, index: int) -> Entry:
        """The line about an item: its question, and its cell in the suite's grid."""
        try:
            record = self._record(index)
        except DataError as error:
            return Entry(f"line-{self._index.lines[index]}", "unreadable", error.what)
        if isinstance(record, QuestionRecord):
            return Entry(bare_id(record.id), record.question, _("bare question"), record.id)
        factual = record.chosen == record.question.answer
        size = size_in_words(record.hops, record.distractors)
        variant = _("factual") if factual else _("anti-factual")
        detail = f"{variant}, {size}, {skill_name(record.pairing.skill)}"
        short = cell_in_short(record.hops, record.distractors, factual=factual)
        question = record.question
        return Entry(record.id, question.question, detail, question.id, short)

    def matching(self, text: str) -> Sequence[int]:
        """Positions of the items whose line contains `text`, ignoring case."""
        needle = text.casefold().encode("utf-8", "replace")
        if not needle:
            return range(len(self))
        # Searched as bytes on the disk, because a suite may be too large to hold its texts.
        with self._open() as handle:
            return [i for i in range(len(self)) if needle in self._line(handle, i).lower()]

    def _searched_text(self, index: int) -> str:
        with self._open() as handle:
            return self._line(handle, index).decode("utf-8", "replace")

    def _line(self, handle: BinaryIO, index: int) -> bytes:
        handle.seek(self._index.starts[index])
        return handle.read(self._index.sizes[index])

    def _where(self, index: int) -> str:
        return at_line(self._name, self._index.lines[index])

    def _record(self, index: int) -> Record | QuestionRecord:
        with self._open() as handle:
            content = read_line(self._line(handle, index), where=self._where(index))
        if isinstance(content, Refused):
            raise TypeError("Refused items are not indexed.")
        return content

    def _read_item(self, index: int) -> AccordItem:
        record = self._record(index)
        if isinstance(record, QuestionRecord):
            return AccordItem(bare_id(record.id), question_of(record), self.grounds, bare=True)
        instance = instance_of(record, self.grounds.matrix, where=self._where(index))
        structure = instance.structure
        question = replace(structure.question, pairings=(structure.pairing,))
        return AccordItem(instance.id, question, self.grounds, fixed=instance)


def bare_id(question: str) -> str:
    """The id of a bare question in a suite."""
    return f"{question}:bare"


def is_suite(path: Path) -> bool:
    """Whether a path is a suite's folder, or the file of its items."""
    try:
        return (path / MANIFEST).is_file() or (
            path.name == ITEMS and (path.parent / MANIFEST).is_file()
        )
    except (OSError, ValueError):
        return False


def open_suite(path: Path) -> SuiteCollection:
    """Open a suite's folder, or the file of its items; raises `DataError`."""
    folder = path if path.is_dir() else path.parent
    read_manifest(folder)
    errors: list[DataError] = []
    about = read_about(folder, errors) or About(title=f"Suite {folder.name}")
    try:
        return SuiteCollection(
            str(folder / ITEMS),
            partial(open_regular_file, folder / ITEMS, DataError),
            grounds_beside(folder),
            about,
        )
    except FileNotFoundError:
        raise DataError(
            "The suite has no items yet.",
            where=folder,
            hint="Go on with it: accord generate --resume.",
        ) from None
