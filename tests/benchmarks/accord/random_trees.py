"""Trees and matrices for tests: drawn by hypothesis, and trees made by brute force."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import networkx as nx
from hypothesis import strategies as st

from core.benchmarks.accord.trees.matrix import Case, Matrix, MatrixError, Order, Reduction
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.skills import Skill, Skills
from core.benchmarks.accord.trees.tree import Template, Tree

SKILLS = tuple(Skills.shipped())


@st.composite
def any_tree(draw: st.DrawFn, most: int = 9) -> Tree:
    """A tree of 1 to `most` templates."""
    size = draw(st.integers(1, most))
    templates = []
    for variable in range(1, size + 1):
        other, skill = draw(st.integers(0, variable - 1)), draw(st.sampled_from(SKILLS))
        ends = (variable, other) if draw(st.booleans()) else (other, variable)
        templates.append(Template(ends[0], skill, ends[1]))
    return Tree(tuple(templates))


@st.composite
def renamed(draw: st.DrawFn, tree: Tree) -> tuple[Tree, list[int]]:
    """The tree with its variables renamed and its templates in another order, and the names."""
    names = draw(st.permutations(list(tree.variables)))
    templates = [Template(names[t.source], t.skill, names[t.target]) for t in tree.templates]
    return Tree(tuple(draw(st.permutations(templates)))), list(names)


def small_skills() -> Skills:
    return Skills({name: Skill(name, "{} {}", name.title()) for name in ("near", "in_it")})


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    """Any reductions over two skills; also such as no sensible matrix would hold."""
    skills, kept = small_skills(), []
    entry = st.builds(
        Reduction,
        st.sampled_from(list(skills)),
        st.sampled_from(list(skills)),
        st.sampled_from([case for case in Case if case]),
        st.sampled_from(list(skills)),
        st.sampled_from(Order),
    )
    for drawn in draw(st.lists(entry, min_size=1, max_size=8)):
        try:
            Matrix.of(skills, [*kept, drawn])
        except MatrixError:
            continue
        kept.append(drawn)
    if not kept:
        kept.append(Reduction("near", "near", Case.CHAIN, "near", Order.MAINTAIN))
    return Matrix.of(skills, kept)


def graph(tree: Tree) -> nx.DiGraph:
    """The tree as networkx has it; the skill is the label of an edge."""
    made = nx.DiGraph()
    made.add_edges_from((t.source, t.target, {"skill": t.skill}) for t in tree.templates)
    return made


def alike(one: nx.DiGraph, two: nx.DiGraph) -> bool:
    """Whether two trees are isomorphic; nodes that have a mark must keep it."""
    return bool(
        nx.is_isomorphic(
            one,
            two,
            node_match=lambda a, b: a.get("mark") == b.get("mark"),
            edge_match=lambda a, b: a["skill"] == b["skill"],
        )
    )


def brute_force(size: int) -> list[Tree]:
    """One tree of each class of isomorphic trees, by comparing all of them."""
    classes: dict[tuple[str, ...], list[tuple[Tree, nx.DiGraph]]] = {}
    for shape in nx.nonisomorphic_trees(size + 1):
        for skills in product(SKILLS, repeat=size):
            for turned in product((False, True), repeat=size):
                tree = Tree(
                    tuple(
                        Template(*((b, s, a) if turn else (a, s, b)))
                        for (a, b), s, turn in zip(shape.edges, skills, turned, strict=True)
                    )
                )
                found = classes.setdefault(tuple(sorted(skills)), [])
                drawn = graph(tree)
                if not any(alike(drawn, known) for _, known in found):
                    found.append((tree, drawn))
    return [tree for found in classes.values() for tree, _ in found]


def follows(tree: Tree, matrix: Matrix, rule: Rule) -> bool:
    """A rule taken literally."""
    templates = tree.templates
    if rule is Rule.FREE or len(templates) == 1:
        return True
    reduces = [[matrix.reduce(a, b) is not None for b in templates] for a in templates]
    if rule is Rule.COVER:
        return all(any(row) for row in reduces)
    return any(_grown(reduces, start) for start in range(len(templates)))


def _grown(reduces: list[list[bool]], start: int) -> bool:
    there = {start}
    while fresh := {
        i for i in range(len(reduces)) if i not in there and any(reduces[i][j] for j in there)
    }:
        there |= fresh
    return len(there) == len(reduces)


def folded(tree: Tree, matrix: Matrix, start: Template, pairing: int) -> Iterator[tuple[int, int]]:
    """Hops and answer variable of every stop of the left fold, taken literally.

    Any template that was not used may be reduced with the conclusion, as long as that keeps the
    skill and the pairing variable.
    """
    todo = [(start, frozenset({start}))]
    while todo:
        conclusion, used = todo.pop()
        yield len(used), conclusion.far(pairing)
        for template in tree.templates:
            reduced = None if template in used else matrix.reduce(conclusion, template)
            if reduced is None or reduced.template.skill != start.skill:
                continue
            if pairing in {reduced.template.source, reduced.template.target}:
                todo.append((reduced.template, used | {template}))
