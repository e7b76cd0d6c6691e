"""Statements drawn as a graph."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.gita.benchmark import Gita
from core.contract.setting import Setting
from core.contract.view import Graph, Grid, Link, Node, Note, Role, Statement, Statements, View
from core.layout.graph.as_graph import first_graph, graph_of
from core.layout.graph.placement import Placement, place_graph

STORY = Statements(
    "Story",
    (
        Statement("s0", "He boils water.", number="0", gloss="Bolle l'acqua."),
        Statement("s1", "He drinks it.", Role.CAUSE, "1", "conflict"),
        Statement("s2", "The cup is full.", Role.BREAK, "2"),
    ),
    (Link("s1", "s2", "contradicts", Role.CAUSE),),
)
GRAPH = Graph("Events", (Node("a", "a"),), ())


def test_each_statement_leads_to_the_next_unless_it_is_linked_to_it() -> None:
    graph = graph_of(STORY)
    assert [(link.source, link.target, link.label) for link in graph.links] == [
        ("s0", "s1", ""),
        ("s1", "s2", "contradicts"),
    ]
    first, second, _ = graph.nodes
    assert (first.text, first.gloss) == ("0. He boils water.", "Bolle l'acqua.")
    assert (second.role, second.note, second.state_switch) == (Role.CAUSE, "conflict", "")
    assert graph.edits_switch == ""


def test_the_states_of_statements_stand_between_them() -> None:
    states = Graph(
        "States",
        (Node("s0:water", "water: hot", Role.CAUSE),),
        (Link("s0", "s0:water", "cold → hot", Role.PLAIN), Link("s0:water", "s1", "needs cold")),
        "From the annotation.",
    )
    told, bare = graph_of(replace(STORY, states=states)), graph_of(STORY)
    assert told.nodes == (*bare.nodes, *states.nodes)
    assert told.links == (*bare.links, *states.links)
    assert (told.title, told.note) == ("Story", "From the annotation.")


def test_which_part_is_marked_moves_nothing() -> None:
    def place_of(role: Role) -> Placement:
        states = Graph(
            "",
            (Node("s0:water", "water: hot", role),),
            (Link("s0", "s0:water", "cold → hot"), Link("s0:water", "s2", "hot", role)),
        )
        marked = tuple(replace(statement, role=role) for statement in STORY.statements)
        return place_graph(graph_of(replace(STORY, statements=marked, states=states)), len)

    assert place_of(Role.CAUSE) == place_of(Role.PLAIN) == place_of(Role.BREAK)


@given(st.lists(st.text(max_size=5), max_size=9), st.booleans())
def test_nothing_is_lost_and_nothing_added(texts: list[str], numbered: bool) -> None:
    statements = tuple(
        Statement(f"s{i}", text, number=str(i) if numbered else "") for i, text in enumerate(texts)
    )
    graph = graph_of(Statements("", statements))
    assert [node.id for node in graph.nodes] == [s.id for s in statements]
    assert all(node.text.endswith(s.text) for node, s in zip(graph.nodes, statements, strict=True))
    assert [(link.source, link.target) for link in graph.links] == [
        (one.id, other.id) for one, other in pairwise(statements)
    ]


def test_a_graph_comes_before_statements_and_those_only_where_they_are_wanted() -> None:
    both = View("", sections=(Note("n"), STORY, GRAPH))
    assert first_graph(both) is GRAPH
    assert first_graph(both, statements=True) is GRAPH
    story = View("", sections=(Grid("", (), ()), STORY))
    assert first_graph(story) is None
    assert first_graph(story, statements=True) == graph_of(STORY)
    assert first_graph(View("", sections=(Note("n"),)), statements=True) is None


def test_the_conflict_of_a_bundled_story_is_a_link_of_its_graph() -> None:
    gita = Gita()
    collection = gita.open(gita.samples())
    item = collection.item(0)
    setting = next(
        s for name, s in gita.contrasts(item, Setting()) if "0-O0" in (name, *s.values())
    )
    graph = first_graph(gita.view(item, setting), statements=True)
    assert graph is not None
    assert {node.role for node in graph.nodes} >= {Role.CAUSE, Role.BREAK}
    assert any(link.label for link in graph.links)
