"""Tuples as a collection in which each instance of a head event is an item.

A run thus asks about every tuple exactly once, whichever component is selected on the screen.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from itertools import islice
from pathlib import Path

from core.benchmarks.abspyramid.dataset_files import Task
from core.benchmarks.abspyramid.item import (
    AbsItem,
    ConceptCounts,
    CoveredTuples,
    HeadEventInstances,
)
from core.benchmarks.abspyramid.pyramids import Depths, Pyramid, pyramids
from core.benchmarks.abspyramid.tuple_store import TupleStore
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.contract.about import read_about
from core.contract.collection import About, Entry, Repair
from core.contract.indexed_collection import IndexedCollection
from core.text.errors import DataError
from core.text.language import _
from core.text.text_index import unknown_item

MOST_CONTEXTS = 40
"""Most head events with the same instance that can be selected."""
_CACHED = 256
_SLUG = 40
_DIGITS = 4


class TupleCollection(IndexedCollection[AbsItem]):
    """Instances in the order of their head events.

    Repeated and contradictory tuples are kept.
    """

    def __init__(
        self, store: TupleStore, about: About, errors: Sequence[DataError], depths: Depths | None
    ) -> None:
        super().__init__(about, errors)
        self._store = store
        self._depths = depths
        self._head_of = [store.head_of(number) for number in store.components.first]
        self._of_head = lru_cache(maxsize=_CACHED)(self._read_head)

    @property
    def repairs(self) -> Sequence[Repair]:
        """Repeated and contradictory tuples; computed on first access."""
        return self._store.repairs

    @property
    def content_hash(self) -> str:
        """SHA-256 over names and contents of the files; raises `DataError` if they changed."""
        return self._store.content_hash

    def __len__(self) -> int:
        """Number of instances in all head events."""
        return len(self._head_of)

    def entry(self, index: int) -> Entry:
        """The list entry of an instance, grouped by its head event."""
        head = self._head_of[index]
        name = self._names(head)[index - self._first_of(head)]
        start, end, relation = self._store.component_of(self._store.components.first[index])
        text = self._store.head(head)
        detail = _(relation.value)
        if relation is not Relation.EVENT:
            detail += f": {text[start:end]}"
        group = self._group(head)
        return Entry(f"{group}:{name}", text, detail, group)

    def find(self, item_id: str) -> int:
        """The position of an id, or of a head event's first instance by the id before the colon.

        Raises `NotFoundError` naming the nearest ids.
        """
        group, _colon, name = item_id.partition(":")
        head = self._groups.get(group)
        if head is not None:
            names = self._names(head)
            if not name or name in names:
                return self._first_of(head) + (names.index(name) if name else 0)
            known: Sequence[str] = [f"{group}:{each}" for each in names]
        else:
            known = tuple(self._groups)
        raise unknown_item(item_id, known)

    def matching(self, text: str) -> Sequence[int]:
        """The instances of head events that contain `text` or have a concept that does."""
        if not text:
            return range(len(self))
        heads = self._store.matching(text)
        return [index for head in heads for index in self._indices(head)]

    def contexts(self, pyramid: Pyramid) -> tuple[Pyramid, ...]:
        """The pyramids of the same instance in other head events, at most `MOST_CONTEXTS`."""
        if pyramid.relation is Relation.EVENT:
            return ()
        return tuple(islice(self._contexts(pyramid), MOST_CONTEXTS))

    def covered(self, concept: str, pyramid: Pyramid, most: int) -> CoveredTuples:
        """Other tuples that a concept covers: the first `most`, and the total."""
        numbers = self._store.of_concept(concept)
        here = (pyramid.head, pyramid.start, pyramid.end)
        read = map(self._store.read, numbers[: most + 1])
        first = [each for each in read if _instance(each) != here]
        return CoveredTuples(tuple(first[:most]), max(len(first), len(numbers) - 1))

    def _contexts(self, pyramid: Pyramid) -> Iterator[Pyramid]:
        seen = {(pyramid.head, pyramid.start)}
        for number in self._store.of_instance(pyramid.instance):
            each = self._store.read(number)
            if each.relation is not pyramid.relation or (each.head, each.start) in seen:
                continue
            seen.add((each.head, each.start))
            for other in self._of_head(self._store.head_of(number)).components:
                if (other.start, other.relation) == (each.start, each.relation):
                    yield other

    def _searched_text(self, index: int) -> str:
        return self._store.head(self._head_of[index])

    def _read_item(self, index: int) -> AbsItem:
        head = self._head_of[index]
        number = index - self._first_of(head)
        _first, *counts = self._store.components
        return AbsItem(
            f"{self._group(head)}:{self._names(head)[number]}",
            number,
            ConceptCounts(*(int(column[index]) for column in counts)),
            partial(self._of_head, head),
            self.contexts,
            self.covered,
        )

    def _read_head(self, head: int) -> HeadEventInstances:
        detection: list[AbstractTuple] = []
        generation: list[AbstractTuple] = []
        for source, each in self._store.of_head(head):
            (generation if source.task is Task.GENERATION else detection).append(each)
        in_detection = {_instance(each) for each in detection}
        tuples = [*detection, *(each for each in generation if _instance(each) not in in_detection)]
        by_component = {
            (p.start, p.end, p.relation): p
            for p in pyramids(tuples, self._store.entailments, self._depths)
        }
        first = self._store.components.first
        components = [self._store.component_of(first[i]) for i in self._indices(head)]
        references: dict[tuple[int, int, Relation], dict[str, None]] = {}
        for each in generation:
            concepts = references.setdefault(each.component, {})
            concepts.update(dict.fromkeys(each.concepts))
        return HeadEventInstances(
            tuple(by_component[component] for component in components),
            self._names(head),
            tuple(tuple(references.get(component, ())) for component in components),
        )

    def _indices(self, head: int) -> range:
        """The indices of a head event's items, which are consecutive."""
        return range(self._first_of(head), bisect_left(self._head_of, head + 1))

    def _first_of(self, head: int) -> int:
        return bisect_left(self._head_of, head)

    def _names(self, head: int) -> tuple[str, ...]:
        """The parts of the ids that distinguish the instances of a head event."""
        text, names = self._store.head(head), dict[str, None]()
        for index in self._indices(head):
            start, end, relation = self._store.component_of(self._store.components.first[index])
            name = relation.value
            if relation is not Relation.EVENT:
                name = f"{name}-{_slug(text[start:end])}"
            names[name if name not in names else f"{name}-{start}-{end}"] = None
        return tuple(names)

    def _group(self, head: int) -> str:
        text = self._store.head(head)
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
        return f"{_slug(text)}-{digest}"

    @cached_property
    def _groups(self) -> dict[str, int]:
        groups: dict[str, int] = {}
        for head in range(len(self._store)):
            groups.setdefault(self._group(head), head)
        return groups


def open_collection(path: Path) -> TupleCollection:
    """Open a file or folder of tuples; raises `DataError` if none can be read."""
    from core.benchmarks.abspyramid import wordnet

    store = TupleStore(path)
    errors = list(store.errors)
    try:
        taxonomy = wordnet.find_wordnet()
    except DataError as error:
        errors.append(error)
        taxonomy = None
    depths = taxonomy.depth if taxonomy is not None else None
    about = read_about(path if path.is_dir() else path.parent, errors) or About(title=path.name)
    return TupleCollection(store, about, errors, depths)


def _instance(each: AbstractTuple) -> tuple[str, int, int]:
    return each.head, each.start, each.end


def _slug(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", text.lower())
    return words[:_SLUG].strip("-") or "x"
