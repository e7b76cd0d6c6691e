"""Paths: the left fold, its stops, and why a template is not absorbed."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.trees.matrix import Case, Matrix, Order, Reduction
from core.benchmarks.accord.trees.path import Pairing, Reason, paths, refusals
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Template, Tree
from tests.benchmarks.accord.random_trees import any_tree, folded, graph

MATRIX = Matrix.shipped()
# The pairing spatial(V0, V1), then type_of and spatial; the rest is what hangs there.
TREE = Tree(
    (
        Template(0, "spatial", 1),
        Template(2, "type_of", 1),
        Template(2, "spatial", 3),
        Template(4, "spatial", 0),
        Template(1, "causal", 5),
        Template(3, "part_of", 6),
        Template(7, "type_of", 6),
    )
)
SOURCE = Pairing(0, End.SOURCE)


def test_every_prefix_of_a_path_is_a_path() -> None:
    found = paths(TREE, MATRIX, SOURCE)
    assert [path.variables for path in found] == [
        (0, 1),
        (0, 1, 2),
        (0, 1, 2, 3),
        (0, 1, 2, 3, 6),
        (0, 1, 2, 3, 6, 7),
    ]
    last = found[-1]
    assert (last.hops, last.pairing_variable, last.answer_variable) == (5, 0, 7)
    assert last.templates == (0, 1, 2, 5, 6)
    assert last.distractors(TREE) == (3, 4)
    assert last.conclusion(TREE) == Template(0, "spatial", 7)
    assert [str(step.reduction) for step in last.steps] == [
        "spatial(x, y) & type_of(z, y) => spatial(x, z)",
        "spatial(x, y) & spatial(y, z) => spatial(x, z)",
        "spatial(x, y) & part_of(y, z) => spatial(x, z)",
        "spatial(x, y) & type_of(z, y) => spatial(x, z)",
    ]


def test_reasons_for_not_absorbing_a_template() -> None:
    first = paths(TREE, MATRIX, SOURCE)[0]
    assert {index: refusal.reason for index, refusal in refusals(TREE, MATRIX, first).items()} == {
        1: Reason.NOT_TAKEN,
        2: Reason.NO_SHARED_VARIABLE,
        3: Reason.LOSES_PAIRING,
        4: Reason.NO_ENTRY,
        5: Reason.NO_SHARED_VARIABLE,
        6: Reason.NO_SHARED_VARIABLE,
    }


def test_a_reduction_that_changes_the_skill_is_refused() -> None:
    tree = Tree((Template(0, "causal", 1), Template(1, "used_for", 2)))
    (path,) = paths(tree, MATRIX, Pairing(0, End.SOURCE))
    refusal = refusals(tree, MATRIX, path)[1]
    assert refusal.reason is Reason.CHANGES_SKILL
    assert refusal.entry is not None
    assert refusal.entry.skill == "used_for"
    assert [path.hops for path in paths(tree, MATRIX, Pairing(1, End.TARGET))] == [1, 2]


def test_a_reduction_at_the_pairing_variable_is_refused() -> None:
    refusal = refusals(TREE, MATRIX, paths(TREE, MATRIX, SOURCE)[0])[3]
    assert refusal.entry is not None
    assert str(refusal.entry) == "spatial(y, x) & spatial(z, y) => spatial(z, x)"


def test_a_reduction_that_reverses_the_conclusion_is_refused() -> None:
    entry = Reduction("spatial", "causal", Case.SOURCES, "causal", Order.REVERSE)
    matrix = Matrix.of(MATRIX.skills, [entry])
    tree = Tree((Template(0, "causal", 1), Template(0, "spatial", 2)))
    (path,) = paths(tree, matrix, Pairing(0, End.TARGET))
    refusal = refusals(tree, matrix, path)[1]
    assert (refusal.reason, refusal.entry) == (Reason.TURNS, entry.mirrored)


def test_a_single_template_has_one_path() -> None:
    tree = Tree((Template(0, "spatial", 1),))
    for end in End:
        (path,) = paths(tree, MATRIX, Pairing(0, end))
        assert (path.hops, path.distractors(tree), refusals(tree, MATRIX, path)) == (1, (), {})


@given(any_tree(), st.data())
def test_hops_are_distances_and_the_fold_agrees_with_a_literal_one(
    tree: Tree, data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, tree.size - 1))
    end = data.draw(st.sampled_from(End))
    template, found = tree.templates[index], paths(tree, MATRIX, Pairing(index, end))
    plain = graph(tree).to_undirected()
    for path in found:
        assert list(path.variables) == nx.shortest_path(
            plain, path.pairing_variable, path.answer_variable
        )
        assert path.hops + len(path.distractors(tree)) == tree.size
        assert set(refusals(tree, MATRIX, path)) == set(path.distractors(tree))
    assert [path.hops for path in found] == sorted(path.hops for path in found)
    literal = sorted(folded(tree, MATRIX, template, template.at(end)))
    assert sorted((path.hops, path.answer_variable) for path in found) == literal


@given(any_tree(), st.data())
def test_every_step_is_a_reduction_of_the_conclusion(tree: Tree, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, tree.size - 1))
    end = data.draw(st.sampled_from(End))
    for path in paths(tree, MATRIX, Pairing(index, end)):
        conclusion = tree.templates[index]
        for step in path.steps:
            reduced = MATRIX.reduce(conclusion, tree.templates[step.template])
            assert reduced is not None
            assert reduced.entry == step.reduction
            conclusion = reduced.template
        assert conclusion == path.conclusion(tree)


def test_a_missing_template_raises_an_index_error() -> None:
    with pytest.raises(IndexError):
        paths(TREE, MATRIX, Pairing(7, End.SOURCE))
