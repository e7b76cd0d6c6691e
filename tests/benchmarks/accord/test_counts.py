"""Numbers of trees and paths against the printed ones, and against what is enumerated."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.trees.census import Census
from core.benchmarks.accord.trees.counts import MOST_FOLLOWED, MOST_TEMPLATES, counts
from core.benchmarks.accord.trees.enumeration import trees
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import Pairing, kinds, paths
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.series import multisets
from core.benchmarks.accord.trees.skills import End
from core.text.errors import SettingError
from tests.benchmarks.accord.random_trees import matrices, small_skills

MATRIX = Matrix.shipped()
FREE = {1: 6, 2: 78, 3: 1_228, 4: 23_037, 5: 477_768, 6: 10_654_204, 7: 250_243_080}
COVER = {1: 6, 2: 17, 3: 113, 4: 1_593, 5: 18_624}
GROW = {1: 6, 2: 17, 3: 113, 4: 785, 5: 6_142}
# By how many templates a pairing absorbs, by size: paths by hops (rule free).
PATHS = {
    3: [[1], [26, 3], [614, 114, 9], [15358, 3453, 450, 27], [398140, 99804, 16461, 1674, 81]],
    2: [[1], [26, 2], [614, 76, 4], [15358, 2302, 200, 8], [398140, 66536, 7316, 496, 16]],
    1: [[1], [26, 1], [614, 38, 1], [15358, 1151, 50, 1], [398140, 33268, 1829, 62, 1]],
}


def followed(matrix: Matrix, rule: Rule, size: int) -> Counter[tuple[str, End, int]]:
    """Paths by pairing and hops, from folding each."""
    return Counter(
        (template.skill, end, path.hops)
        for tree in trees(size, matrix, rule)
        for index, template in enumerate(tree.templates)
        for end in End
        for path in paths(tree, matrix, Pairing(index, end))
    )


def test_counts_of_free_trees() -> None:
    found = counts(MATRIX, Rule.FREE, 8).trees
    assert found == FREE | {8: 6_115_360_650}


@pytest.mark.parametrize(("rule", "expected"), [(Rule.COVER, COVER), (Rule.GROW, GROW)])
def test_counts_of_trees_under_the_other_rules(rule: Rule, expected: dict[int, int]) -> None:
    assert counts(MATRIX, rule, 5).trees == expected


def test_two_ways_to_count_free_trees_agree() -> None:
    census, closed = Census(MATRIX, Rule.FREE), counts(MATRIX, Rule.FREE, MOST_TEMPLATES).trees
    assert {size: census.tree_count(size) for size in closed} == closed


@pytest.mark.parametrize("kind", kinds(MATRIX))
def test_counts_of_paths_in_free_trees(kind: tuple[str, End]) -> None:
    found = counts(MATRIX, Rule.FREE, 5).paths[kind]
    expected = PATHS[len(MATRIX.absorbed(*kind))]
    assert [list(hops.values()) for hops in found.values()] == expected
    assert [list(hops) for hops in found.values()] == [list(range(1, n + 1)) for n in range(1, 6)]


def test_paths_without_distractors_are_powers() -> None:
    for kind, sizes in counts(MATRIX, Rule.FREE, MOST_TEMPLATES).paths.items():
        absorbed = len(MATRIX.absorbed(*kind))
        assert all(hops[size] == absorbed ** (size - 1) for size, hops in sizes.items())


@pytest.mark.parametrize(
    ("rule", "size"), [*((rule, size) for rule in Rule for size in (1, 2, 3)), (Rule.COVER, 4)]
)
def test_path_counts_agree_with_folding(rule: Rule, size: int) -> None:
    found = counts(MATRIX, rule, size).paths
    flat = {
        (skill, end, hops): number
        for (skill, end), sizes in found.items()
        for hops, number in sizes[size].items()
    }
    assert flat == followed(MATRIX, rule, size)


@settings(max_examples=25, deadline=None)
@given(matrices(), st.sampled_from(Rule), st.integers(1, 4))
def test_path_counts_agree_with_folding_for_any_matrix(
    matrix: Matrix, rule: Rule, size: int
) -> None:
    found = counts(matrix, rule, size)
    assert found.trees[size] == sum(1 for _ in trees(size, matrix, rule))
    flat = {
        (skill, end, hops): number
        for (skill, end), sizes in found.paths.items()
        for hops, number in sizes[size].items()
    }
    assert flat == followed(matrix, rule, size)


def test_own_skills_change_the_counts(tmp_path: Path) -> None:
    reductions = tmp_path / "reductions.csv"
    header = "relation1,relation2,case,reduction_type,reduction_order\n"
    reductions.write_text(f"{header}near,in_it,1,near,MAINTAIN\n")
    found = counts(Matrix.read(reductions, small_skills()), Rule.FREE, 3)
    # Two skills: 2 chains of one skill, 2 of both, 2 of each other, 2 x 3 with like ends.
    assert found.trees[2] == 10
    assert found.paths["near", End.SOURCE][2] == {1: 10, 2: 1}
    assert found.paths["near", End.TARGET][2] == {1: 10}


def test_paths_of_large_trees_are_not_counted_under_the_other_rules() -> None:
    found = counts(MATRIX, Rule.GROW, MOST_FOLLOWED + 1)
    assert found.trees[MOST_FOLLOWED + 1] == 470_516
    assert max(found.paths["spatial", End.SOURCE]) == MOST_FOLLOWED


@pytest.mark.parametrize("size", [0, MOST_TEMPLATES + 1])
def test_sizes_out_of_range_are_not_counted(size: int) -> None:
    with pytest.raises(SettingError, match="not counted"):
        counts(MATRIX, Rule.FREE, size)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_multisets_agree_with_eulers_recurrence(kinds_by_size: list[int]) -> None:
    numbers = [0, *kinds_by_size]
    expected = [1] + [0] * (len(numbers) - 1)
    for size, number in enumerate(numbers):
        for _ in range(number):
            for total in range(size, len(numbers)):
                expected[total] += expected[total - size]
    assert multisets(numbers) == expected
