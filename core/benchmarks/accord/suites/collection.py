"""A generated suite as a collection: its lines are indexed, and read when they are asked for."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import BinaryIO

from core.benchmarks.accord.collection import grounds_beside
from core.benchmarks.accord.grounding.records import QuestionRecord, Record, decoded, instance_of
from core.benchmarks.accord.item import AccordItem, Grounds
from core.benchmarks.accord.skill_names import size_in_words, skill_name
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.suites.files import (
    BARE,
    ITEMS,
    MANIFEST,
    REFUSED,
    read_bare,
    read_manifest,
)
from core.contract.about import read_about
from core.contract.collection import About, Entry, Repair
from core.files.regular_file import open_regular_file
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.text_index import place_of

_CACHED = 256


class SuiteCollection:
    """The items of a suite in their order. Fulfils `core.contract.benchmark.Collection`."""

    def __init__(
        self, name: str, opener: Callable[[], BinaryIO], grounds: Grounds, about: About
    ) -> None:
        """Index the items.

        Args:
            name: what messages call the place that the lines are from.
            opener: opens the lines.
            grounds: what the items were grown from and grounded with.
            about: what the suite is made of.

        Raises:
            DataError, FileNotFoundError: where they cannot be read.
        """
        self.grounds = grounds
        self._name = escape_control_characters(name)
        self._open = opener
        self._about = about
        with opener() as handle:
            self._starts, self._numbers, self.refused, self._digest = _indexed(handle)
        self._item = lru_cache(maxsize=_CACHED)(self._read)
        self._places: dict[str, int] | None = None
        self._errors: list[DataError] = []

    @property
    def about(self) -> About:
        """What the suite is made of."""
        return self._about

    @property
    def repairs(self) -> Sequence[Repair]:
        """Items that could not be made are told, and are no items."""
        if not self.refused:
            return ()
        what = f"{self.refused:,} items could not be made when the suite was made."
        return (Repair(self._name, what),)

    @property
    def errors(self) -> Sequence[DataError]:
        """Lines that are no items; they are found out when all are looked at."""
        return tuple(self._errors)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the items' file as it was opened."""
        return self._digest

    def __len__(self) -> int:
        """How many items there are."""
        return len(self._numbers)

    def entry(self, index: int) -> Entry:
        """The line about an item: its question, and where it stands in the suite's grid."""
        try:
            record = self._record(index)
        except DataError as error:
            return Entry(f"line-{self._numbers[index]}", "unreadable", error.what)
        if isinstance(record, QuestionRecord):
            return Entry(bare_id(record.id), record.question, "bare", record.id)
        variant = "factual" if record.chosen == record.question.answer else "anti-factual"
        place = size_in_words(record.hops, record.distractors)
        detail = f"{place}, {variant}, {skill_name(record.pairing.skill)}"
        return Entry(record.id, record.question.question, detail, record.question.id)

    def item(self, index: int) -> AccordItem:
        """The item at a position; raises `DataError` where its line is none."""
        return self._item(index)

    def find(self, item_id: str) -> int:
        """The position of an id; raises `NotFoundError` naming the nearest ids."""
        if self._places is None:
            self._places = {self.entry(i).id: i for i in reversed(range(len(self)))}
        return place_of(item_id, self._places)

    def matching(self, text: str) -> Sequence[int]:
        """Positions of the items whose line contains `text`, ignoring case."""
        needle = text.casefold().encode("utf-8", "replace")
        if not needle:
            return range(len(self))
        return [place for place, line in enumerate(self._lines()) if needle in line.lower()]

    def _lines(self) -> Iterator[bytes]:
        with self._open() as handle:
            for start, end in self._spans():
                handle.seek(start)
                yield handle.read(end - start)

    def _spans(self) -> Iterator[tuple[int, int]]:
        return ((self._starts[2 * i], self._starts[2 * i + 1]) for i in range(len(self)))

    def _line(self, index: int) -> bytes:
        with self._open() as handle:
            handle.seek(self._starts[2 * index])
            return handle.read(self._starts[2 * index + 1] - self._starts[2 * index])

    def _record(self, index: int) -> Record | QuestionRecord:
        where = f"{self._name}:{self._numbers[index]}"
        line = self._line(index)
        if line.startswith(BARE):
            return read_bare(line, where=where)
        return decoded(line, where=where)

    def _read(self, index: int) -> AccordItem:
        where = f"{self._name}:{self._numbers[index]}"
        record = self._record(index)
        if isinstance(record, QuestionRecord):
            question = QuestionItem(
                record.id,
                record.question,
                tuple((choice.label, choice.text) for choice in record.choices),
                record.answer,
                record.concept,
                language=record.language,
            )
            return AccordItem(bare_id(record.id), question, self.grounds, bare=True)
        instance = instance_of(record, self.grounds.matrix, where=where)
        structure = instance.structure
        question = replace(structure.question, pairings=(structure.pairing,))
        return AccordItem(instance.id, question, self.grounds, fixed=instance)


def bare_id(question: str) -> str:
    """What the bare question of a suite is called."""
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
            where=escape_control_characters(str(folder)),
            hint="Go on with it: accord generate --resume.",
        ) from None


def _indexed(handle: BinaryIO) -> tuple[array[int], array[int], int, str]:
    """Where each item begins and ends, its line, how many were refused, and the file's SHA-256."""
    spans, numbers = array("Q"), array("Q")
    refused, at = 0, 0
    digest = hashlib.sha256()
    for number, line in enumerate(handle, 1):
        digest.update(line)
        end = at + len(line)
        if line.startswith(REFUSED):
            refused += 1
        elif line.endswith(b"\n") and not line.isspace():
            # A line without an end is what a kill left; the generator goes on before it.
            spans.extend((at, end - 1))
            numbers.append(number)
        at = end
    return spans, numbers, refused, digest.hexdigest()
