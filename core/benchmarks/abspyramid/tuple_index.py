"""An index over the tuples of some files: who says what of which text, and where it stands.

Every text is kept once, every tuple as a dozen numbers, so that 221,000 tuples take some 60 MB;
the tuples themselves stay on the disk.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from core.benchmarks.abspyramid.dataset_files import Place, Task
from core.benchmarks.abspyramid.pyramids import key
from core.benchmarks.abspyramid.tuple_reader import Said, TupleFile
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.contract.collection import Repair
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
    """The places of a list by what stands there, without a dictionary."""

    def __init__(self, values: Numbers, known: int) -> None:
        """Group by `values`, each from 0 to `known` - 1; within a group in order."""
        self._places = np.argsort(values, kind="stable").astype(np.uint32)
        counts = np.bincount(values, minlength=known)
        self._begins = np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)

    def __getitem__(self, value: int) -> list[int]:
        """The places where a value stands, in order."""
        found: list[int] = self._places[self._begins[value] : self._begins[value + 1]].tolist()
        return found


class Components(NamedTuple):
    """Instances in head events: the first tuple of each, and how many concepts it has at most."""

    first: list[int]
    held: Numbers
    """Concepts that are not said not to hold."""
    false: Numbers
    references: Numbers
    """Those of generation."""


class TupleIndex:
    """What some files hold; tuples have numbers in the order in which they are read."""

    def __init__(self, files: Sequence[TupleFile]) -> None:
        self.files = files
        self.heads: dict[str, int] = {}
        """Each head event and its number, in the order in which they first occur."""
        self.texts: dict[str, int] = {}
        """Instances and concepts as `key` gives them, with their numbers."""
        self._of_file = array("H")
        self._starts = array("Q")
        self._sizes = array("I")
        self._lines = array("I")
        self._head_of = array("I")
        self._begins = array("I")
        self._ends = array("I")
        self._relations = array("B")
        self._labels = array("b")
        self._instances = array("I")
        self._said_in = array("I")
        """The tuple of each concept; a generation tuple has several."""
        self._concepts = array("I")

    def fill(self, errors: list[DataError]) -> None:
        """Read every file; what cannot be read goes to `errors`."""
        for number, file in enumerate(self.files):
            try:
                for row, each in file.rows(errors):
                    self._add(number, row, each)
            except DataError as error:
                errors.append(error)

    def _add(self, number: int, row: Row, said: Said) -> None:
        head, start, end, relation, concepts, label = said
        heads, texts = self.heads, self.texts
        place = len(self._starts)
        self._of_file.append(number)
        self._starts.append(row.start)
        self._sizes.append(len(row.raw))
        self._lines.append(row.line)
        self._head_of.append(heads.setdefault(head, len(heads)))
        self._begins.append(start)
        self._ends.append(end)
        self._relations.append(_RELATIONS.index(relation))
        self._labels.append(_LABELS[label])
        self._instances.append(texts.setdefault(key(head[start:end]), len(texts)))
        for concept in concepts:
            self._said_in.append(place)
            self._concepts.append(texts.setdefault(key(concept), len(texts)))

    def __len__(self) -> int:
        """How many tuples there are."""
        return len(self._starts)

    def read(self, number: int) -> AbstractTuple:
        """A tuple, read again; raises `DataError` where the file was changed."""
        file, line = self.files[self._of_file[number]], self._lines[number]
        start = self._starts[number]
        raw = file.file.read(start, self._sizes[number], line)
        return file.again(Row(line, start, raw))

    @property
    def _spans(self) -> tuple[array[int], array[int]]:
        return self._begins, self._ends

    def place_of(self, number: int) -> Place:
        """The file that a tuple is in, and what is known of it."""
        return self.files[self._of_file[number]].place

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
        concepts = np.bincount(np.asarray(self._said_in), minlength=len(self))
        of_generation = np.isin(
            np.asarray(self._of_file),
            [i for i, file in enumerate(self.files) if file.place.task is Task.GENERATION],
        )
        false = np.asarray(self._labels) == _LABELS[False]
        counts = (
            np.bincount(which, weights=np.where(kind, concepts, 0), minlength=len(first))[order]
            for kind in (~false, false, of_generation)
        )
        return Components(first[order].tolist(), *(each.astype(np.uint32) for each in counts))

    def place(self, number: int) -> tuple[int, int, Relation]:
        """Where a tuple's instance begins and ends in its head event, and its relation."""
        start, end = (span[number] for span in self._spans)
        return start, end, _RELATIONS[self._relations[number]]

    def names_references(self, number: int) -> bool:
        """Whether a tuple is one of generation, whose concepts are references."""
        return self.files[self._of_file[number]].place.task is Task.GENERATION

    def of_instance(self, text: str) -> list[int]:
        """The tuples with an instance, whichever its label."""
        number = self.texts.get(key(text))
        return [] if number is None else self._by_instance[number]

    def of_concept(self, text: str) -> list[int]:
        """A tuple for each instance in a head event that a concept is not said not to cover."""
        number = self.texts.get(key(text))
        if number is None:
            return []
        found: dict[tuple[int, ...], int] = {}
        for place in self._by_concept[number]:
            at = self._said_in[place]
            if self._labels[at]:
                found.setdefault(self._where_in_head(at), at)
        return list(found.values())

    def entailments(self, text: str) -> Iterator[str]:
        """What valid tuples of nouns and verbs say a text is an instance of, each once."""
        for number in dict.fromkeys(
            self._concepts[place]
            for at in self.of_instance(text)
            if self._labels[at] == 1 and _RELATIONS[self._relations[at]] is not Relation.EVENT
            for place in self._of_tuple(at)
        ):
            yield self._text_list[number]

    def heads_with(self, needle: str) -> set[int]:
        """The head events of tuples whose instance or concept contains a text."""
        numbers = [number for text, number in self.texts.items() if needle in text]
        rows = np.isin(np.asarray(self._instances), numbers)
        said = np.isin(np.asarray(self._concepts), numbers)
        rows[np.asarray(self._said_in)[said]] = True
        return set(np.asarray(self._head_of)[rows].tolist())

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """Concepts that are said twice of an instance, alike or with contrary labels.

        All are kept. Detection and generation data say the same things and are told apart.
        """
        said = np.asarray(self._said_in)
        columns = [
            np.asarray(self._concepts),
            *(np.asarray(each)[said] for each in (self._relations, *self._spans, self._head_of)),
            np.asarray(self._labels)[said] >= 0,
        ]
        order = np.lexsort(columns)
        new = np.zeros(len(order), dtype=bool)
        new[:1] = True
        for column in columns:
            ordered = column[order]
            new[1:] |= ordered[1:] != ordered[:-1]
        first = order[np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))]
        repeated = sorted(zip(order[~new].tolist(), first[~new].tolist(), strict=True))
        found = [self._repair(*pair) for pair in repeated[:MOST_LISTED]]
        if len(repeated) > MOST_LISTED:
            left = len(repeated) - MOST_LISTED
            where = escape_control_characters(str(self.files[-1].place.path))
            found.append(Repair(where, f"{left:,} more concepts are said twice"))
        return tuple(found)

    def _repair(self, again: int, before: int) -> Repair:
        mine, first = self._said_in[again], self._said_in[before]
        concept = escape_control_characters(self._text_list[self._concepts[again]], limit=_SHOWN)
        instance = escape_control_characters(self._text_list[self._instances[mine]], limit=_SHOWN)
        said = f"“{concept}” for “{instance}”"
        if self._labels[mine] == self._labels[first]:
            return Repair(self._where(mine), f"{said} was said before, at {self._where(first)}")
        words = {0: "not valid", 1: "valid"}
        return Repair(
            self._where(mine),
            f"{said} is {words[self._labels[mine]]} here and {words[self._labels[first]]} "
            f"at {self._where(first)}",
        )

    def _where(self, number: int) -> str:
        return self.files[self._of_file[number]].file.where(self._lines[number])

    def _where_in_head(self, number: int) -> tuple[int, ...]:
        spans = (each[number] for each in self._spans)
        return (self._head_of[number], *spans, self._relations[number])

    def _of_tuple(self, number: int) -> range:
        """The places of a tuple's concepts, which stand together."""
        begins = self._concepts_begin
        end = begins[number + 1] if number + 1 < len(begins) else len(self._concepts)
        return range(begins[number], end)

    @cached_property
    def _concepts_begin(self) -> array[int]:
        numbers = np.arange(len(self), dtype=np.uint32)
        return array("I", np.searchsorted(np.asarray(self._said_in), numbers).tolist())

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
