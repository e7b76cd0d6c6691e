"""Pyramids: the concepts that cover an instance in a head event, from narrow to broad.

Concept a stands below concept b where the collection says so: by valid tuples whose instance is a
and whose concept is b, or a chain of them. Where neither is said to cover the other, the one that
lies deeper in WordNet stands below. What still cannot be told from any other stays without a rung.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.text.language import N_

Entailments = Callable[[str], Iterable[str]]
"""What the collection says a text is an instance of, anywhere; both as `key` gives them."""
Depths = Callable[[str, Relation], int | None]
"""How deep a concept lies in a taxonomy of nouns or verbs; None where it is not in it."""

_ARTICLES = ("a ", "an ", "the ")
_MOST_REACHED = 200
"""Texts that are followed upward from one concept; beyond them a chain proves little."""

_ORDERINGS = {
    (False, False): "",
    (True, False): N_("entailment in this collection"),
    (False, True): N_("depth in WordNet"),
    (True, True): N_("entailment in this collection, then depth in WordNet"),
}
"""What concepts are ordered by: whether some are by entailment, whether some are by depth."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept that is said, or said not, to cover the instance."""

    text: str
    label: bool | None
    """Whether it does; None where nobody says."""
    origin: str
    """`file:line`."""


@dataclass(frozen=True, slots=True)
class Pyramid:
    """An instance in a head event, and what covers it there."""

    head: str
    start: int
    end: int
    """The instance is `head[start:end]`."""
    relation: Relation
    rungs: tuple[tuple[Concept, ...], ...]
    """From narrow to broad; nobody says which concept of a rung is the broader."""
    loose: tuple[Concept, ...]
    """Concepts without an order among each other and the rungs."""
    false: tuple[Concept, ...]
    """Concepts that do not cover it."""
    ordering: str
    """By what the rungs are ordered, in words; empty where nothing is."""

    @property
    def instance(self) -> str:
        """What is abstracted."""
        return self.head[self.start : self.end]

    @property
    def upward(self) -> tuple[tuple[int, Concept], ...]:
        """The concepts that hold, or of which nobody says, from below, with their rungs from 1.

        Those without a rung come last and have 0.
        """
        placed = [(number, c) for number, rung in enumerate(self.rungs, 1) for c in rung]
        return (*placed, *((0, concept) for concept in self.loose))


def key(text: str) -> str:
    """A text as it is told from others: without case, article and extra blanks."""
    words = " ".join(text.casefold().split())
    return words.partition(" ")[2] if words.startswith(_ARTICLES) else words


def pyramids(
    tuples: Sequence[AbstractTuple], entailments: Entailments, depths: Depths | None = None
) -> tuple[Pyramid, ...]:
    """One pyramid for each instance of a head event, in the order in which they occur.

    Args:
        tuples: of one head event; those with several concepts count as so many.
        entailments: what the collection says of concepts as instances.
        depths: of WordNet; None where there is none.
    """
    found: dict[tuple[int, int, Relation], dict[tuple[str, bool | None], Concept]] = {}
    for one in tuples:
        concepts = found.setdefault((one.start, one.end, one.relation), {})
        for text in one.concepts:
            concept = Concept(text, one.label, one.origin)
            concepts.setdefault((key(text), one.label), concept)
    return tuple(
        _pyramid(tuples[0].head, *place, _said_most(concepts), entailments, depths)
        for place, concepts in found.items()
    )


def _said_most(concepts: Mapping[tuple[str, bool | None], Concept]) -> Sequence[Concept]:
    """The concepts, but without a label none that has one too, as in generation data."""
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
    rungs = _rungs(held, above, related)
    loose = tuple(concept for place, concept in enumerate(held) if place not in related)
    return Pyramid(head, start, end, relation, rungs, loose, false, ordering)


def _order(
    held: Sequence[Concept],
    relation: Relation,
    entailments: Entailments,
    depths: Depths | None,
) -> tuple[dict[int, set[int]], str]:
    """The places above each place, and by what.

    Depth says nothing that entailment denies: where both together would make a circle, depth
    yields in all of it.
    """
    keys = [key(concept.text) for concept in held]
    reached = [_reached(text, entailments) for text in keys]
    depth = [depths(text, relation) if depths else None for text in keys]
    entailed: list[tuple[int, int]] = []
    deeper: list[tuple[int, int]] = []
    for one, other in combinations(range(len(held)), 2):
        up, down = keys[other] in reached[one], keys[one] in reached[other]
        if up:
            entailed.append((one, other))
        if down:
            entailed.append((other, one))
        if up or down:
            continue
        if (a := depth[one]) is not None and (b := depth[other]) is not None and a != b:
            deeper.append((one, other) if a > b else (other, one))
    kept = _outside_circles(entailed, deeper)
    above: dict[int, set[int]] = {}
    for low, upper in (*entailed, *kept):
        above.setdefault(low, set()).add(upper)
    return above, _ORDERINGS[bool(entailed), bool(kept)]


def _outside_circles(
    entailed: Sequence[tuple[int, int]], deeper: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The pairs by depth that lie on no circle of pairs of both kinds."""
    import networkx as nx

    order: nx.DiGraph[int] = nx.DiGraph((*entailed, *deeper))
    circle = {
        place: number
        for number, places in enumerate(nx.strongly_connected_components(order))
        for place in places
    }
    return [(low, up) for low, up in deeper if circle[low] != circle[up]]


def _reached(start: str, entailments: Entailments) -> set[str]:
    """Everything that a text is an instance of, by chains of any length."""
    found: set[str] = set()
    edge = [start]
    while edge and len(found) < _MOST_REACHED:
        text = edge.pop()
        for upper in entailments(text):
            if upper not in found:
                found.add(upper)
                edge.append(upper)
    return found


def _rungs(
    held: Sequence[Concept], above: Mapping[int, set[int]], related: set[int]
) -> tuple[tuple[Concept, ...], ...]:
    """Each concept on the lowest rung that is above all below it; those of a cycle share one."""
    import networkx as nx

    order: nx.DiGraph[int] = nx.DiGraph()
    order.add_nodes_from(sorted(related))
    order.add_edges_from((low, up) for low, ups in above.items() for up in sorted(ups))
    cycles = nx.condensation(order)
    rungs: list[tuple[Concept, ...]] = []
    for generation in nx.topological_generations(cycles):
        places = sorted(place for cycle in generation for place in cycles.nodes[cycle]["members"])
        rungs.append(tuple(held[place] for place in places))
    return tuple(rungs)
