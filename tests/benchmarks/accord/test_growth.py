"""Grown trees: members of their cell that contain each other."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.trees.enumeration import trees
from core.benchmarks.accord.trees.growth import Grown, grown
from core.benchmarks.accord.trees.matrix import Case, Matrix, Order, Reduction
from core.benchmarks.accord.trees.path import Path, kinds
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.sampler import cell_size, sampled
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Tree, canonical_names
from tests.benchmarks.accord.random_trees import follows

MATRIX = Matrix.shipped()
HOPS, DISTRACTORS = 2, 1

firsts = st.tuples(st.sampled_from(Rule), st.sampled_from(kinds(MATRIX)), st.integers(0, 30))


@cache
def enumerated(size: int, rule: Rule) -> frozenset[object]:
    return frozenset(tree.templates for tree in trees(size, MATRIX, rule))


@cache
def first(rule: Rule, kind: tuple[str, End], number: int) -> tuple[Tree, Path]:
    cell = (MATRIX, *kind, HOPS, DISTRACTORS)
    return next(islice(sampled(*cell, 0, rule), number % cell_size(*cell, rule), None))


def growth(
    start: tuple[Rule, tuple[str, End], int], hops: int, distractors: int, seed: int = 0
) -> Grown | None:
    return grown(MATRIX, start[0], first(*start), hops, distractors, seed)


def named(there: Grown) -> set[tuple[object, ...]]:
    """The templates, with the names of their variables."""
    names = there.names
    return {(names[t.source], t.skill, names[t.target]) for t in there.tree.templates}


def inside(small: Grown, large: Grown) -> bool:
    """Whether a tree is a part of another one, its answer variable where the path goes on."""
    end = large.names[large.path.variables[small.path.hops]]
    answer = small.names[small.path.answer_variable]
    moved = {
        tuple(end if part == answer and isinstance(part, int) else part for part in template)
        for template in named(small)
    }
    return moved < named(large)


@given(firsts, st.integers(1, 4), st.integers(0, 3), st.integers(0, 5))
@settings(max_examples=150, deadline=None)
def test_a_grown_tree_is_in_the_enumeration_of_its_cell(
    start: tuple[Rule, tuple[str, End], int], hops: int, distractors: int, seed: int
) -> None:
    rule, (skill, end), _number = start
    made = growth(start, hops, distractors, seed)
    assume(made is not None)
    assert made is not None
    assert (made.path.hops, made.tree.size) == (hops, hops + distractors)
    paired = made.tree.templates[made.path.pairing.template]
    assert (paired.skill, made.path.pairing.end) == (skill, end)
    assert len(set(made.names)) == len(made.names)
    if made.tree.size <= 3:
        assert canonical_names(made.tree)[0].templates in enumerated(made.tree.size, rule)
    else:
        assert follows(made.tree, MATRIX, rule)


@given(firsts, st.integers(2, 8), st.integers(0, 8))
@settings(max_examples=100, deadline=None)
def test_a_tree_is_inside_those_with_one_more_hop_or_distractor(
    start: tuple[Rule, tuple[str, End], int], hops: int, distractors: int
) -> None:
    here = growth(start, hops, distractors)
    longer, noisier = growth(start, hops + 1, distractors), growth(start, hops, distractors + 1)
    # Under the matrix of the paper, every tree can grow, whatever the rule.
    assert here is not None
    assert longer is not None
    assert noisier is not None
    assert inside(here, longer)
    assert named(here) < named(noisier)


@given(firsts)
def test_the_size_of_the_first_tree_gives_the_first_tree(
    start: tuple[Rule, tuple[str, End], int],
) -> None:
    made = growth(start, HOPS, DISTRACTORS)
    tree, path = first(*start)
    assert made is not None
    assert named(made) == {(t.source, t.skill, t.target) for t in tree.templates}
    assert made.names[made.path.answer_variable] == path.answer_variable


@given(firsts, st.integers(0, 4))
@settings(deadline=None)
def test_a_cut_path_keeps_its_first_templates_and_every_distractor(
    start: tuple[Rule, tuple[str, End], int], distractors: int
) -> None:
    short, whole = growth(start, 1, distractors), growth(start, HOPS, distractors)
    assert whole is not None
    if short is None:
        # What a distractor reduces with was cut off.
        assert start[0] is not Rule.FREE
        assert distractors
        return
    path, tree = whole.path, whole.tree
    skills = sorted(tree.templates[i].skill for i in path.distractors(tree))
    assert skills == sorted(
        short.tree.templates[i].skill for i in short.path.distractors(short.tree)
    )
    assert short.names[short.path.pairing_variable] == whole.names[path.pairing_variable]
    assert short.names[short.path.answer_variable] == whole.names[path.answer_variable]


def test_a_path_does_not_grow_where_the_rule_has_no_template_for_its_end() -> None:
    """Spatial absorbs part_of, but no two of part_of reduce."""
    only = Matrix.of(
        MATRIX.skills, [Reduction("spatial", "part_of", Case.CHAIN, "spatial", Order.MAINTAIN)]
    )
    kind = ("spatial", End.SOURCE)
    start = next(sampled(only, *kind, 2, 0, 0, Rule.COVER))
    assert grown(only, Rule.COVER, start, 3, 0, 0) is None
    loose = grown(only, Rule.FREE, start, 3, 0, 0)
    assert loose is not None
    assert loose.path.hops == 3


@pytest.mark.parametrize("rule", Rule)
def test_the_seed_determines_what_is_added(rule: Rule) -> None:
    start = (rule, ("spatial", End.SOURCE), 3)
    made = [growth(start, 4, 4, seed) for seed in range(20)]
    assert made == [growth(start, 4, 4, seed) for seed in range(20)]
    assert len({one.tree.templates for one in made if one is not None}) > 10
