"""Drawn trees: in their cell, each structure once, each with the same chance, same by seed."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path as FilePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.trees.census import Census
from core.benchmarks.accord.trees.enumeration import trees
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import Pairing, Path, kinds, paths
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.sampler import MOST_TEMPLATES, cell_size, sampled, sampled_trees
from core.benchmarks.accord.trees.skills import End, SkillError
from core.benchmarks.accord.trees.tree import Tree, canonical_id, canonical_names
from core.text.errors import SettingError
from tests.benchmarks.accord.random_trees import alike, follows, graph, matrices

MATRIX = Matrix.shipped()
ROOT = FilePath(__file__).parents[3]


def structures(matrix: Matrix, rule: Rule, skill: str, end: End, size: int) -> dict[int, int]:
    """How many structures there are by hops, from comparing all paths of every tree."""
    found: Counter[int] = Counter()
    for tree in trees(size, matrix, rule):
        seen: list[tuple[int, object]] = []
        for index, template in enumerate(tree.templates):
            if template.skill != skill:
                continue
            for path in paths(tree, matrix, Pairing(index, end)):
                marked = graph(tree)
                for place, variable in enumerate(path.variables):
                    marked.nodes[variable]["mark"] = place
                known = (other for hops, other in seen if hops == path.hops)
                if not any(alike(marked, other) for other in known):
                    seen.append((path.hops, marked))
                    found[path.hops] += 1
    return dict(found)


def chi_square(seen: Counter[object], cells: int) -> float:
    """Chi-square over degrees of freedom, against every cell being as likely."""
    expected = seen.total() / cells
    missing = (cells - len(seen)) * expected
    return (sum((n - expected) ** 2 / expected for n in seen.values()) + missing) / (cells - 1)


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("kind", [("spatial", End.SOURCE), ("used_for", End.TARGET)])
def test_cell_sizes_agree_with_enumerated_trees(rule: Rule, kind: tuple[str, End]) -> None:
    for size in (1, 2, 3):
        expected = structures(MATRIX, rule, *kind, size)
        found = {h: cell_size(MATRIX, *kind, h, size - h, rule) for h in range(1, size + 1)}
        assert {hops: number for hops, number in found.items() if number} == expected


@settings(max_examples=25, deadline=None)
@given(matrices(), st.sampled_from(Rule), st.integers(1, 4), st.sampled_from(End))
def test_cell_sizes_under_any_matrix(matrix: Matrix, rule: Rule, size: int, end: End) -> None:
    expected = structures(matrix, rule, "near", end, size)
    for hops in range(1, size + 1):
        number = cell_size(matrix, "near", end, hops, size - hops, rule)
        assert number == expected.get(hops, 0)
        if number:
            drawn = islice(sampled(matrix, "near", end, hops, size - hops, 1, rule), 3)
            assert all(follows(tree, matrix, rule) for tree, _ in drawn)


def test_cell_sizes_of_free_structures_by_hand() -> None:
    # 12 ways to hang a template at either variable; 3 ways to go on.
    assert cell_size(MATRIX, "spatial", End.SOURCE, 1, 1) == 24
    assert cell_size(MATRIX, "spatial", End.SOURCE, 12, 0) == 3**11


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_sampling_exhausts_a_cell_without_repeats(rule: Rule, hops: int) -> None:
    found = list(sampled(MATRIX, "causal", End.TARGET, hops, 3 - hops, 5, rule))
    assert len(found) == cell_size(MATRIX, "causal", End.TARGET, hops, 3 - hops, rule)
    expected = {
        (tree.templates, path)
        for tree in trees(3, MATRIX, rule)
        for index, template in enumerate(tree.templates)
        if template.skill == "causal"
        for path in paths(tree, MATRIX, Pairing(index, End.TARGET))
        if path.hops == hops
    }
    drawn = {(tree.templates, path) for tree, path in found}
    assert len(drawn) == len(found)
    assert drawn <= expected


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(kinds(MATRIX)),
    st.sampled_from(Rule),
    st.integers(1, 6),
    st.integers(0, 6),
    st.integers(0, 2**32),
)
def test_samples_are_in_their_cell(
    kind: tuple[str, End], rule: Rule, hops: int, distractors: int, seed: int
) -> None:
    for tree, path in islice(sampled(MATRIX, *kind, hops, distractors, seed, rule), 2):
        in_cell(tree, path, kind, rule, hops, distractors)


def in_cell(
    tree: Tree, path: Path, kind: tuple[str, End], rule: Rule, hops: int, distractors: int
) -> None:
    assert canonical_names(Tree(tree.templates))[0] == tree
    assert path in paths(tree, MATRIX, path.pairing)
    assert (tree.templates[path.pairing.template].skill, path.pairing.end) == kind
    assert (path.hops, len(path.distractors(tree))) == (hops, distractors)
    assert follows(tree, MATRIX, rule)


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize(("hops", "distractors"), [(6, 6), (12, 0), (2, 10)])
def test_large_trees_are_sampled(rule: Rule, hops: int, distractors: int) -> None:
    kind = ("spatial", End.SOURCE)
    drawn = list(islice(sampled(MATRIX, *kind, hops, distractors, 3, rule), 4))
    assert len(drawn) == 4
    for tree, path in drawn:
        in_cell(tree, path, kind, rule, hops, distractors)


@pytest.mark.parametrize(
    ("rule", "hops", "distractors"),
    [(Rule.FREE, 1, 1), (Rule.COVER, 1, 2), (Rule.GROW, 2, 1)],
)
def test_structures_are_sampled_uniformly(rule: Rule, hops: int, distractors: int) -> None:
    kind = ("spatial", End.SOURCE)
    cells = cell_size(MATRIX, *kind, hops, distractors, rule)
    seen: Counter[object] = Counter()
    for seed in range(15 * cells):
        tree, path = next(sampled(MATRIX, *kind, hops, distractors, seed, rule))
        seen[tree.templates, path] += 1
    assert len(seen) <= cells
    # 24 to 395 structures: beyond 1.9 has a chance below 0.5% for the fewest of them.
    assert chi_square(seen, cells) < 1.9


@pytest.mark.parametrize(("rule", "size"), [(Rule.FREE, 2), (Rule.COVER, 3), (Rule.GROW, 3)])
def test_trees_are_sampled_uniformly(rule: Rule, size: int) -> None:
    cells = Census(MATRIX, rule).tree_count(size)
    seen: Counter[object] = Counter(
        next(sampled_trees(MATRIX, size, seed, rule)).templates for seed in range(15 * cells)
    )
    assert len(seen) <= cells
    assert chi_square(seen, cells) < 1.5


@pytest.mark.parametrize(
    ("rule", "size"), [(Rule.FREE, 1), (Rule.FREE, 2), (Rule.COVER, 3), (Rule.GROW, 3)]
)
def test_sampling_exhausts_the_trees_without_repeats(rule: Rule, size: int) -> None:
    drawn = list(sampled_trees(MATRIX, size, 11, rule))
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == set(trees(size, MATRIX, rule))


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("size", [4, 13])
def test_sampled_trees_follow_their_rule(rule: Rule, size: int) -> None:
    for tree in islice(sampled_trees(MATRIX, size, 2, rule), 8):
        assert tree.size == size
        assert canonical_names(Tree(tree.templates))[0] == tree
        assert follows(tree, MATRIX, rule)


def test_a_seed_draws_the_same_in_another_process() -> None:
    text = (
        "from itertools import islice\n"
        "from core.benchmarks.accord.trees.matrix import Matrix\n"
        "from core.benchmarks.accord.trees.sampler import sampled\n"
        "from core.benchmarks.accord.trees.skills import End\n"
        "from core.benchmarks.accord.trees.tree import canonical_id\n"
        "found = sampled(Matrix.shipped(), 'causal', End.TARGET, 2, 4, 9)\n"
        "print([(canonical_id(tree), path.variables) for tree, path in islice(found, 5)])\n"
    )
    here = list(islice(sampled(MATRIX, "causal", End.TARGET, 2, 4, 9), 5))
    ran = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={"PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT)},
    )
    assert ran.stdout.strip() == str([(canonical_id(tree), path.variables) for tree, path in here])
    other = list(islice(sampled(MATRIX, "causal", End.TARGET, 2, 4, 10), 5))
    assert other != here


def test_sizes_out_of_range_are_not_sampled() -> None:
    for hops, distractors in ((0, 1), (1, -1), (1, MOST_TEMPLATES)):
        with pytest.raises(SettingError):
            sampled(MATRIX, "spatial", End.SOURCE, hops, distractors, 0)
    with pytest.raises(SkillError, match="no skill"):
        sampled(MATRIX, "spacial", End.SOURCE, 1, 1, 0)
    for size in (0, MOST_TEMPLATES + 1):
        with pytest.raises(SettingError):
            sampled_trees(MATRIX, size, 0)


def test_an_empty_cell_is_an_error() -> None:
    entries = [entry for entry in MATRIX.entries if entry.skill != "causal"]
    matrix = Matrix.of(MATRIX.skills, entries)
    assert cell_size(matrix, "causal", End.SOURCE, 2, 0) == 0
    with pytest.raises(SettingError, match="no tree has a path of 2 hops from causal"):
        sampled(matrix, "causal", End.SOURCE, 2, 0, 0)
    assert len(list(sampled(matrix, "causal", End.SOURCE, 1, 0, 0))) == 1
