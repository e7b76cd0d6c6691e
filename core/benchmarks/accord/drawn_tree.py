"""The tree that the switches of an item draw, and its terms.

The tree of the first cell (`FIRST_HOPS`, `FIRST_DISTRACTORS`) is a uniform draw. Those of other
cells grow from it and keep its terms, so that one more hop or distractor adds to the tree on screen
rather than drawing another. Where that is impossible, a uniform draw of the cell is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product
from typing import NamedTuple

from core.benchmarks.accord.grounding.grounder import Grounded
from core.benchmarks.accord.grounding.instance import Structure
from core.benchmarks.accord.grounding.measures import by_distance
from core.benchmarks.accord.grounding.search import BUDGET, POOL, Start
from core.benchmarks.accord.grounding.search_trace import Unsatisfied
from core.benchmarks.accord.grounding.surface import statement_order
from core.benchmarks.accord.hashes import seed_of
from core.benchmarks.accord.item import AccordItem
from core.benchmarks.accord.skill_names import size_in_words
from core.benchmarks.accord.trees.growth import grown
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.sampler import cell_size, sampled
from core.text.language import _

FIRST_HOPS, FIRST_DISTRACTORS = 2, 1
"""Size of the trees from which the others grow."""
_FACTUAL_BUDGET = 3_000
"""Candidates examined when facts are wanted. Most such searches fail only after a time too long
for a screen, and those that succeed need far fewer."""
_CACHED = 128
"""More trees than a bundled collection has items: each layer asks about all items in turn."""


@dataclass(frozen=True, slots=True)
class WantedTree:
    """What the switches say about the tree of an item."""

    pairing: int
    """Index of the pairing template."""
    hops: int
    distractors: int
    number: int
    """Number of the draw."""
    rule: Rule
    near: bool = False
    """Whether terms near their neighbours are preferred."""
    redraws: tuple[tuple[int, int], ...] = ()
    """Names of variables, and how many times the term of each was redrawn."""
    factual: frozenset[int] = frozenset()
    """Names of the variables to ground with facts."""


@dataclass(frozen=True, slots=True)
class DrawnTree:
    """A tree with its terms. Variables have names, which they keep in smaller and larger trees."""

    structure: Structure
    grounded: Grounded | Unsatisfied
    """The result of grounding it; traces have the names of variables."""
    names: tuple[int, ...] = ()
    """By variable; empty if each is named by its number."""
    order: tuple[tuple[str, int], ...] = ()
    """The answer choice and the template of each statement, in the order that they have in the
    trees from which it grew; empty if it did not grow."""
    remark: str = ""
    """Why the tree does not grow from the first one, in a sentence; empty if it does."""

    def name(self, variable: int) -> int:
        """The name of a variable."""
        return self.names[variable] if self.names else variable

    def added(self, variable: int) -> bool:
        """Whether the first tree does not have this variable."""
        return self.name(variable) > FIRST_HOPS + FIRST_DISTRACTORS and bool(self.names)


# Views, prompts and every task layer need the same tree.
@lru_cache(maxsize=_CACHED)
def drawn_tree(item: AccordItem, wanted: WantedTree) -> DrawnTree:
    """The tree that is drawn; raises `SettingError` for an empty cell."""
    if _before(wanted) is None:
        return _uniform(item, wanted)
    shape, size = _grown(item, _unground(wanted)), size_in_words(wanted.hops, wanted.distractors)
    first = size_in_words(FIRST_HOPS, FIRST_DISTRACTORS)
    if shape is None:
        remark = _("No tree of {size} keeps that of {first}, so another one is drawn.")
        return _uniform(item, wanted, remark.format(size=size, first=first))
    # Not what is wanted of the terms decides about the tree.
    if isinstance(_grounded(item, _unground(wanted)), Unsatisfied):
        remark = _("No terms fit the tree of {first} once it has {size}, so another one is drawn.")
        return _uniform(item, wanted, remark.format(size=size, first=first))
    number = {name: index for index, name in enumerate(shape.template_names)}
    order = tuple((label, number[name]) for label, name in _order(item, wanted))
    return DrawnTree(shape.structure, _grounded(item, wanted), shape.names, order)


def _unground(wanted: WantedTree) -> WantedTree:
    """What is wanted of the tree, without what is wanted of its terms."""
    return replace(wanted, near=False, redraws=(), factual=frozenset())


def _before(wanted: WantedTree) -> WantedTree | None:
    """The tree whose terms are kept, one step nearer to the first one; None for that one."""
    if wanted.distractors > FIRST_DISTRACTORS:
        return replace(wanted, distractors=wanted.distractors - 1)
    if wanted.distractors < FIRST_DISTRACTORS:
        return replace(wanted, distractors=wanted.distractors + 1)
    if wanted.hops > FIRST_HOPS:
        return replace(wanted, hops=wanted.hops - 1)
    return replace(wanted, hops=wanted.hops + 1) if wanted.hops < FIRST_HOPS else None


def _uniform(item: AccordItem, wanted: WantedTree, remark: str = "") -> DrawnTree:
    structure = _drawn(item, _unground(wanted))
    names = tuple(structure.tree.variables)
    return DrawnTree(structure, _with_terms(item, wanted, structure, names), remark=remark)


@lru_cache(maxsize=_CACHED)
def _drawn(item: AccordItem, wanted: WantedTree) -> Structure:
    """A uniform draw of the cell."""
    template = item.question.pairings[wanted.pairing]
    seed = seed_of(item.question.id, template.skill, template.end, template.term)
    kind = (item.grounds.matrix, template.skill, template.end)
    cell = (*kind, wanted.hops, wanted.distractors)
    # The draws of a small cell repeat in a cycle.
    index = wanted.number % max(1, cell_size(*cell, wanted.rule))
    tree, path = next(islice(sampled(*cell, seed, wanted.rule), index, None))
    return Structure(item.question, template, tree, path)


def _first(item: AccordItem, wanted: WantedTree) -> Structure:
    cell = replace(_unground(wanted), hops=FIRST_HOPS, distractors=FIRST_DISTRACTORS)
    return _drawn(item, cell)


class _Shape(NamedTuple):
    """A tree that grew, and the names of its variables and templates."""

    structure: Structure
    names: tuple[int, ...]
    template_names: tuple[int, ...]


@lru_cache(maxsize=_CACHED)
def _grown(item: AccordItem, wanted: WantedTree) -> _Shape | None:
    """The tree that grows from the first one; None if the rule or the matrix allows none."""
    first = _first(item, wanted)
    if _before(wanted) is None:
        return _Shape(first, tuple(first.tree.variables), tuple(range(1, first.tree.size + 1)))
    shape = grown(
        item.grounds.matrix,
        wanted.rule,
        (first.tree, first.path),
        wanted.hops,
        wanted.distractors,
        seed_of(item.question.id, first.id),
    )
    if shape is None:
        return None
    structure = Structure(item.question, first.pairing, shape.tree, shape.path)
    return _Shape(structure, shape.names, shape.template_names)


@lru_cache(maxsize=_CACHED)
def _grounded(item: AccordItem, wanted: WantedTree) -> Grounded | Unsatisfied:
    """The tree that grows from the first one, with as many terms of the one before as possible.

    `wanted` is a cell that has such a tree.
    """
    shape, before = _grown(item, _unground(wanted)), _before(wanted)
    assert shape is not None
    if before is None:
        return _with_terms(item, wanted, shape.structure, shape.names)
    inner = _inner(shape.structure, shape.names)
    kept = tuple(
        {inner[name]: term for name, term in terms.items() if name in inner}
        for terms in _terms(item, replace(before, factual=frozenset()))
    )
    start = Start(_first(item, wanted).id, shape.names, kept)
    return _with_terms(item, wanted, shape.structure, shape.names, start)


def _terms(item: AccordItem, wanted: WantedTree) -> tuple[dict[int, str], ...]:
    """By answer choice: the terms of a tree to keep, by name of the variable.

    Where the tree has no terms, those of the one before it.
    """
    before, shape = _before(wanted), _grown(item, _unground(wanted))
    grounded = None if shape is None else _grounded(item, wanted)
    if shape is None or not isinstance(grounded, Grounded):
        return () if before is None else _terms(item, before)
    inner = _inner(shape.structure, shape.names)
    return tuple(
        {name: terms[variable] for name, variable in inner.items()}
        for terms in grounded.instance.copies
    )


@lru_cache(maxsize=_CACHED)
def _order(item: AccordItem, wanted: WantedTree) -> tuple[tuple[str, int], ...]:
    """The answer choice and the name of the template of each statement, in the order kept.

    That of the first tree, with each added statement at a random place.
    """
    before, shape = _before(wanted), _grown(item, _unground(wanted))
    if before is None:
        grounded = _grounded(item, replace(wanted, factual=frozenset()))
        if isinstance(grounded, Grounded):
            return tuple((label, i + 1) for label, i in statement_order(grounded.instance))
    order = [] if before is None else list(_order(item, before))
    if shape is None:
        return tuple(order)
    order = [(label, name) for label, name in order if name in shape.template_names]
    for label, name in product(item.question.labels, shape.template_names):
        if (label, name) not in order:
            place = seed_of("place", _first(item, wanted).id, label, name) % (len(order) + 1)
            order.insert(place, (label, name))
    return tuple(order)


def _inner(structure: Structure, names: tuple[int, ...]) -> dict[int, int]:
    """By name: the variables that are grounded by the knowledge base."""
    ends = {structure.path.pairing_variable, structure.path.answer_variable}
    return {name: variable for variable, name in enumerate(names) if variable not in ends}


def _with_terms(
    item: AccordItem,
    wanted: WantedTree,
    structure: Structure,
    names: tuple[int, ...],
    start: Start | None = None,
) -> Grounded | Unsatisfied:
    inner = _inner(structure, names)
    factual = frozenset(inner[name] for name in wanted.factual if name in inner)
    # Redraws of variables that the present tree lacks are kept for other trees.
    redraws = {inner[name]: times for name, times in wanted.redraws if name in inner}
    grounder = replace(
        item.grounds.grounder,
        pool=POOL if wanted.near else 1,
        budget=_FACTUAL_BUDGET if factual else BUDGET,
    )
    result = grounder.ground(
        structure,
        factual=factual,
        redraws=redraws,
        measure=by_distance(item.grounds.knowledge) if wanted.near else None,
        start=start,
    )
    if isinstance(result, Unsatisfied):
        return replace(result, variable=names[result.variable])
    traces = (replace(trace, variable=names[trace.variable]) for trace in result.traces)
    return replace(result, traces=tuple(traces))
