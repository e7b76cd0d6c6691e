"""The tuples of a file or folder by head event; an index is kept, tuples are read on access."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import overload

from core.benchmarks.abspyramid.dataset_files import TupleSource, layout
from core.benchmarks.abspyramid.tuple_index import MOST_LISTED, Components, TupleIndex
from core.benchmarks.abspyramid.tuple_reader import EXPECTED, TupleFile
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.contract.collection import Repair
from core.files.row_file import joint_hash
from core.files.unreadable import CappedErrors
from core.text.errors import DataError, NotFoundError
from core.text.escaping import escape_control_characters
from core.text.suggestions import nearest
from core.text.text_index import folded

_MOST_COMPARED = 2000


class TupleSequence(Sequence[tuple[int, AbstractTuple]]):
    """Tuples with the numbers of their head events; each is read on access."""

    def __init__(
        self, numbers: Sequence[int], read: Callable[[int], tuple[int, AbstractTuple]]
    ) -> None:
        self._numbers = numbers
        self._read = read

    def __len__(self) -> int:
        """Number of tuples; reads none."""
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> tuple[int, AbstractTuple]: ...
    @overload
    def __getitem__(self, index: slice) -> TupleSequence: ...
    def __getitem__(self, index: int | slice) -> tuple[int, AbstractTuple] | TupleSequence:
        """A tuple, or a slice as a `TupleSequence`; raises `DataError` if the file changed."""
        if isinstance(index, slice):
            return TupleSequence(self._numbers[index], self._read)
        return self._read(self._numbers[index])


class TupleStore:
    """The head events of some files in the order in which they first occur, with their tuples."""

    def __init__(
        self, index: TupleIndex, errors: Sequence[DataError], notes: Sequence[str]
    ) -> None:
        self._index = index
        self._heads = list(index.heads)
        self.errors = tuple(errors)
        """Rows that could not be read; of many the first, and the number of the rest."""
        self.notes = tuple(notes)
        """Folders that are not read, because others repeat them."""

    @classmethod
    def open(cls, path: Path) -> TupleStore:
        """Open a file or folder; raises `DataError` if no tuple can be read."""
        dataset = layout(path)
        errors = CappedErrors(MOST_LISTED)
        files = []
        for source in dataset.sources:
            try:
                files.append(TupleFile(source))
            except DataError as error:
                errors.append(error)
        index = TupleIndex(files)
        index.fill(errors)
        if not index.heads:
            nothing = DataError(
                "There is no tuple in this.",
                where=path,
                hint=EXPECTED,
            )
            raise errors[0] if errors else nothing
        return cls(index, errors.listed(escape_control_characters(str(path))), dataset.notes)

    def __len__(self) -> int:
        """Number of head events."""
        return len(self._heads)

    @property
    def tuple_count(self) -> int:
        """Number of tuples."""
        return len(self._index)

    @property
    def components(self) -> Components:
        """The instances in head events, by head event, then as they occur."""
        return self._index.components

    def head_of(self, number: int) -> int:
        """The number of a tuple's head event."""
        return self._index.head_of(number)

    def component_of(self, number: int) -> tuple[int, int, Relation]:
        """The span of a tuple's instance in its head event, and its relation."""
        return self._index.component_of(number)

    def by_task(self, index: int) -> tuple[list[AbstractTuple], list[AbstractTuple]]:
        """The tuples of a head event for detection, and those for generation.

        Raises `DataError` where a file was changed since it was opened.
        """
        detection: list[AbstractTuple] = []
        generation: list[AbstractTuple] = []
        for number in self._index.of_head(index):
            of_task = generation if self._index.names_references(number) else detection
            of_task.append(self._index.read(number))
        return detection, generation

    def head(self, index: int) -> str:
        """A head event, without brackets."""
        return self._heads[index]

    def tuples(self, index: int) -> tuple[AbstractTuple, ...]:
        """The tuples of a head event, in the order of the files.

        Raises `DataError` where a file was changed since it was opened.
        """
        return tuple(map(self._index.read, self._index.of_head(index)))

    def with_sources(self, index: int) -> Iterator[tuple[TupleSource, AbstractTuple]]:
        """The tuples of a head event with the files that they are in; raises `DataError`."""
        for number in self._index.of_head(index):
            yield self._index.source_of(number), self._index.read(number)

    def find(self, head: str) -> int:
        """The number of a head event, given without brackets; raises `NotFoundError`."""
        number = self._index.heads.get(head)
        if number is None:
            alike = (known for known in self._heads if known[:1] == head[:1])
            near = nearest(head, islice(alike, _MOST_COMPARED), n=1)
            hint = f"Did you mean “{near[0]}”?" if near else f"One is “{self._heads[0]}”."
            raise NotFoundError(
                f"There is no head event “{escape_control_characters(head, limit=200)}”.",
                hint=escape_control_characters(hint),
            )
        return number

    def matching(self, text: str) -> Sequence[int]:
        """The head events that contain `text` or have a concept that does.

        Case is ignored.
        """
        needle = folded(text)
        if not needle:
            return range(len(self))
        by_text = {i for i, head in enumerate(self._heads) if needle in folded(head)}
        return sorted(by_text | self._index.heads_with(needle))

    def of_instance(self, text: str) -> TupleSequence:
        """The tuples in any head event with this instance: its contexts.

        Case and a leading article are ignored, here and below.
        """
        return TupleSequence(self._index.of_instance(text), self._with_head)

    def of_concept(self, text: str) -> TupleSequence:
        """One tuple for each instance in any head event that the concept covers.

        Unlabelled tuples count; invalid ones do not.
        """
        return TupleSequence(self._index.of_concept(text), self._with_head)

    def entailments(self, text: str) -> Iterator[str]:
        """The concepts that a text is an instance of by valid tuples, as `concept_key`.

        Implements `core.benchmarks.abspyramid.pyramids.Entailments`.
        """
        return self._index.entailments(text)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Tuples that are repeated or contradict each other; all of them are kept."""
        return self._index.repairs

    @property
    def content_hash(self) -> str:
        """SHA-256 over names and contents of the files; raises `DataError` if they changed."""
        return joint_hash([file.file for file in self._index.files])

    def _with_head(self, number: int) -> tuple[int, AbstractTuple]:
        return self._index.head_of(number), self._index.read(number)
