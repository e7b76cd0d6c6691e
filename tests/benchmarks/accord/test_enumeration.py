"""Every unique tree, exactly once."""

from __future__ import annotations

import tracemalloc
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings

from core.benchmarks.accord.trees.enumeration import MOST_TEMPLATES, trees
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.skills import Skills
from core.benchmarks.accord.trees.tree import Tree, canonical_id, canonical_names
from core.text.errors import SettingError
from tests.benchmarks.accord.random_trees import any_tree, brute_force, follows

MATRIX = Matrix.shipped()
NUMBERS = {
    Rule.FREE: [6, 78, 1_228, 23_037],
    Rule.COVER: [6, 17, 113, 1_593, 18_624],
    Rule.GROW: [6, 17, 113, 785, 6_142],
}


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_same_trees_as_by_pairwise_comparison(size: int) -> None:
    compared = brute_force(size)
    for rule in Rule:
        expected = {canonical_names(tree)[0] for tree in compared if follows(tree, MATRIX, rule)}
        found = list(trees(size, MATRIX, rule))
        assert set(found) == expected
        assert len(found) == len(expected)


@pytest.mark.parametrize("rule", Rule)
def test_counts_with_the_papers_six_skills(rule: Rule) -> None:
    found = [sum(1 for _ in trees(size, MATRIX, rule)) for size in range(1, 1 + len(NUMBERS[rule]))]
    assert found == NUMBERS[rule]


@pytest.mark.parametrize("rule", [Rule.COVER, Rule.GROW])
def test_rules_are_conditions_on_free_trees(rule: Rule) -> None:
    expected = {tree for tree in trees(4, MATRIX) if follows(tree, MATRIX, rule)}
    assert set(trees(4, MATRIX, rule)) == expected


@pytest.mark.parametrize("rule", Rule)
def test_trees_are_canonical_and_have_unique_ids(rule: Rule) -> None:
    found = list(trees(4, MATRIX, rule))
    assert all(canonical_names(Tree(tree.templates))[0] == tree for tree in found)
    assert len({canonical_id(tree) for tree in found}) == len(found)


@settings(max_examples=30)
@given(any_tree(3))
def test_every_tree_is_enumerated(tree: Tree) -> None:
    assert canonical_names(tree)[0] in set(trees(tree.size, MATRIX))


def test_trees_are_yielded_lazily() -> None:
    tracemalloc.start()
    try:
        number = sum(1 for _ in islice(trees(6, MATRIX), 60_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert number == 60_000
    assert peak < 5e6


def test_other_skills_and_reductions(tmp_path: Path) -> None:
    skills, reductions = tmp_path / "skills.yaml", tmp_path / "reductions.csv"
    skills.write_text("near: {description: Where, surface: '{} {}', concept_net: AtLocation}\n")
    header = "relation1,relation2,case,reduction_type,reduction_order\n"
    reductions.write_text(f"{header}near,near,1,near,MAINTAIN\n")
    matrix = Matrix.read(reductions, Skills.read(skills))
    # Oriented trees: OEIS A000238.
    assert [sum(1 for _ in trees(size, matrix)) for size in range(1, 7)] == [1, 3, 8, 27, 91, 350]
    grown = list(trees(3, matrix, Rule.GROW))
    assert len(grown) == len({t for t in trees(3, matrix) if follows(t, matrix, Rule.GROW)})


@pytest.mark.parametrize("size", [0, -1, MOST_TEMPLATES + 1])
def test_sizes_out_of_range_are_not_enumerated(size: int) -> None:
    with pytest.raises(SettingError, match="sizes are 1 to"):
        trees(size, MATRIX)


def test_too_many_branches_are_refused() -> None:
    assert next(trees(8, MATRIX)).size == 8
    with pytest.raises(SettingError, match="branches are too many"):
        trees(9, MATRIX)
    assert next(trees(9, MATRIX, Rule.GROW)).size == 9
