"""Pyramids: the concepts that cover an instance in a head event, from narrow to broad.

Concept a is below concept b if the collection entails it: by a valid tuple with instance a and
concept b, or a chain of them. If neither entails the other, the one that is deeper in WordNet is
below. Concepts that cannot be compared with any other have no level; an only concept has level 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation, tail_event
from core.text.errors import DataError
from core.text.escaping import shortened
from core.text.language import N_, _

Entailments = Callable[[str], Iterable[str]]
"""The concepts that a text entails anywhere in the collection; both as `concept_key`."""
Depths = Callable[[str, Relation], int | None]
"""Depth of a concept in a taxonomy of nouns or verbs; None if it is not there."""

_ARTICLES = ("a ", "an ", "the ")
_MOST_REACHED = 200
"""Most texts to follow upward from one concept; longer chains are weak evidence."""

MOST_CONCEPTS = 100
"""Most concepts of an instance: each is compared with all others, and a page has as many states."""

_ORDERINGS = {
    (False, False): "",
    (True, False): N_("entailment in this collection"),
    (False, True): N_("depth in WordNet"),
    (True, True): N_("entailment in this collection, then depth in WordNet"),
}
"""Description of the order, by whether entailment and whether depth was used."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept that may cover the instance."""

    text: str
    label: bool | None
    """Whether it is valid; None without a label."""


@dataclass(frozen=True, slots=True)
class Pyramid:
    """An instance in a head event with its concepts."""

    head: str
    start: int
    end: int
    """The instance is `head[start:end]`."""
    relation: Relation
    levels: tuple[tuple[Concept, ...], ...]
    """From narrow to broad; concepts of one level are not ordered."""
    unordered: tuple[Concept, ...]
    """Valid or unlabelled concepts that cannot be compared with any other."""
    false: tuple[Concept, ...]
    """Invalid concepts."""
    ordering: str
    """What orders the levels, in words; empty without an order."""

    @property
    def instance(self) -> str:
        """The text of the instance."""
        return self.head[self.start : self.end]

    def tail(self, concept: str) -> str:
        """The tail event: the head event with the instance abstracted to a concept."""
        return tail_event(self.head, self.start, self.end, self.relation, concept)

    @property
    def upward(self) -> tuple[tuple[int, Concept], ...]:
        """The valid and unlabelled concepts from narrow to broad, with their levels from 1.

        Concepts without a level come last, with 0.
        """
        placed = [(number, c) for number, level in enumerate(self.levels, 1) for c in level]
        return (*placed, *((0, concept) for concept in self.unordered))


def concept_key(text: str) -> str:
    """The key for comparing texts: without case, leading article and extra blanks."""
    words = " ".join(text.casefold().split())
    return words.partition(" ")[2] if words.startswith(_ARTICLES) else words


def pyramids(
    tuples: Sequence[AbstractTuple], entailments: Entailments, depths: Depths | None = None
) -> tuple[Pyramid, ...]:
    """One pyramid for each instance of a head event, in the order in which they occur.

    Args:
        tuples: of one head event; a tuple may have several concepts.
        entailments: the concepts that a text entails in the collection.
        depths: depths in WordNet; None without one.

    Raises `DataError` for an instance with more than `MOST_CONCEPTS` concepts.
    """
    concepts_by_instance: dict[
        tuple[int, int, Relation], dict[tuple[str, bool | None], Concept]
    ] = {}
    for each in tuples:
        concepts = concepts_by_instance.setdefault(each.component, {})
        for text in each.concepts:
            concept = Concept(text, each.label)
            concepts.setdefault((concept_key(text), each.label), concept)
    most = max(map(len, concepts_by_instance.values()))
    if most > MOST_CONCEPTS:
        raise DataError(
            _(
                "This event has {count:,} concepts for one instance; {most:,} are the most.",
                count=most,
                most=MOST_CONCEPTS,
            ),
            where=shortened(tuples[0].head),
            hint=_("Take a part of the file."),
        )
    return tuple(
        _pyramid(tuples[0].head, *instance, _prefer_labelled(concepts), entailments, depths)
        for instance, concepts in concepts_by_instance.items()
    )


def _prefer_labelled(concepts: Mapping[tuple[str, bool | None], Concept]) -> Sequence[Concept]:
    """The concepts, without unlabelled duplicates of labelled ones (from generation data)."""
    labelled = {text for text, label in concepts if label is not None}
    return [
        concept
        for (text, label), concept in concepts.items()
        if label is not None or text not in labelled
    ]


def _pyramid(
    head: str,
    start: int,
    end: int,
    relation: Relation,
    concepts: Sequence[Concept],
    entailments: Entailments,
    depths: Depths | None,
) -> Pyramid:
    false = tuple(concept for concept in concepts if concept.label is False)
    held = [concept for concept in concepts if concept.label is not False]
    above, ordering = _order(held, relation, entailments, depths)
    if len(held) == 1:
        return Pyramid(head, start, end, relation, (tuple(held),), (), false, "")
    related = set(above) | {upper for uppers in above.values() for upper in uppers}
    levels = _levels(held, above, related)
    unordered = tuple(concept for index, concept in enumerate(held) if index not in related)
    return Pyramid(head, start, end, relation, levels, unordered, false, ordering)


def _order(
    held: Sequence[Concept],
    relation: Relation,
    entailments: Entailments,
    depths: Depths | None,
) -> tuple[dict[int, set[int]], str]:
    """For each concept index the indices above it, and a description of the order.

    Entailment takes precedence: pairs by depth that lie on a cycle of both are dropped.
    """
    keys = [concept_key(concept.text) for concept in held]
    reached = [_reachable_concepts(text, entailments) for text in keys]
    depth = [depths(text, relation) if depths else None for text in keys]
    entailed: list[tuple[int, int]] = []
    deeper: list[tuple[int, int]] = []
    for first, second in combinations(range(len(held)), 2):
        up, down = keys[second] in reached[first], keys[first] in reached[second]
        if up:
            entailed.append((first, second))
        if down:
            entailed.append((second, first))
        if up or down:
            continue
        if (
            (first_depth := depth[first]) is not None
            and (second_depth := depth[second]) is not None
            and first_depth != second_depth
        ):
            deeper.append((first, second) if first_depth > second_depth else (second, first))
    kept = _pairs_outside_cycles(entailed, deeper)
    above: dict[int, set[int]] = {}
    for low, upper in (*entailed, *kept):
        above.setdefault(low, set()).add(upper)
    return above, _ORDERINGS[bool(entailed), bool(kept)]


def _pairs_outside_cycles(
    entailed: Sequence[tuple[int, int]], deeper: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The pairs by depth that are not on a cycle of pairs of both kinds."""
    import networkx as nx

    order: nx.DiGraph[int] = nx.DiGraph((*entailed, *deeper))
    component_of = {
        index: number
        for number, indices in enumerate(nx.strongly_connected_components(order))
        for index in indices
    }
    return [(low, up) for low, up in deeper if component_of[low] != component_of[up]]


def _reachable_concepts(start: str, entailments: Entailments) -> set[str]:
    """All concepts that a text entails by chains of any length."""
    reached: set[str] = set()
    pending = [start]
    while pending and len(reached) < _MOST_REACHED:
        text = pending.pop()
        for upper in entailments(text):
            if upper not in reached:
                reached.add(upper)
                pending.append(upper)
    return reached


def _levels(
    held: Sequence[Concept], above: Mapping[int, set[int]], related: set[int]
) -> tuple[tuple[Concept, ...], ...]:
    """Put each concept on the lowest level above all concepts below it; cycles share a level."""
    import networkx as nx

    order: nx.DiGraph[int] = nx.DiGraph()
    order.add_nodes_from(sorted(related))
    order.add_edges_from((low, up) for low, ups in above.items() for up in sorted(ups))
    cycles = nx.condensation(order)
    levels: list[tuple[Concept, ...]] = []
    for generation in nx.topological_generations(cycles):
        indices = sorted(index for cycle in generation for index in cycles.nodes[cycle]["members"])
        levels.append(tuple(held[index] for index in indices))
    return tuple(levels)
