"""Trees, their canonical form and their ids."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import (
    MOST_TEMPLATES,
    Template,
    Tree,
    TreeError,
    canonical_id,
    canonical_names,
)
from tests.benchmarks.accord.random_trees import alike, any_tree, graph, renamed


@given(st.data())
def test_the_canonical_form_does_not_depend_on_names_or_order(data: st.DataObject) -> None:
    tree = data.draw(any_tree())
    other, _ = data.draw(renamed(tree))
    assert canonical_names(other)[0] == canonical_names(tree)[0]


@given(any_tree())
def test_the_canonical_form_is_the_same_tree(tree: Tree) -> None:
    canonical, names = canonical_names(tree)
    assert alike(graph(tree), graph(canonical))
    assert sorted(names) == list(tree.variables)
    moved = {Template(names[t.source], t.skill, names[t.target]) for t in tree.templates}
    assert moved == set(canonical.templates)
    assert canonical_names(canonical)[0] == canonical == Tree(canonical.templates)


@given(any_tree(5), any_tree(5))
def test_ids_are_equal_for_isomorphic_trees_only(one: Tree, two: Tree) -> None:
    first, second = (canonical_id(canonical_names(tree)[0]) for tree in (one, two))
    assert (first == second) == alike(graph(one), graph(two))


@given(any_tree())
def test_the_root_is_a_centroid(tree: Tree) -> None:
    canonical = canonical_names(tree)[0]
    rest = graph(canonical).to_undirected()
    rest.remove_node(0)
    assert max(map(len, nx.connected_components(rest))) * 2 <= tree.size + 1


def test_the_id_of_a_tree_is_stable() -> None:
    # Files hold ids, so a change of the canonical form would be noticed here first.
    tree = Tree((Template(0, "spatial", 1), Template(2, "type_of", 1)))
    assert canonical_names(tree)[0].templates == (
        Template(1, "spatial", 0),
        Template(2, "type_of", 0),
    )
    assert canonical_id(canonical_names(tree)[0]) == "8be87e0cf6bf7e9f"


def test_a_template_has_two_ends() -> None:
    template = Template(3, "spatial", 5)
    assert (template.at(End.SOURCE), template.far(3), template.far(5)) == (3, 5, 3)
    assert template.end_of(5) is End.TARGET
    assert str(template) == "spatial(V3, V5)"
    with pytest.raises(TreeError, match="V4 is at neither end"):
        template.end_of(4)


@pytest.mark.parametrize(
    ("templates", "what"),
    [
        ((), "1 to 200 templates"),
        ((Template(0, "spatial", 0),), "closes a cycle"),
        ((Template(0, "spatial", 2),), "beyond V1"),
        ((Template(-1, "spatial", 0),), "beyond V1"),
        ((Template(0, "spatial", 1), Template(1, "causal", 0)), "closes a cycle"),
        (tuple(Template(i, "spatial", i + 1) for i in range(MOST_TEMPLATES + 1)), "not 201"),
    ],
)
def test_templates_that_form_no_tree_are_refused(
    templates: tuple[Template, ...], what: str
) -> None:
    with pytest.raises(TreeError, match=what):
        Tree(templates)


def test_the_largest_tree_has_a_canonical_form() -> None:
    chain = Tree(tuple(Template(i, "spatial", i + 1) for i in range(MOST_TEMPLATES)))
    assert canonical_names(chain)[0].size == MOST_TEMPLATES
