"""Samples trees uniformly from a seed, without constructing the others.

A cell is a kind of pairing with a number of hops and a number of distractors. Its structures are
the trees with such a path, up to renaming variables. All structures of a cell are equally likely.
A structure is a path with distractors attached to its variables. The two ends of a path differ, so
there is no symmetry, and the number of structures is a sum of products along the path.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache, lru_cache
from random import Random
from typing import TypeAlias, TypeVar

from core.benchmarks.accord.hashes import seed_of
from core.benchmarks.accord.trees.branches import Drawing
from core.benchmarks.accord.trees.census import Census
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import Pairing, Path, paths
from core.benchmarks.accord.trees.rules import Half, Rule
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Branch, Template, Tree, canonical_names, hang
from core.text.errors import SettingError
from core.text.language import _

MOST_TEMPLATES = 20
"""Largest trees that are drawn."""

_Drawn = TypeVar("_Drawn")
_Option: TypeAlias = "tuple[int, int, tuple[bool, ...]]"
"""At a variable of a path: the half by which the path continues (-1 at its end), the number of
distractors attached there, and which halves of the path are met there."""


def sampled(
    matrix: Matrix,
    skill: str,
    end: End,
    hops: int,
    distractors: int,
    seed: int,
    rule: Rule = Rule.FREE,
) -> Iterator[tuple[Tree, Path]]:
    """Distinct structures of a cell in an order drawn from a seed, until there are no more.

    Each is a tree in canonical form and one of its paths: from a template with this skill, the
    pairing variable at `end`, with this many hops and distractors. Memory grows by a few words per
    structure. The last structures of a large cell take many draws.

    Raises:
        SettingError: for less than one hop, a negative number of distractors, more than
            `MOST_TEMPLATES` templates, or an empty cell.
        SkillError: for an unknown skill.
    """
    cell = _cell(matrix, rule, skill, end)
    number = cell_size(matrix, skill, end, hops, distractors, rule)
    if number == 0:
        raise SettingError(
            _(
                "Under the rule {rule}, no tree has a path of {hops} hops from {skill} "
                "({end}) with {distractors} distractors.",
                rule=rule.value,
                hops=hops,
                skill=skill,
                end=end.value,
                distractors=distractors,
            ),
            hint=_("Take fewer hops, or a matrix with more reductions."),
        )
    rng = Random(seed_of(seed, rule, skill, end, hops, distractors))
    drawing = Drawing(_census(matrix, rule), rng)

    def draw() -> tuple[Tree, Path]:
        return cell.drawn(drawing, hops, distractors)

    def key(drawn: tuple[Tree, Path]) -> Hashable:
        # In a canonical tree equal branches are ordered, and the path takes the first of them.
        tree, path = drawn
        return tree.templates, path.pairing, path.answer_variable

    return _different(draw, key, number)


def cell_size(
    matrix: Matrix, skill: str, end: End, hops: int, distractors: int, rule: Rule = Rule.FREE
) -> int:
    """The number of structures of a cell; raises as `sampled`, but allows an empty cell."""
    if hops < 1 or distractors < 0:
        raise SettingError(
            _(
                "There are no paths of {hops} hops with {distractors} distractors.",
                hops=hops,
                distractors=distractors,
            ),
            hint=_("A path has at least one hop, and zero or more distractors."),
        )
    _check(hops + distractors)
    return _cell(matrix, rule, skill, end).count(hops, distractors)


def sampled_trees(matrix: Matrix, size: int, seed: int, rule: Rule = Rule.FREE) -> Iterator[Tree]:
    """Distinct trees of a size, uniformly, in an order drawn from a seed, until there are no more.

    They are in canonical form. Raises `SettingError` for a size below 1 or above
    `MOST_TEMPLATES`.
    """
    if size < 1:
        raise SettingError(_("There are no trees of {size} templates.", size=size), where="size")
    _check(size)
    drawing = Drawing(_census(matrix, rule), Random(seed_of(seed, rule, size)))
    number = drawing.census.tree_count(size)
    return _different(lambda: drawing.tree(size), lambda tree: tree.templates, number)


def _different(
    draw: Callable[[], _Drawn], key: Callable[[_Drawn], Hashable], number: int
) -> Iterator[_Drawn]:
    seen: set[Hashable] = set()
    while len(seen) < number:
        drawn = draw()
        known = key(drawn)
        if known not in seen:
            seen.add(known)
            yield drawn


def _check(size: int) -> None:
    if size > MOST_TEMPLATES:
        raise SettingError(
            _("Trees of {size} templates are not drawn.", size=size),
            hint=_("Hops and distractors are at most {most} together.", most=MOST_TEMPLATES),
        )


@lru_cache(maxsize=8)
def _census(matrix: Matrix, rule: Rule) -> Census:
    return Census(matrix, rule)


@lru_cache(maxsize=64)
def _cell(matrix: Matrix, rule: Rule, skill: str, end: End) -> _Cells:
    return _Cells(matrix, rule, skill, end)


class _Cells:
    """The cells of one kind of pairing."""

    def __init__(self, matrix: Matrix, rule: Rule, skill: str, end: End) -> None:
        self._matrix = matrix
        self._census = _census(matrix, rule)
        self._around = self._census.around
        absorbed = matrix.absorbed(skill, end)
        self._absorbed = [self._around.number[Half(g.skill, g.end)] for g in absorbed]
        self._start = self._around.number[Half(skill, end)]
        self._end = end
        self._rest = cache(self._count_rest)

    def count(self, hops: int, distractors: int) -> int:
        return sum(number for _, number in self._first(hops, distractors))

    def drawn(self, drawing: Drawing, hops: int, distractors: int) -> tuple[Tree, Path]:
        """A structure, in canonical form."""
        size, left = hops + distractors, distractors
        option = drawing.chosen(self._first(hops, left))
        path = [self._start]
        branches: list[list[Branch]] = []
        outer: tuple[int, ...] = (self._start,)
        while True:
            half, share, met = option
            branches.append(drawing.surroundings(outer, share, share, met))
            left -= share
            if len(branches) > hops:
                break
            if half >= 0:
                path.append(half)
            entry = self._around.across(path[-1])
            pending = size > 1 and not met[-1]
            option = drawing.chosen(self._next(entry, pending, hops - len(path), left))
            outer = (entry,) if option[0] < 0 else (entry, option[0])
        return self._built(path, branches)

    def _first(self, hops: int, left: int) -> Iterator[tuple[_Option, int]]:
        """The options at the pairing variable, each with its number of structures."""
        entry, more = self._around.across(self._start), hops + left > 1
        for share in range(left + 1):
            states = self._census.surroundings((self._start,), share, share)
            for met, number in states.items():
                pending = more and not met[0]
                rest = self._rest(entry, pending, hops - 1, left - share)
                yield (-1, share, met), number * rest

    def _next(
        self, entry: int, pending: bool, hops: int, left: int
    ) -> Iterator[tuple[_Option, int]]:
        """The options at a later variable, which the path enters by the half `entry`.

        `pending`: the template that leads here was not met at its other end, so it must be met
        here. `hops` and `left` are the hops and distractors still to be placed.
        """
        if hops == 0:
            for met, number in self._census.surroundings((entry,), left, left).items():
                if met[0] or not pending:
                    yield (-1, left, met), number
            return
        for half in self._absorbed:
            for share in range(left + 1):
                states = self._census.surroundings((entry, half), share, share)
                for met, number in states.items():
                    if met[0] or not pending:
                        far = self._around.across(half)
                        rest = self._rest(far, not met[1], hops - 1, left - share)
                        yield (half, share, met), number * rest

    def _count_rest(self, entry: int, pending: bool, hops: int, left: int) -> int:
        return sum(number for _, number in self._next(entry, pending, hops, left))

    def _built(self, path: list[int], branches: list[list[Branch]]) -> tuple[Tree, Path]:
        templates: list[Template] = []
        for position, number in enumerate(path):
            skill, end = self._around.halves[number]
            source, target = (
                (position, position + 1) if end is End.SOURCE else (position + 1, position)
            )
            templates.append(Template(source, skill, target))
        for variable, parts in enumerate(branches):
            for part in parts:
                hang(part, variable, templates)
        tree, names = canonical_names(Tree.trusted(tuple(templates)))
        first = templates[0]
        paired = Template(names[first.source], first.skill, names[first.target])
        pairing = Pairing(tree.templates.index(paired), self._end)
        answer = names[len(path)]
        candidates = paths(tree, self._matrix, pairing)
        return tree, next(path for path in candidates if path.answer_variable == answer)
