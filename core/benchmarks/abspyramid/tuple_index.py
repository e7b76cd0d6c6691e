"""An index over the tuples of some files: their texts, labels and positions.

Every text is kept once, every tuple as a dozen numbers, so that 221,000 tuples take some 60 MB;
the tuples themselves stay on the disk.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from core.benchmarks.abspyramid.dataset_files import Task, TupleSource
from core.benchmarks.abspyramid.pyramids import concept_key
from core.benchmarks.abspyramid.tuple_reader import TupleContent, TupleFile
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.contract.collection import Repair
from core.files.row_file import RowIndex
from core.files.rows import Row
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

MOST_LISTED = 300
"""Errors and repairs that are listed one by one; the others are counted."""
_RELATIONS = tuple(Relation)
_LABELS = {None: -1, False: 0, True: 1}
_SHOWN = 80
Numbers = np.ndarray[Any, np.dtype[Any]]


class Groups:
    """The positions in a list grouped by the values there, without a dictionary."""

    def __init__(self, values: Numbers, known: int) -> None:
        """Group by `values`, each from 0 to `known` - 1; within a group in order."""
        self._positions = np.argsort(values, kind="stable").astype(np.uint32)
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


class TupleIndex:
    """The tuples of some files, numbered in the order in which they are read."""

    def __init__(self, files: Sequence[TupleFile]) -> None:
        self.files = files
        self.heads: dict[str, int] = {}
        """Each head event and its number, in the order in which they first occur."""
        self.texts: dict[str, int] = {}
        """Instances and concepts as `concept_key` gives them, with their numbers."""
        self._rows = RowIndex([file.file for file in files])
        self._head_of = array("I")
        self._begins = array("I")
        self._ends = array("I")
        self._relations = array("B")
        self._labels = array("b")
        self._instances = array("I")
        self._tuple_of = array("I")
        """The tuple of each concept; a generation tuple has several."""
        self._concepts = array("I")

    def fill(self, errors: list[DataError]) -> None:
        """Read every file; what cannot be read goes to `errors`."""
        for number, file in enumerate(self.files):
            try:
                for row, content in file.rows(errors):
                    self._add(number, row, content)
            except DataError as error:
                errors.append(error)

    def _add(self, file_number: int, row: Row, content: TupleContent) -> None:
        head, start, end, relation, concepts, label = content
        heads, texts = self.heads, self.texts
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
        """How many tuples there are."""
        return len(self._rows)

    def read(self, number: int) -> AbstractTuple:
        """A tuple, read again; raises `DataError` where the file was changed."""
        return self._file(number).read_again(self._rows.read(number))

    def _file(self, number: int) -> TupleFile:
        return self.files[self._rows.file_numbers[number]]

    @property
    def _spans(self) -> tuple[array[int], array[int]]:
        return self._begins, self._ends

    def source_of(self, number: int) -> TupleSource:
        """The file that a tuple is in, and what is known of it."""
        return self._file(number).source

    def head_of(self, number: int) -> int:
        """The number of a tuple's head event."""
        return self._head_of[number]

    def of_head(self, head: int) -> list[int]:
        """The tuples of a head event, which need not stand together."""
        return self._by_head[head]

    @cached_property
    def components(self) -> Components:
        """The instances in head events, by head event, then as they occur."""
        packed = np.asarray(self._head_of, dtype=np.uint64)
        # Head events are no longer than 2**14 characters, and there are three relations.
        for column, bits in (*((span, 14) for span in self._spans), (self._relations, 2)):
            packed = (packed << np.uint64(bits)) | np.asarray(column, dtype=np.uint64)
        _, first, which = np.unique(packed, return_index=True, return_inverse=True)
        order = np.lexsort((first, np.asarray(self._head_of)[first]))
        concepts = np.bincount(np.asarray(self._tuple_of), minlength=len(self))
        of_generation = np.isin(
            np.asarray(self._rows.file_numbers),
            [i for i, file in enumerate(self.files) if file.source.task is Task.GENERATION],
        )
        false = np.asarray(self._labels) == _LABELS[False]
        counts = (
            np.bincount(which, weights=np.where(kind, concepts, 0), minlength=len(first))[order]
            for kind in (~false, false, of_generation)
        )
        return Components(first[order].tolist(), *(each.astype(np.uint32) for each in counts))

    def component_of(self, number: int) -> tuple[int, int, Relation]:
        """The span of a tuple's instance in its head event, and its relation."""
        start, end = (span[number] for span in self._spans)
        return start, end, _RELATIONS[self._relations[number]]

    def names_references(self, number: int) -> bool:
        """Whether a tuple is one of generation, whose concepts are references."""
        return self.source_of(number).task is Task.GENERATION

    def of_instance(self, text: str) -> list[int]:
        """The tuples with an instance, whichever its label."""
        number = self.texts.get(concept_key(text))
        return [] if number is None else self._by_instance[number]

    def of_concept(self, text: str) -> list[int]:
        """One tuple for each instance in a head event that a concept covers, by any label but 0."""
        number = self.texts.get(concept_key(text))
        if number is None:
            return []
        tuples: dict[tuple[int, ...], int] = {}
        for position in self._by_concept[number]:
            tuple_number = self._tuple_of[position]
            if self._labels[tuple_number]:
                tuples.setdefault(self._where_in_head(tuple_number), tuple_number)
        return list(tuples.values())

    def entailments(self, text: str) -> Iterator[str]:
        """The concepts that a text is an instance of by valid noun and verb tuples, each once."""
        for number in dict.fromkeys(
            self._concepts[position]
            for tuple_number in self.of_instance(text)
            if self._labels[tuple_number] == 1
            and _RELATIONS[self._relations[tuple_number]] is not Relation.EVENT
            for position in self._concept_positions(tuple_number)
        ):
            yield self._text_list[number]

    def heads_with(self, needle: str) -> set[int]:
        """The head events of tuples whose instance or concept contains a text."""
        numbers = [number for text, number in self.texts.items() if needle in text]
        rows = np.isin(np.asarray(self._instances), numbers)
        is_wanted = np.isin(np.asarray(self._concepts), numbers)
        rows[np.asarray(self._tuple_of)[is_wanted]] = True
        return set(np.asarray(self._head_of)[rows].tolist())

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """Concepts that an instance has twice, with the same or contrary labels. All are kept.

        Detection and generation data hold the same concepts, so they are compared apart.
        """
        tuple_of = np.asarray(self._tuple_of)
        columns = [
            np.asarray(self._concepts),
            *(
                np.asarray(each)[tuple_of]
                for each in (self._relations, *self._spans, self._head_of)
            ),
            np.asarray(self._labels)[tuple_of] >= 0,
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
            where = escape_control_characters(str(self.files[-1].source.path))
            repairs.append(Repair(where, f"{left:,} more concepts are said twice"))
        return tuple(repairs)

    def _repair(self, again: int, before: int) -> Repair:
        repeat, first = self._tuple_of[again], self._tuple_of[before]
        concept = escape_control_characters(self._text_list[self._concepts[again]], limit=_SHOWN)
        instance = escape_control_characters(self._text_list[self._instances[repeat]], limit=_SHOWN)
        claim = f"“{concept}” for “{instance}”"
        if self._labels[repeat] == self._labels[first]:
            return Repair(self._where(repeat), f"{claim} was said before, at {self._where(first)}")
        words = {0: "not valid", 1: "valid"}
        return Repair(
            self._where(repeat),
            f"{claim} is {words[self._labels[repeat]]} here and {words[self._labels[first]]} "
            f"at {self._where(first)}",
        )

    def _where(self, number: int) -> str:
        return self._rows.where(number)

    def _where_in_head(self, number: int) -> tuple[int, ...]:
        spans = (each[number] for each in self._spans)
        return (self._head_of[number], *spans, self._relations[number])

    def _concept_positions(self, number: int) -> range:
        """The positions of a tuple's concepts, which stand together."""
        begins = self._concepts_begin
        end = begins[number + 1] if number + 1 < len(begins) else len(self._concepts)
        return range(begins[number], end)

    @cached_property
    def _concepts_begin(self) -> array[int]:
        numbers = np.arange(len(self), dtype=np.uint32)
        return array("I", np.searchsorted(np.asarray(self._tuple_of), numbers).tolist())

    @cached_property
    def _text_list(self) -> list[str]:
        return list(self.texts)

    @cached_property
    def _by_head(self) -> Groups:
        return Groups(np.asarray(self._head_of), len(self.heads))

    @cached_property
    def _by_instance(self) -> Groups:
        return Groups(np.asarray(self._instances), len(self.texts))

    @cached_property
    def _by_concept(self) -> Groups:
        return Groups(np.asarray(self._concepts), len(self.texts))
