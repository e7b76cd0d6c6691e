"""Reasoning trees: templates joined at their variables, without a cycle.

ACCORD (Roewer-Després et al., 2024), section 3.1. Two trees are the same if they differ only in
the names of variables and the order of templates. The canonical form numbers variables from the
tree's centroid outwards, with children in a fixed order. So isomorphism is equality of canonical
forms, and trees never have to be compared in pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, TypeAlias

import msgspec

from core.benchmarks.accord.trees.skills import End
from core.text.errors import DataError

ID_DIGITS = 16
"""Hexadecimal digits of a tree's id: 64 bits of SHA-256."""
MOST_TEMPLATES = 200
"""Most templates of a tree."""

Branch: TypeAlias = "tuple[int, str, End, tuple[Branch, ...]]"
"""A template and the subtree behind it, seen from one end: the number of templates, the skill, the
near end, and the branches at the far variable in ascending order. Branches are ordered as tuples,
so their order does not depend on variable names."""


class TreeError(DataError):
    """Templates that do not form a tree."""


class Template(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A directed statement between two variables."""

    source: int
    skill: str
    target: int

    def at(self, end: End) -> int:
        """The variable at an end."""
        return self.source if end is End.SOURCE else self.target

    def end_of(self, variable: int) -> End:
        """The end of a variable; raises `TreeError` if the template does not have it."""
        if variable == self.source:
            return End.SOURCE
        if variable == self.target:
            return End.TARGET
        raise TreeError(f"V{variable} is at neither end of {self}.")

    def far(self, variable: int) -> int:
        """The variable at the other end; raises `TreeError` as `end_of` does."""
        return self.at(self.end_of(variable).other)

    def __str__(self) -> str:
        return f"{self.skill}(V{self.source}, V{self.target})"


@dataclass(frozen=True, slots=True)
class Tree:
    """Templates that connect the variables 0..size without a cycle.

    Raises `TreeError` for anything else.
    """

    templates: tuple[Template, ...]

    def __post_init__(self) -> None:
        _check(self.templates)

    @property
    def size(self) -> int:
        """Number of templates."""
        return len(self.templates)

    @property
    def variables(self) -> range:
        """0..size."""
        return range(self.size + 1)

    def incident(self) -> list[list[int]]:
        """By variable: indices of the templates that it is an end of."""
        by_variable: list[list[int]] = [[] for _ in self.variables]
        for index, template in enumerate(self.templates):
            by_variable[template.source].append(index)
            by_variable[template.target].append(index)
        return by_variable

    @staticmethod
    def trusted(templates: tuple[Template, ...]) -> Tree:
        """A tree of templates that are known to form one, without checks."""
        tree = object.__new__(Tree)
        object.__setattr__(tree, "templates", templates)
        return tree


def canonical_names(tree: Tree) -> tuple[Tree, tuple[int, ...]]:
    """The canonical form, and the new name of each variable."""
    root = _root(tree)
    names = [0] * (tree.size + 1)
    templates: list[Template] = []
    for node in _nodes(tree, root, None, tree.incident()):
        _name(node, names, len(templates) + 1)
        templates += templates_of(node.branch, len(templates))
    return Tree.trusted(tuple(templates)), tuple(names)


def templates_of(branch: Branch, before: int) -> tuple[Template, ...]:
    """The templates of a branch at the root (V0) of a tree, after `before` other templates."""
    templates: list[Template] = []
    hang(branch, 0, templates, before)
    return tuple(templates)


def composed(branches: Sequence[Branch]) -> Tree:
    """The tree with these branches at its root, in the order given."""
    templates: list[Template] = []
    for branch in branches:
        hang(branch, 0, templates)
    return Tree.trusted(tuple(templates))


def hang(branch: Branch, variable: int, templates: list[Template], before: int = 0) -> None:
    """Add a branch at a variable of a tree: `before` templates, then those of the list."""
    _, skill, end, beyond = branch
    far = before + len(templates) + 1
    source, target = (variable, far) if end is End.SOURCE else (far, variable)
    templates.append(Template(source, skill, target))
    for part in beyond:
        hang(part, far, templates, before)


def canonical_id(tree: Tree) -> str:
    """The id of a tree that is already in canonical form."""
    return id_of(map(word, tree.templates))


def word(template: Template) -> str:
    """The part of a tree's id that a template contributes."""
    return f"{template.source},{template.skill},{template.target}"


def id_of(words: Iterable[str]) -> str:
    """The id of a tree in canonical form whose templates contribute these words."""
    return sha256(" ".join(words).encode()).hexdigest()[:ID_DIGITS]


def _check(templates: Sequence[Template]) -> None:
    if not 1 <= len(templates) <= MOST_TEMPLATES:
        raise TreeError(f"A tree has 1 to {MOST_TEMPLATES} templates, not {len(templates)}.")
    known = range(len(templates) + 1)
    group = list(known)

    def leader(variable: int) -> int:
        while group[variable] != variable:
            group[variable] = variable = group[group[variable]]
        return variable

    for template in templates:
        if template.source not in known or template.target not in known:
            raise TreeError(
                f"{template} names a variable beyond V{known[-1]}.",
                hint=f"{len(templates)} templates join the variables V0 to V{known[-1]}.",
            )
        first, second = leader(template.source), leader(template.target)
        if first == second:
            raise TreeError(f"{template} closes a cycle.", hint="A reasoning tree has none.")
        group[first] = second


def _root(tree: Tree) -> int:
    """The centroid; of two, the one at the source of the template between them."""
    # Parents precede children in this order, so subtree sizes can be summed in reverse.
    incident = tree.incident()
    order, parent = [0], {0: 0}
    for variable in order:
        for index in incident[variable]:
            far = tree.templates[index].far(variable)
            if far not in parent:
                parent[far] = variable
                order.append(far)
    size = [1] * len(order)
    largest = [0] * len(order)
    for variable in reversed(order):
        if variable:
            above = parent[variable]
            size[above] += size[variable]
            largest[above] = max(largest[above], size[variable])
        largest[variable] = max(largest[variable], len(order) - size[variable])
    best = min(largest)
    centroids = [variable for variable in order if largest[variable] == best]
    if len(centroids) == 1:
        return centroids[0]
    return next(t.source for t in tree.templates if {t.source, t.target} == set(centroids))


class _Node(NamedTuple):
    branch: Branch
    variable: int
    beyond: tuple[_Node, ...]


def _nodes(
    tree: Tree, variable: int, previous: int | None, incident: Sequence[Sequence[int]]
) -> tuple[_Node, ...]:
    """The branches at a variable in ascending order, without template `previous`."""
    nodes = []
    for index in incident[variable]:
        if index != previous:
            template = tree.templates[index]
            end = template.end_of(variable)
            far = template.at(end.other)
            beyond = _nodes(tree, far, index, incident)
            size = 1 + sum(node.branch[0] for node in beyond)
            branches = tuple(node.branch for node in beyond)
            nodes.append(_Node((size, template.skill, end, branches), far, beyond))
    return tuple(sorted(nodes, key=lambda node: node.branch))


def _name(node: _Node, names: list[int], first: int) -> int:
    """Number the variables of a branch from `first`, as `templates_of` does; the next number."""
    names[node.variable] = first
    first += 1
    for part in node.beyond:
        first = _name(part, names, first)
    return first
