"""The tuples of a file or folder by head event.

Every text is kept once and every tuple as a dozen numbers, so that 221,000 tuples take some 60 MB;
the tuples themselves are read from the disk when they are asked for.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.benchmarks.abspyramid.dataset_files import Task, TupleSource, layout
from core.benchmarks.abspyramid.pyramids import concept_key
from core.benchmarks.abspyramid.tuple_reader import EXPECTED, TupleContent, TupleFile
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.contract.collection import Repair
from core.files.row_file import RowIndex, joint_hash
from core.files.rows import Row
from core.files.unreadable import CappedErrors
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _
from core.text.text_index import folded

MOST_LISTED = 300
"""Errors and repairs that are listed one by one; the others are counted."""
_RELATIONS = tuple(Relation)
_LABELS = {None: -1, False: 0, True: 1}
_SHOWN = 80
Numbers = np.ndarray[Any, np.dtype[Any]]


class Groups:
    """The positions in a list grouped by the values there, without a dictionary."""

    def __init__(self, values: Sequence[int], known: int) -> None:
        """Group by `values`, each from 0 to `known` - 1; within a group in order."""
        self._positions = np.argsort(np.asarray(values), kind="stable").astype(np.uint32)
        counts = np.bincount(values, minlength=known)
        self._begins = np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)

    def __getitem__(self, value: int) -> list[int]:
        """The positions of a value, in order."""
        positions: list[int] = self._positions[
            self._begins[value] : self._begins[value + 1]
        ].tolist()
        return positions


class Components(NamedTuple):
    """Instances in head events: the first tuple of each, and how many concepts it has at most."""

    first: list[int]
    held: Numbers
    """Concepts that are not labelled as false."""
    false: Numbers
    references: Numbers
    """Concepts of generation."""


class TupleStore:
    """The tuples of some files, numbered in the order in which they are read.

    Head events are numbered in the order in which they first occur.
    """

    def __init__(self, path: Path) -> None:
        """Open a file or folder; raises `DataError` if no tuple can be read."""
        dataset = layout(path)
        errors = CappedErrors(MOST_LISTED)
        self._files: list[TupleFile] = []
        for source in dataset.sources:
            try:
                self._files.append(TupleFile(source))
            except DataError as error:
                errors.append(error)
        self._rows = RowIndex([file.file for file in self._files])
        self._head_numbers: dict[str, int] = {}
        self._text_numbers: dict[str, int] = {}
        """Instances and concepts as `concept_key` gives them, with their numbers."""
        self._head_of = array("I")
        self._begins = array("I")
        self._ends = array("I")
        self._relations = array("B")
        self._labels = array("b")
        self._instances = array("I")
        self._tuple_of = array("I")
        """The tuple of each concept; a generation tuple has several."""
        self._concepts = array("I")
        for number, file in enumerate(self._files):
            try:
                for row, content in file.rows(errors):
                    self._add(number, row, content)
            except DataError as error:
                errors.append(error)
        if not self._head_numbers:
            nothing = DataError(_("There is no tuple in this."), where=path, hint=_(EXPECTED))
            raise errors[0] if errors else nothing
        self._heads = list(self._head_numbers)
        self._texts = list(self._text_numbers)
        self.errors = tuple(errors.listed(str(path)))
        """Rows that could not be read; of many the first, and the number of the rest."""
        self.notes = dataset.notes
        """Folders that are not read, because others repeat them."""

    def _add(self, file_number: int, row: Row, content: TupleContent) -> None:
        head, start, end, relation, concepts, label = content
        heads, texts = self._head_numbers, self._text_numbers
        tuple_number = len(self._rows)
        self._rows.add(file_number, row)
        self._head_of.append(heads.setdefault(head, len(heads)))
        self._begins.append(start)
        self._ends.append(end)
        self._relations.append(_RELATIONS.index(relation))
        self._labels.append(_LABELS[label])
        self._instances.append(texts.setdefault(concept_key(head[start:end]), len(texts)))
        for concept in concepts:
            self._tuple_of.append(tuple_number)
            self._concepts.append(texts.setdefault(concept_key(concept), len(texts)))

    def __len__(self) -> int:
        """Number of head events."""
        return len(self._heads)

    @property
    def tuple_count(self) -> int:
        """Number of tuples."""
        return len(self._rows)

    def read(self, number: int) -> AbstractTuple:
        """A tuple, read again; raises `DataError` where the file was changed."""
        return self._file(number).read_again(self._rows.read(number))

    def head(self, index: int) -> str:
        """A head event, without brackets."""
        return self._heads[index]

    def head_of(self, number: int) -> int:
        """The number of a tuple's head event."""
        return self._head_of[number]

    def of_head(self, head: int) -> Iterator[tuple[TupleSource, AbstractTuple]]:
        """The tuples of a head event with the files that they are in, in the order of the files.

        Raises `DataError` where a file was changed since it was opened.
        """
        for number in self._by_head[head]:
            yield self._file(number).source, self.read(number)

    @cached_property
    def components(self) -> Components:
        """The instances in head events, by head event, then as they occur."""
        packed = np.asarray(self._head_of, dtype=np.uint64)
        # Head events are no longer than 2**14 characters, and there are three relations.
        for column, bits in ((self._begins, 14), (self._ends, 14), (self._relations, 2)):
            packed = (packed << np.uint64(bits)) | np.asarray(column, dtype=np.uint64)
        _values, first, which = np.unique(packed, return_index=True, return_inverse=True)
        order = np.lexsort((first, np.asarray(self._head_of)[first]))
        concepts = np.bincount(np.asarray(self._tuple_of), minlength=len(self._rows))
        of_generation = np.isin(
            np.asarray(self._rows.file_numbers),
            [i for i, file in enumerate(self._files) if file.source.task is Task.GENERATION],
        )
        false = np.asarray(self._labels) == _LABELS[False]
        counts = (
            np.bincount(which, weights=np.where(kind, concepts, 0), minlength=len(first))[order]
            for kind in (~false, false, of_generation)
        )
        return Components(first[order].tolist(), *(each.astype(np.uint32) for each in counts))

    def component_of(self, number: int) -> tuple[int, int, Relation]:
        """The span of a tuple's instance in its head event, and its relation."""
        return self._begins[number], self._ends[number], _RELATIONS[self._relations[number]]

    def of_instance(self, text: str) -> list[int]:
        """The tuples with this instance in any head event, whichever their labels.

        Case and a leading article are ignored, here and below.
        """
        number = self._text_numbers.get(concept_key(text))
        return [] if number is None else self._by_instance[number]

    def of_concept(self, text: str) -> list[int]:
        """One tuple for each instance in any head event that the concept covers.

        Unlabelled tuples count; invalid ones do not.
        """
        text_number = self._text_numbers.get(concept_key(text))
        if text_number is None:
            return []
        tuples: dict[tuple[int, int, int, Relation], int] = {}
        for position in self._by_concept[text_number]:
            number = self._tuple_of[position]
            if self._labels[number] != _LABELS[False]:
                tuples.setdefault((self._head_of[number], *self.component_of(number)), number)
        return list(tuples.values())

    def entailments(self, text: str) -> Iterator[str]:
        """The concepts that a text is an instance of by valid noun and verb tuples, each once.

        Implements `core.benchmarks.abspyramid.pyramids.Entailments`.
        """
        for number in dict.fromkeys(
            self._concepts[position]
            for tuple_number in self.of_instance(text)
            if self._labels[tuple_number] == _LABELS[True]
            and _RELATIONS[self._relations[tuple_number]] is not Relation.EVENT
            for position in self._concept_positions(tuple_number)
        ):
            yield self._texts[number]

    def matching(self, text: str) -> Sequence[int]:
        """The head events that contain `text` or have an instance or a concept that does.

        Case is ignored.
        """
        needle = folded(text)
        if not needle:
            return range(len(self))
        by_text = {i for i, head in enumerate(self._heads) if needle in folded(head)}
        texts = [i for i, text in enumerate(self._texts) if needle in text]
        rows = np.isin(np.asarray(self._instances), texts)
        rows[np.asarray(self._tuple_of)[np.isin(np.asarray(self._concepts), texts)]] = True
        return sorted(by_text.union(np.asarray(self._head_of)[rows].tolist()))

    @property
    def content_hash(self) -> str:
        """SHA-256 over names and contents of the files; raises `DataError` if they changed."""
        return joint_hash(self._rows.files)

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """Concepts that an instance has twice, with the same or contrary labels. All are kept.

        Detection and generation data hold the same concepts, so they are compared apart.
        """
        tuple_of = np.asarray(self._tuple_of)
        by_tuple = (self._relations, self._begins, self._ends, self._head_of)
        columns = [
            np.asarray(self._concepts),
            *(np.asarray(column)[tuple_of] for column in by_tuple),
            np.asarray(self._labels)[tuple_of] != _LABELS[None],
        ]
        order = np.lexsort(columns)
        new = np.zeros(len(order), dtype=bool)
        new[:1] = True
        for column in columns:
            ordered = column[order]
            new[1:] |= ordered[1:] != ordered[:-1]
        first = order[np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))]
        repeated = sorted(zip(order[~new].tolist(), first[~new].tolist(), strict=True))
        repairs = [self._repair(*pair) for pair in repeated[:MOST_LISTED]]
        if len(repeated) > MOST_LISTED:
            left = len(repeated) - MOST_LISTED
            where = self._files[-1].file.shown
            repairs.append(Repair(where, f"more concepts said twice: {left:,}"))
        return tuple(repairs)

    def _repair(self, again: int, before: int) -> Repair:
        repeat, first = self._tuple_of[again], self._tuple_of[before]
        concept = escape_control_characters(self._texts[self._concepts[again]], limit=_SHOWN)
        instance = escape_control_characters(self._texts[self._instances[repeat]], limit=_SHOWN)
        claim = f"“{concept}” for “{instance}”"
        where, first_where = self._rows.where(repeat), self._rows.where(first)
        if self._labels[repeat] == self._labels[first]:
            return Repair(where, f"{claim} was said before, at {first_where}")
        words = {0: "not valid", 1: "valid"}
        label, first_label = words[self._labels[repeat]], words[self._labels[first]]
        return Repair(where, f"{claim} is {label} here and {first_label} at {first_where}")

    def _file(self, number: int) -> TupleFile:
        return self._files[self._rows.file_numbers[number]]

    def _concept_positions(self, number: int) -> range:
        """The positions of a tuple's concepts, which are consecutive."""
        begins = self._concepts_begin
        end = begins[number + 1] if number + 1 < len(begins) else len(self._concepts)
        return range(begins[number], end)

    @cached_property
    def _concepts_begin(self) -> array[int]:
        numbers = np.arange(len(self._rows), dtype=np.uint32)
        return array("I", np.searchsorted(np.asarray(self._tuple_of), numbers).tolist())

    @cached_property
    def _by_head(self) -> Groups:
        return Groups(self._head_of, len(self._heads))

    @cached_property
    def _by_instance(self) -> Groups:
        return Groups(self._instances, len(self._texts))

    @cached_property
    def _by_concept(self) -> Groups:
        return Groups(self._concepts, len(self._texts))
