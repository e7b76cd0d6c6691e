"""The states of an annotated story as nodes between its sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.gita.collection import open_stories
from core.benchmarks.gita.item import Change, Story
from core.benchmarks.gita.states import AFTER, ATTRIBUTES, BEFORE, BY_NAME, contradiction, words
from core.benchmarks.gita.states_graph import CLASH_NOTE, NOTE, states_graph
from core.benchmarks.gita.view import view
from core.contract.setting import Setting
from core.contract.view import Graph, Role
from core.layout.graph.as_graph import first_graph

REAL = Path(__file__).resolve().parents[4] / "shared" / "data"
needs_real = pytest.mark.skipif(
    not REAL.is_dir(), reason="needs the real data: GITA in shared/data/"
)
IDS = ("s0", "s1", "s2", "s3", "s4")


def story(
    *changes: Change, pair: tuple[int, int] | None = None, sentences: tuple[str, ...] = IDS
) -> Story:
    conflict, breakpoint_ = pair or (None, None)
    return Story(
        "0-O0",
        "0-O0",
        0,
        "order",
        "",
        "",
        sentences,
        pair is None,
        conflict,
        breakpoint_,
        "",
        changes,
    )


def drawn(annotated_story: Story) -> Graph:
    graph = states_graph(annotated_story, IDS)
    assert graph is not None
    return graph


def links(graph: Graph) -> list[tuple[str, str, str, Role]]:
    return [(link.source, link.target, link.label, link.role) for link in graph.links]


def test_a_change_leads_from_its_sentence_to_those_that_start_from_it() -> None:
    graph = drawn(
        story(
            Change(0, "frigo", "open", 4),
            Change(1, "frigo", "open", 2),
            Change(3, "frigo", "open", 3),
            Change(4, "frigo", "open", 1),
        )
    )
    assert [(node.id, node.text, node.role) for node in graph.nodes] == [
        ("s0:frigo", "frigo: open", Role.PLAIN),
        ("s3:frigo", "frigo: closed", Role.PLAIN),
    ]
    assert links(graph) == [
        ("s0", "s0:frigo", "closed → open", Role.PLAIN),
        ("s0:frigo", "s1", "", Role.PLAIN),
        ("s0:frigo", "s3", "", Role.PLAIN),
        ("s3", "s3:frigo", "open → closed", Role.PLAIN),
        ("s3:frigo", "s4", "", Role.PLAIN),
    ]
    assert graph.links[1].note == "open"
    assert graph.note == NOTE


def test_a_sentence_and_an_entity_make_one_node() -> None:
    graph = drawn(
        story(
            Change(2, " luce", "power", 4),
            Change(2, " luce", "running", 4),
            Change(2, " luce", "location", 8),
            Change(2, "Ada", "conscious", 3),
        )
    )
    assert [node.text for node in graph.nodes] == [
        "luce: moves, powered, running",
        "Ada: unconscious",
    ]
    assert graph.nodes[0].note == (
        "Sentence 2: location: moves; power: without power → powered; running: off → running"
    )
    assert [link.label for link in graph.links] == [
        "without power → powered, off → running",
        "conscious → unconscious",
    ]


def test_the_state_that_is_contradicted_is_marked_and_leads_to_the_breakpoint() -> None:
    graph = drawn(
        story(
            Change(1, "Ada", "conscious", 3),
            Change(3, "Ada", "conscious", 3),
            Change(1, "letto", "wet", 4),
            pair=(1, 3),
        )
    )
    assert [(node.text, node.role) for node in graph.nodes] == [
        ("Ada: unconscious", Role.CAUSE),
        ("letto: wet", Role.PLAIN),
        ("Ada: unconscious", Role.PLAIN),
    ]
    broken = [link for link in graph.links if link.role is Role.BREAK]
    assert [(link.source, link.target, link.label) for link in broken] == [
        ("s1:Ada", "s3", "needs conscious")
    ]
    assert graph.note == CLASH_NOTE


def test_a_state_that_does_not_change_is_drawn_only_where_it_is_contradicted() -> None:
    changes = (Change(0, "frigo", "open", 2), Change(1, "frigo", "open", 4))
    assert [node.id for node in drawn(story(*changes)).nodes] == ["s1:frigo"]
    graph = drawn(story(*changes, pair=(0, 1)))
    assert [(node.id, node.role) for node in graph.nodes] == [
        ("s0:frigo", Role.CAUSE),
        ("s1:frigo", Role.PLAIN),
    ]
    assert links(graph)[1] == ("s0:frigo", "s1", "needs closed", Role.BREAK)


def test_a_movement_leads_to_the_next_movement_of_the_entity() -> None:
    graph = drawn(
        story(
            Change(0, "tazza", "location", 2),
            Change(1, "tazza", "location", 0),
            Change(2, "tazza", "location", 6),
            Change(3, "latte", "location", 2),
        )
    )
    assert links(graph) == [
        ("s0", "s0:tazza", "", Role.PLAIN),
        ("s0:tazza", "s2", "", Role.PLAIN),
        ("s2", "s2:tazza", "", Role.PLAIN),
        ("s3", "s3:latte", "", Role.PLAIN),
    ]
    assert graph.nodes[1].text == "tazza: goes into a container"


def test_default_states_need_no_link_and_open_states_are_marked() -> None:
    awake = drawn(story(Change(0, "Ada", "conscious", 4), Change(1, "Ada", "conscious", 2)))
    assert links(awake) == [("s0", "s0:Ada", "unconscious → conscious", Role.PLAIN)]
    unknown = drawn(story(Change(0, "frigo", "open", 7), Change(1, "frigo", "open", 2)))
    assert [node.text for node in unknown.nodes] == ["frigo: open ?"]
    assert links(unknown) == [("s0", "s0:frigo", "closed → ?", Role.PLAIN)]


def test_there_is_no_graph_where_nothing_changes() -> None:
    assert states_graph(story(), IDS) is None
    assert states_graph(story(Change(0, "x", "open", 2)), IDS) is None
    # An annotation of a sentence that the story does not have.
    assert states_graph(story(Change(5, "x", "open", 4)), IDS) is None


@st.composite
def annotated(draw: st.DrawFn) -> Story:
    names = [attribute.name for attribute in ATTRIBUTES] + ["unheard of"]
    changes = draw(
        st.lists(
            st.builds(
                Change,
                st.integers(0, 6),
                st.sampled_from(["frigo", "Ada ", ""]),
                st.sampled_from(names[-6:]) | st.sampled_from(names),
                st.integers(0, 8),
            ),
            max_size=30,
            unique_by=lambda change: (change.sentence, change.entity, change.attribute),
        )
    )
    pair = draw(st.none() | st.tuples(st.integers(0, 6), st.integers(0, 6)))
    return story(*changes, pair=pair)


@given(annotated())
def test_every_change_has_one_node_and_links_lead_forward(annotated_story: Story) -> None:
    graph = states_graph(annotated_story, IDS) or Graph("", (), ())
    ids = [node.id for node in graph.nodes]
    assert len(set(ids)) == len(ids)
    at = {name: i for i, name in enumerate(IDS)}
    at |= {node: at[node.partition(":")[0]] for node in ids}
    for link in graph.links:
        into = link.target in ids
        assert (link.source in ids) != into
        assert at[link.source] == at[link.target] if into else at[link.source] < at[link.target]
    notes = {node.id: node.note for node in graph.nodes}
    for change in annotated_story.changes:
        if change.sentence >= len(IDS):
            continue
        known = BY_NAME.get(change.attribute)
        moves = known is not None and bool(known.moves)
        changes = change.code > 0 if moves else BEFORE[change.code] != AFTER[change.code]
        words_of_change = f"{change.attribute}: {words(change.attribute, change.code)}"
        if changes:
            assert words_of_change in notes[f"s{change.sentence}:{change.entity}"]


@given(annotated())
def test_only_a_forward_contradiction_is_drawn_as_broken(annotated_story: Story) -> None:
    graph = states_graph(annotated_story, IDS) or Graph("", (), ())
    conflict = contradiction(annotated_story)
    broken = {(link.source, link.target) for link in graph.links if link.role is Role.BREAK}
    expected = set()
    if conflict is not None and conflict.conflict < conflict.breakpoint < len(IDS):
        expected = {
            (f"s{conflict.conflict}:{entity}", f"s{conflict.breakpoint}")
            for entity, _attribute in conflict.clashes
        }
    assert broken == expected
    marked = {node.id for node in graph.nodes if node.role is Role.CAUSE}
    assert marked == {source for source, _ in expected}


@needs_real
def test_the_graphs_of_the_release_are_small_and_hold_every_contradiction() -> None:
    collection = open_stories(REAL / "gita_v1" / "GITA_test.json")
    derivable = broken = 0
    for i in range(len(collection)):
        item = collection.item(i)
        graph = first_graph(view(item, Setting()), statements=True)
        assert graph is not None
        length = len(item.story.sentences)
        assert [node.id for node in graph.nodes[:length]] == [f"s{n}" for n in range(length)]
        assert len(graph.nodes) <= 14
        derivable += contradiction(item.story) is not None
        broken += any(link.role is Role.BREAK for link in graph.links)
    assert derivable == broken == 124
