"""Spans cover a question's text, none overlapping, and their tokens spell what they say."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.spans import PromptSpan, SpanKind, pieces, spans
from core.contract import registry
from core.contract.question import Question
from core.contract.setting import Setting
from core.contract.view import Graph, Node, Statement, Statements, View
from core.models.blocks import PromptToken
from core.text.errors import ModelError

EMPTY = View("")


def asked(text: str, options: tuple[str, ...] = ("yes", "no"), **more: object) -> Question:
    return Question("item", "layer", "Read.\n\n", text, options, 0, **more)  # type: ignore[arg-type]


def statements(*texts: str) -> View:
    found = tuple(Statement(str(n), text) for n, text in enumerate(texts))
    return View("", sections=(Statements("", found),))


def words(text: str) -> tuple[PromptToken, ...]:
    """A tokenizer of words with the blanks before them."""
    return tuple(PromptToken(p.encode(), p) for p in re.findall(r"\s*\w+|\s*[^\w\s]+|\s+", text))


def found(question: Question, view: View) -> list[tuple[SpanKind, str]]:
    return [(p.kind, question.text[p.start : p.stop]) for p in pieces(question, view)]


def test_statements_labels_and_the_rest() -> None:
    question = asked("The story:\n0. Tom left.\n1. Tom ate it. \nIs it so? Really?")
    assert found(question, statements("Tom left.", "Tom ate it.")) == [
        (SpanKind.SENTENCE, "The story:"),
        (SpanKind.STATEMENT, "0. Tom left."),
        (SpanKind.STATEMENT, "1. Tom ate it."),
        (SpanKind.SENTENCE, "Is it so?"),
        (SpanKind.SENTENCE, "Really?"),
    ]


def test_terms_in_brackets_and_bullets() -> None:
    question = asked(
        "Statements:\n- Suppose that [a cup] is near [tea]\n- [ice] is cold\nQuestion:\nWhy?"
    )
    assert found(question, statements("Suppose that a cup is near tea", "ice is cold")) == [
        (SpanKind.SENTENCE, "Statements:"),
        (SpanKind.STATEMENT, "- Suppose that [a cup] is near [tea]"),
        (SpanKind.STATEMENT, "- [ice] is cold"),
        (SpanKind.SENTENCE, "Question:"),
        (SpanKind.SENTENCE, "Why?"),
    ]


def test_events_options_and_whole_words_only() -> None:
    nodes = (Node("a", "It rains hard."), Node("b", "rain"))
    view = View("", sections=(Graph("", nodes, ()),))
    question = asked(
        "First event: It rains hard.\nUnrainy?\nA: rain    B: sun",
        ("A", "B"),
        meanings=("rain", "sun"),
    )
    assert found(question, view) == [
        (SpanKind.EVENT, "First event: It rains hard."),
        (SpanKind.SENTENCE, "Unrainy?"),
        (SpanKind.OPTION, "A: rain"),
        (SpanKind.OPTION, "B: sun"),
    ]


def test_the_longer_of_two_statements_is_found_first() -> None:
    question = asked("Tom ate the soup. Tom ate.")
    assert found(question, statements("Tom ate.", "Tom ate the soup."))[0] == (
        SpanKind.STATEMENT,
        "Tom ate the soup.",
    )


LINES = st.lists(st.text("ab .!?\n:-7é", max_size=12), max_size=6)


@given(LINES, st.data())
def test_pieces_cover_everything_but_blanks_and_never_overlap(
    lines: list[str], data: st.DataObject
) -> None:
    text = "\n".join(lines)
    known = data.draw(st.lists(st.sampled_from([*lines, "a", "b a"]), max_size=3))
    place = 0
    for piece in pieces(asked(text), statements(*known)):
        assert not text[place : piece.start].strip()
        assert place <= piece.start < piece.stop
        place = piece.stop
    assert not text[place:].strip()


@given(LINES)
def test_tokens_spell_the_spans_and_leave_none_out(lines: list[str]) -> None:
    question = asked("Well.\n" + "\n".join(lines))
    tokens = words(question.base())
    made = spans(tokens, question, pieces(question, EMPTY))
    place = 0
    for span in made:
        if span.tokens is None:
            continue
        start, stop = span.tokens
        assert start >= place
        place = stop
        if span.kind is not SpanKind.BEFORE:
            spelt = b"".join(token.data for token in tokens[start:stop]).decode()
            assert "".join(spelt.split()) == "".join(span.text.split())
    if all(span.tokens for span in made):
        assert place == len(tokens)
        assert made[0] == PromptSpan(SpanKind.BEFORE, "Read.", (0, 2))


def test_a_chat_template_stands_around() -> None:
    question = asked("Tom left. Did he?")
    tokens = (
        PromptToken(b"", "<|user|>"),
        *words("Tom left. Did he?"),
        PromptToken(b"", "<|end|>"),
        PromptToken(b"assistant", "assistant"),
    )
    made = spans(tokens, question, pieces(question, EMPTY))
    assert [(span.name, span.tokens) for span in made] == [
        ("(instruction)", (0, 1)),
        ("Tom left.", (1, 4)),
        ("Did he?", (4, 7)),
        ("(end of turn)", (7, 9)),
    ]


def test_the_last_place_is_meant_where_worked_examples_ask_alike() -> None:
    question = asked("Did he?")
    tokens = words("Did he? yes\n\nDid he?")
    assert spans(tokens, question, pieces(question, EMPTY))[1].tokens == (4, 7)


def test_a_token_over_a_border_belongs_to_neither() -> None:
    question = asked("One. Two.")
    tokens = tuple(PromptToken(part, "") for part in (b"One", b". T", b"wo."))
    assert [span.tokens for span in spans(tokens, question, pieces(question, EMPTY))] == [None] * 2


def test_a_tokenizer_may_drop_blanks_but_not_letters() -> None:
    question = asked("Tom left home. Did he?")
    parts = pieces(question, EMPTY)
    made = spans(words("Tomleft home. Did  he?"), question, parts)
    assert [span.tokens for span in made] == [(0, 3), (3, 6)]
    with pytest.raises(ModelError, match="not in the prompt"):
        spans(words("tom left home. did he?"), question, parts)
    with pytest.raises(ModelError, match="not in the prompt"):
        spans((), asked(""), ())


@pytest.mark.parametrize("name", ["gita", "com2", "accord", "abspyramid"])
def test_questions_of_every_benchmark_are_cut(name: str) -> None:
    bench = registry.load(name)
    collection = registry.open_collection(bench, bench.samples())
    item = collection.item(0)
    kinds = set()
    for layer in bench.layers:
        question = bench.question(item, Setting(), layer.id)
        if question is None or question.open:
            continue
        made = spans(
            words(question.base()), question, pieces(question, bench.view(item, Setting()))
        )
        assert len(made) > 2
        assert all(span.tokens is not None for span in made)
        kinds |= {span.kind for span in made}
    assert kinds & {SpanKind.STATEMENT, SpanKind.EVENT}


def test_blanks_at_the_end_go_with_the_last_span_and_a_turn_does_not() -> None:
    question = asked("Tom left.\nAnswer:\n")
    parts = pieces(question, EMPTY)
    made = spans(words(question.text), question, parts)
    assert [(span.text, span.tokens) for span in made] == [
        ("Tom left.", (0, 3)),
        ("Answer:", (3, 6)),
    ]
    turn = (PromptToken(b"", "<|end|>"), PromptToken(b"\n", "\\n"))
    behind = spans((*words(question.text), *turn), question, parts)
    assert behind[:2] == made
    assert (behind[2].kind, behind[2].tokens) == (SpanKind.AFTER, (6, 8))
