"""What heads attend to, by what the prompt says: nothing is lost and nothing counted twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.attention import (
    SpanAttention,
    attention_over_spans,
    attention_paths,
    with_attention,
)
from core.blocks.spans import PromptSpan, SpanKind
from core.contract.view import Graph, Link, Node, Note, Statement, Statements, View
from core.models.blocks import AttentionReading

VIEW = View(
    "A story",
    sections=(
        Statements(
            "Story",
            (
                Statement("a", "It rains.", note="conflict"),
                Statement("b", "It rains. And pours."),
                Statement("c", "Nobody asks about this."),
            ),
        ),
        Graph("Events", (Node("n", "The river rises up."),), ()),
    ),
)


def spans(*held: tuple[SpanKind, str, tuple[int, int] | None]) -> list[PromptSpan]:
    return [PromptSpan(*one) for one in held]


PROMPT = spans(
    (SpanKind.BEFORE, "Read this.", (0, 2)),
    (SpanKind.STATEMENT, "0. It rains.", (2, 4)),
    (SpanKind.STATEMENT, "1. It rains. And pours.", (4, 7)),
    (SpanKind.EVENT, "First event: The river rises up.", (7, 8)),
    (SpanKind.SENTENCE, "Is it so?", (8, 10)),
)


@st.composite
def readings(draw: st.DrawFn) -> AttentionReading:
    heads = draw(st.integers(1, 4))
    rows = []
    for _ in range(heads):
        raw = draw(st.lists(st.floats(0.01, 1), min_size=10, max_size=10))
        rows.append(tuple(one / sum(raw) for one in raw))
    return AttentionReading(3, tuple(rows))


@given(readings())
def test_every_token_counts_once(reading: AttentionReading) -> None:
    found = attention_over_spans(reading, PROMPT)
    for head in range(found.heads):
        weights = [row[head] for row in found.weights]
        assert sum(one for one in weights if one is not None) == pytest.approx(1)
        parts = found.by_part(head, VIEW)
        assert set(parts) == {"a", "b", "n"}
        assert sum(parts.values()) == pytest.approx(found.on_item(head))
        assert parts["b"] == pytest.approx(sum(reading.weights[head][4:7]))


def one_head(*weights: float) -> SpanAttention:
    return attention_over_spans(AttentionReading(4, (weights,)), PROMPT)


def test_it_is_said_where_the_weight_falls() -> None:
    found = one_head(0.2, 0.0, 0.1, 0.1, 0.2, 0.0, 0.0, 0.1, 0.3, 0.0)
    said = found.sentence(0)
    assert "head 0 in block 4 from the answer position" in said
    assert "50 % falls on the item's sentences, 50 % on the rest" in said
    assert "20 % on its first token" in said
    assert found.heaviest(0) == 4


def test_weights_stand_beside_statements_and_on_nodes() -> None:
    found = one_head(0.0, 0.0, 0.5, 0.0, 0.001, 0.0, 0.0, 0.25, 0.249, 0.0)
    note, story, graph = with_attention(VIEW, found, 0, "a model").sections
    assert isinstance(note, Note)
    assert "head 0 of block 4 of a model" in note.text
    assert isinstance(story, Statements)
    first, second, third = story.statements
    assert first.note.startswith("conflict ███ ")
    assert first.note.endswith("50 %")
    assert second.note.strip() == "<1 %"
    assert third.note == ""
    assert [one.weight for one in story.statements] == ["50 %", "<1 %", ""]
    assert isinstance(graph, Graph)
    assert graph.nodes[0].weight == "25 %"
    assert first.text == "It rains."


def test_a_span_that_shares_a_token_has_no_weight() -> None:
    held = spans((SpanKind.STATEMENT, "It rains.", None), (SpanKind.SENTENCE, "So?", (1, 2)))
    found = attention_over_spans(AttentionReading(0, ((0.4, 0.6),)), held)
    assert found.weights == ((None,), (0.6,))
    assert found.by_part(0, VIEW) == {}
    assert found.heaviest(0) == 1


GRAPH = Graph(
    "Events",
    (
        Node("n", "The river rises up."),
        Node("s", "It rains."),
        Node("p", "It rains. And pours."),
        Node("x", "Nobody says this."),
    ),
    (
        Link("s", "n", note="known"),
        Link("n", "p"),
        Link("s", "x"),
        Link("x", "n", statement="b"),
        Link("n", "n"),
    ),
)
DRAWN = View("A story", sections=(*VIEW.sections[:1], GRAPH))


def test_along_a_link_the_later_end_looks_at_the_earlier() -> None:
    assert attention_paths(PROMPT, DRAWN) == {("s", "n"): (7, 2, 4), ("n", "p"): (7, 4, 7)}


def test_what_the_prompt_says_twice_is_meant_where_it_says_it_first() -> None:
    again = [*PROMPT, *spans((SpanKind.EVENT, "The river rises up.", (10, 14)))]
    assert attention_paths(again, DRAWN) == attention_paths(PROMPT, DRAWN)


def test_links_have_what_falls_on_them_and_the_legend_tells_the_heaviest() -> None:
    weights = (0.0, 0.0, 0.1, 0.0, 0.5, 0.0, 0.0, 0.1, 0.3, 0.0)
    path_weights = attention_paths(PROMPT, DRAWN)
    reading = AttentionReading(4, (weights,), ((0.25, 0.125),))
    found = attention_over_spans(reading, PROMPT, tuple(path_weights))
    _, said, _, graph = with_attention(DRAWN, found, 0, "a model").sections
    assert isinstance(graph, Graph)
    assert [link.weight for link in graph.links] == [0.25, 0.125, None, 0.5, None]
    assert graph.links[0].note == "known, attention 25 %"
    assert graph.links[2] == GRAPH.links[2]
    assert isinstance(said, Note)
    assert "Nobody says this. → The river rises up. 50 %; It rains. → The river" in said.text
    assert "the last token of the one that comes later in the prompt" in said.text


def test_links_that_statements_say_have_the_weights_of_those() -> None:
    links = (Link("s", "n", statement="a"), Link("n", "p", statement="b"))
    view = View("A tree", sections=(VIEW.sections[0], Graph("Tree", GRAPH.nodes, links)))
    found = one_head(0.0, 0.0, 0.2, 0.1, 0.1, 0.0, 0.0, 0.3, 0.3, 0.0)
    _, said, story, graph = with_attention(view, found, 0, "a model").sections
    assert isinstance(graph, Graph)
    assert [link.weight for link in graph.links] == pytest.approx([0.3, 0.1])
    assert isinstance(story, Statements)
    assert [one.note.endswith("%") for one in story.statements] == [True, True, False]
    assert isinstance(said, Note)
    assert "its attention to the statement of that link" in said.text


def test_without_links_that_have_weights_no_line_is_spoken_of() -> None:
    drawn = with_attention(VIEW, one_head(*[0.1] * 10), 0, "a model")
    assert len(drawn.sections) == 1 + len(VIEW.sections)
