"""Grows and cuts one tree, so that trees of several sizes have most templates in common.

More hops: the path is extended at its answer end by templates that its conclusion absorbs. More
distractors: templates are attached at variables that are no part of an extension. So the tree of a
cell is a part of those of all cells with more hops or more distractors. Fewer hops: the path is
cut, and what was attached beyond its new end is attached there. Fewer distractors: the last ones
are dropped.

Grown trees are not uniform draws of their cells (`sampler`): they have the shape of the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from core.benchmarks.accord.hashes import seed_of
from core.benchmarks.accord.trees.matrix import Growth, Matrix
from core.benchmarks.accord.trees.path import Pairing, Path, paths
from core.benchmarks.accord.trees.rules import Around, Half, Rule, mask
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Template, Tree


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree that was grown or cut from another one."""

    tree: Tree
    path: Path
    names: tuple[int, ...]
    """By variable: its name, which is the same in all trees grown from one, itself included.

    The answer variable is always named as in the first tree. Where the path goes on, the former
    one has a term like any other and a name of its own.
    """
    template_names: tuple[int, ...]
    """By template: its name, which is the same in all these trees."""


def grown(
    matrix: Matrix, rule: Rule, first: tuple[Tree, Path], hops: int, distractors: int, seed: int
) -> Grown | None:
    """The tree with this many hops and distractors that grows from the first one.

    Args:
        matrix: which templates a path absorbs.
        rule: which trees count; the first one follows it.
        first: a tree in canonical form and one of its paths.
        hops: at least 1.
        distractors: at least 0.
        seed: together with the first tree, it determines what is added.

    Returns:
        The tree, or None if the rule or the matrix allows none.
    """
    tree, path = first
    around, start = Around.of(matrix, rule), path.pairing.end
    spine = [tree.templates[index] for index in path.templates[:hops]]
    ends = list(path.variables[: hops + 1])
    rng = Random(seed_of("path", seed))
    for added in range(1, hops - path.hops + 1):
        half = _continuing(around, matrix.absorbed(spine[0].skill, start), spine[-1], ends[-1], rng)
        if half is None:
            return None
        # Even offsets for the path, odd ones for distractors: no variable is named twice.
        ends.append(tree.size + 2 * added)
        spine.append(_template(half, ends[-2], ends[-1]))
    twigs = _twigs(tree, path)
    whole = [*(tree.templates[index] for index in path.templates), *twigs]
    rng = Random(seed_of("distractors", seed))
    for added in range(1, distractors - len(twigs) + 1):
        whole.append(_attached(around, whole, tree.size + 2 * added - 1, rng))
        twigs.append(whole[-1])
    # In a canonical tree, and beyond it, this is the order of the templates.
    templates = sorted([*spine, *twigs[:distractors]], key=lambda t: max(t.source, t.target))
    pairing = Pairing(templates.index(spine[0]), start)
    template_names = tuple(max(t.source, t.target) for t in templates)
    cut = dict.fromkeys(path.variables[hops + 1 :], ends[-1])
    templates = [_renamed(template, cut) for template in templates]
    if not _follows(around, templates):
        return None
    names = dict(zip(ends[path.hops :], ends[path.hops + 1 :], strict=False))
    names[ends[-1]] = path.answer_variable
    grown_tree, number = _numbered(templates)
    candidates = paths(grown_tree, matrix, pairing)
    way = next(way for way in candidates if way.answer_variable == number[ends[-1]])
    return Grown(grown_tree, way, tuple(names.get(v, v) for v in number), template_names)


def _continuing(
    around: Around, absorbed: Iterable[Growth], last: Template, end: int, rng: Random
) -> Half | None:
    """The half of another template at the end of a path; None if none follows the rule there.

    It is supported by the last template of the path alone, so that it does not depend on
    distractors. Under the matrix of the paper every path can be continued in this way.
    """
    halves = [Half(growth.skill, growth.end) for growth in absorbed]
    options = [half for half in halves if _may_join(around, half, [last], end)]
    return rng.choice(options) if options else None


def _twigs(tree: Tree, path: Path) -> list[Template]:
    """The distractors of a tree, each after the one that it hangs on."""
    reached = set(path.variables)
    left = [tree.templates[index] for index in path.distractors(tree)]
    twigs: list[Template] = []
    while left:
        nearest = [t for t in left if t.source in reached or t.target in reached]
        twigs += nearest
        reached.update(variable for t in nearest for variable in (t.source, t.target))
        left = [template for template in left if template not in nearest]
    return twigs


def _attached(around: Around, templates: Sequence[Template], name: int, rng: Random) -> Template:
    """A template more between a variable of some templates and a new one.

    There always is one: where two templates reduce, a second one may stand beside either.
    """
    variables = {variable for t in templates for variable in (t.source, t.target)}
    variable, half = rng.choice(
        [
            (variable, half)
            for variable in sorted(variables)
            for half in around.halves
            if _may_join(around, half, templates, variable)
        ]
    )
    return _template(half, variable, name)


def _may_join(around: Around, half: Half, templates: Iterable[Template], variable: int) -> bool:
    """Whether a template more at a variable follows the rule beside these templates.

    Under both rules with a condition it does if it reduces with one of them; and what followed the
    rule before still does.
    """
    if around.rule is Rule.FREE:
        return True
    near = around.near[around.number[half]]
    return any(near >> beside & 1 for beside in _halves(around, templates, variable))


def _halves(around: Around, templates: Iterable[Template], variable: int) -> list[int]:
    return [
        around.number[Half(template.skill, template.end_of(variable))]
        for template in templates
        if variable in (template.source, template.target)
    ]


def _template(half: Half, near: int, far: int) -> Template:
    """The template that has this half at the variable `near`."""
    source, target = (near, far) if half.end is End.SOURCE else (far, near)
    return Template(source, half.skill, target)


def _renamed(template: Template, names: dict[int, int]) -> Template:
    """A template with other variables, where others are given."""
    source, target = (names.get(v, v) for v in (template.source, template.target))
    return Template(source, template.skill, target)


def _follows(around: Around, templates: Sequence[Template]) -> bool:
    """Whether a tree of these templates follows the rule."""
    if len(templates) == 1:
        return True
    met: set[int] = set()
    for variable in {variable for t in templates for variable in (t.source, t.target)}:
        halves = _halves(around, templates, variable)
        if not around.allowed(mask(halves), len(halves)):
            return False
        satisfied = around.met(mask(halves))
        joined = [i for i, t in enumerate(templates) if variable in (t.source, t.target)]
        met |= {i for i, half in zip(joined, halves, strict=True) if satisfied >> half & 1}
    return len(met) == len(templates)


def _numbered(templates: Sequence[Template]) -> tuple[Tree, dict[int, int]]:
    """The tree of some templates, and the numbers of their variables in it, by occurrence."""
    variables = dict.fromkeys(variable for t in templates for variable in (t.source, t.target))
    number = {variable: index for index, variable in enumerate(variables)}
    return Tree(tuple(_renamed(template, number) for template in templates)), number
