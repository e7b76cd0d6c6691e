"""Causal relations in CauseNet's format, browsed concept by concept.

Heindorf et al. (2020): a row is `{"causal_relation": {"cause": {"concept": ...}, "effect":
{"concept": ...}}}`, in CauseNet-Precision and -Full with `sources`, each of a `type` and with a
`payload` that may hold the `sentence`. A concept has "_" for spaces.

Each concept is an item: the concept, its causes and their causes, its effects and their effects,
with every link among them. Nearer concepts come first, then those that more sources name, then
those that are first in the file; concepts beyond `MOST_CONCEPTS` are left out and counted.

The relations may form cycles, which no causal event graph may. Links are taken from the concept
outwards, and one that would close a cycle with those before it is left out, with a warning.
CauseNet does not say how often a concept happens: one without a cause in its graph is assumed to
happen with probability `SELDOM`, so that it can be observed, set and imagined either way.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path

from core.benchmarks.com2.causenet_rows import (
    Source,
    in_words,
    kinds_of,
    relation_of,
    sentence_of,
    source_of,
)
from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event
from core.benchmarks.com2.item import Com2Item
from core.benchmarks.com2.row_collection import RowCollection, about_rows, decoded_rows
from core.contract.collection import About, Entry, Repair
from core.files.row_file import RowFile, RowIndex
from core.files.unreadable import MOST_ERRORS
from core.text.errors import DataError
from core.text.language import _
from core.text.quantities import counted
from core.text.text_index import unknown_item

MOST_CONCEPTS = 60
"""Most concepts of one item."""
SELDOM = 0.1
"""Probability of a concept without causes in its graph."""
_CITATION = (
    "The format is that of CauseNet: Stefan Heindorf, Yan Scholten, Henning Wachsmuth, "
    "Axel-Cyrille Ngonga Ngomo and Martin Potthast (2020). CauseNet: Towards a Causality Graph "
    "Extracted from the Web. CIKM 2020, pages 3023-3030.",
)
_MOST_WARNED = 8


class _Index:
    """The concepts, and the cause, effect and position of each row."""

    def __init__(self, files: Sequence[RowFile]) -> None:
        self.rows = RowIndex(files)
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}
        """The number of each concept by its name."""
        self.causes = array("I")
        self.effects = array("I")
        self.counts = array("I")
        """How many sources state each relation."""
        self.again: dict[int, list[int]] = {}
        """The later rows with the same relation as a row, by that row."""
        self.repairs: list[Repair] = []
        self._left_out = 0

    def fill(self, errors: list[DataError]) -> None:
        """Add every relation; what cannot be read goes to `errors`."""
        first: dict[int, int] = {}
        files = self.rows.files
        for file_number, _number, row, relation in decoded_rows(files, relation_of, errors):
            where = files[file_number].where(row.line)
            cause = relation.causal_relation.cause.concept
            effect = relation.causal_relation.effect.concept
            if cause == effect:
                self._repair(where, f"“{cause}” causes itself, which is left out")
                continue
            index = len(self.causes)
            ends = self._concept(cause), self._concept(effect)
            self.causes.append(ends[0])
            self.effects.append(ends[1])
            self.counts.append(len(relation.sources or ()))
            self.rows.add(file_number, row)
            before = first.setdefault(ends[0] << 32 | ends[1], index)
            if before != index:
                self.again.setdefault(before, []).append(index)
                what = f"“{cause}” → “{effect}” was said before, at {self.where(before)}"
                self._repair(where, what)
        if self._left_out:
            where = self.rows.files[-1].shown
            self.repairs.append(
                Repair(where, f"{counted(self._left_out, 'more relation')} like these")
            )

    def where(self, row: int) -> str:
        """The file's name and the line of a row."""
        return f"{self.rows.file(row).path.name}:{self.rows.line(row)}"

    def _concept(self, name: str) -> int:
        number = self.numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number

    def _repair(self, where: str, what: str) -> None:
        if len(self.repairs) < MOST_ERRORS:
            self.repairs.append(Repair(where, what))
        else:
            self._left_out += 1

    def relations(self, ends: array[int]) -> tuple[array[int], array[int]]:
        """The rows grouped by one of their ends: where each concept's rows begin, and the rows.

        Rows with more sources come first, then those that are first in the file; repeated rows are
        left out.
        """
        repeated = {row for rows in self.again.values() for row in rows}
        counts = self.counts
        rows = [row for row in range(len(ends)) if row not in repeated]
        rows.sort(key=lambda row: (ends[row], -counts[row]))
        begins = array("I", bytes(4 * (len(self.names) + 1)))
        for row in rows:
            begins[ends[row] + 1] += 1
        for i in range(len(self.names)):
            begins[i + 1] += begins[i]
        return begins, array("I", rows)


class CauseNetCollection(RowCollection):
    """The concepts of some files, in the order in which they first occur."""

    kept_items = 128

    def __init__(self, index: _Index, about: About, errors: Sequence[DataError]) -> None:
        super().__init__(index.rows.files, about, errors, index.repairs)
        self._index = index
        self._into = index.relations(index.effects)
        self._out_of = index.relations(index.causes)

    def __len__(self) -> int:
        """Number of concepts."""
        return len(self._index.names)

    def entry(self, index: int) -> Entry:
        """The list entry of a concept: its numbers of direct causes and effects."""
        name = self._index.names[index]
        causes, effects = (
            begins[index + 1] - begins[index] for begins, _ in (self._into, self._out_of)
        )
        detail = f"{counted(causes, 'cause')}, {counted(effects, 'effect')}"
        return Entry(name, in_words(name), detail)

    def find(self, item_id: str) -> int:
        """The position of a concept; raises `NotFoundError` naming the nearest."""
        numbers = self._index.numbers
        number = numbers.get(item_id, numbers.get(item_id.replace(" ", "_")))
        if number is None:
            raise unknown_item(item_id, self._index.names)
        return number

    def matching(self, text: str) -> Sequence[int]:
        """Positions of the concepts that contain `text`, with spaces or "_", ignoring case."""
        return super().matching(in_words(text))

    def _searched_text(self, index: int) -> str:
        return in_words(self._index.names[index])

    def _read_item(self, centre: int) -> Com2Item:
        """The graph around a concept."""
        index = self._index
        near = self._near(centre)
        shown = near[:MOST_CONCEPTS]
        rank = {concept: i for i, concept in enumerate(shown)}
        rows = {
            (rank[concept], rank[index.effects[row]]): row
            for concept in shown
            for row in _of(self._out_of, concept)
            if index.effects[row] in rank
        }
        outwards = sorted(rows, key=lambda ends: (max(ends), min(ends), rows[ends]))
        taken, opened = acyclic(outwards)
        names = [index.names[concept] for concept in shown]
        warnings = []
        if len(near) > len(shown):
            warnings.append(
                f"{len(near) - len(shown):,} of {len(near):,} concepts within two links are left "
                "out: those that are farther away or that fewer sources name."
            )
        warnings += _cycle_warnings([(in_words(names[a]), in_words(names[b])) for a, b in opened])
        warnings.append(
            f"A concept without a cause here happens with probability {SELDOM}, an assumption: how "
            "often concepts happen is not in the data."
        )
        caused = {b for _, b in taken}
        return Com2Item(
            names[0],
            CausalEventGraph(
                tuple(
                    Event(name, in_words(name), leak=0.0 if i in caused else SELDOM)
                    for i, name in enumerate(names)
                ),
                tuple(self._link(names[a], names[b], rows[a, b]) for a, b in taken),
            ),
            title=in_words(names[0]),
            warnings=tuple(warnings),
        )

    def _near(self, centre: int) -> list[int]:
        """The causes and effects within two links, by turns, after the concept itself."""
        index = self._index
        concepts = dict.fromkeys([centre])
        sides = [
            (self._into, index.causes, [centre], {centre}),
            (self._out_of, index.effects, [centre], {centre}),
        ]
        for _step in range(2):
            reached = []
            for side, (table, ends, frontier, seen) in enumerate(sides):
                fresh = dict.fromkeys(
                    ends[row]
                    for concept in frontier
                    for row in _of(table, concept)
                    if ends[row] not in seen
                )
                sides[side] = (table, ends, list(fresh), seen | fresh.keys())
                reached.append(fresh)
            for pair in zip_longest(*reached):
                concepts.update(dict.fromkeys(concept for concept in pair if concept is not None))
        return list(concepts)

    def _link(self, cause: str, effect: str, first: int) -> CausalLink:
        """A link with its origin and its evidence."""
        index = self._index
        rows = [first, *index.again.get(first, ())]
        sources = [source for row in rows for source in self._sources(row)]
        where = ", ".join(index.where(row) for row in rows[:3])
        return CausalLink(
            cause, effect, source=f"{where}, {kinds_of(sources)}", evidence=sentence_of(sources)
        )

    def _sources(self, row: int) -> list[Source]:
        index = self._index
        if not index.counts[row]:
            return []
        relation = relation_of(index.rows.read(row).raw, index.rows.where(row))
        return [source_of(raw) for raw in relation.sources or ()]


def open_causenet(path: Path, files: Sequence[RowFile]) -> CauseNetCollection:
    """Open the relations of some files as one graph; raises `DataError` when there are none."""
    errors: list[DataError] = []
    index = _Index(files)
    index.fill(errors)
    if not index.names:
        raise errors[0] if errors else DataError(_("There is no relation in this."), where=path)
    return CauseNetCollection(index, about_rows(path, _CITATION, errors), errors)


def acyclic(
    pairs: Iterable[tuple[int, int]],
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Split links into those taken and those left out because they would close a cycle.

    Links are taken in order. Ends are small numbers, so what is reachable is kept as bits.
    """
    reach: dict[int, int] = {}
    taken, opened = [], []
    for a, b in pairs:
        below = reach.get(b, 0) | 1 << b
        if below >> a & 1:
            opened.append((a, b))
            continue
        taken.append((a, b))
        reach[a] = reach.get(a, 0) | below
        for event, known in reach.items():
            if known >> a & 1:
                reach[event] = known | below
    return taken, opened


def _cycle_warnings(opened: Sequence[tuple[str, str]]) -> list[str]:
    """The warnings about links that were left out."""
    warnings = [
        f"A cycle was opened: the link from “{cause}” to “{effect}” is left out, "
        f"because “{effect}” leads to “{cause}” here."
        for cause, effect in opened[:_MOST_WARNED]
    ]
    if len(opened) > _MOST_WARNED:
        warnings.append(f"More links left out likewise: {len(opened) - _MOST_WARNED}.")
    return warnings


def _of(table: tuple[array[int], array[int]], concept: int) -> array[int]:
    begins, rows = table
    return rows[begins[concept] : begins[concept + 1]]
