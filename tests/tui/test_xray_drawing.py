"""The X-ray drawn of anything a model may say: nothing too wide, nothing obeyed, nothing false."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.blocks.attention import attention_over_spans
from core.blocks.lens import LensTable
from core.blocks.spans import PromptSpan, SpanKind
from core.contract import registry
from core.contract.question import Form, OptionScore, Question
from core.contract.setting import Setting
from core.contract.view import Role
from core.layout.rows import plain
from core.models.blocks import (
    AttentionReading,
    Attribution,
    BlockAccess,
    BlockReading,
    Guess,
    HeadAttribution,
    PositionReading,
    PromptToken,
)
from core.models.protocol import ModelInfo
from tests.layout.test_contributions import attributions
from tui.blocks.block_pane import Subject, clipped
from tui.blocks.xray import Xray
from tui.blocks.xray_cursor import Face, XrayCursor
from tui.blocks.xray_drawing import draw_xray, map_of

INFO = ModelInfo("m\x1b[31m", "m.gguf", "f", frozenset(), blocks=4, parameters=2_000_000)
LOG = st.one_of(st.floats(-60, 0), st.just(-math.inf), st.just(math.nan))
TEXT = st.text(min_size=1, max_size=20)


class Loaded:
    """A model of which nothing is asked."""

    info = INFO


def xray_of(question: Question, rows: list[list[float]], tokens: list[bytes]) -> Xray:
    scores = tuple(tuple(OptionScore(value, 2) for value in row) for row in rows)
    guesses = tuple((Guess("\n", -0.1), Guess(" \x1b]", -2.0)) for _ in rows)
    subject = Subject(
        cast("Any", Loaded()),
        cast("Any", None),
        registry.load("gita"),
        None,
        Setting(),
        question,
        Form.BASE,
        cast("Any", None),
    )
    return Xray(
        subject,
        BlockAccess(len(rows), 2, 8, frozenset(), True, True),
        tuple(PromptToken(data, "<x>") for data in tokens),
        LensTable(question, BlockReading(scores, guesses, 0.0), scores[-1]),
    )


@st.composite
def xrays(draw: st.DrawFn) -> Xray:
    count = draw(st.integers(1, 6))
    blocks = draw(st.integers(1, 30))
    options = tuple(draw(st.lists(TEXT, min_size=count, max_size=count, unique=True)))
    gold = draw(st.one_of(st.none(), st.integers(0, count - 1)))
    question = Question("item\n", "story_class", "", "Is it?", options, gold)
    row = st.lists(LOG, min_size=count, max_size=count)
    rows = draw(st.lists(row, min_size=blocks, max_size=blocks))
    tokens = draw(st.lists(st.binary(max_size=6), min_size=1, max_size=12))
    found = xray_of(question, rows, tokens)
    found.positions[0] = PositionReading(
        0, tuple(tuple(-1.0 for _ in options) for _ in rows), found.table.reading.guesses
    )
    spans = [
        PromptSpan(SpanKind.STATEMENT, draw(TEXT), (0, 1)),
        *([PromptSpan(SpanKind.SENTENCE, draw(TEXT), None)] if len(tokens) > 1 else []),
    ]
    weights = tuple(1 / len(tokens) for _ in tokens)
    for block in range(blocks):
        found.attended[block] = attention_over_spans(
            AttentionReading(block, (weights, weights)), spans
        )
    added = draw(attributions())
    parts = tuple(0.5 for _ in range(blocks))
    found.attribution = replace(added, attention=parts, feed_forward=parts)
    heads = tuple((data, math.nan) for data in draw(st.tuples(*[st.floats(-9, 9)] * blocks)))
    found.heads.attribution = HeadAttribution(found.attribution, heads)
    return found


@given(xrays(), st.sampled_from(Face), st.booleans(), st.integers(24, 150), st.data())
def test_every_face_fits_and_obeys_nothing(
    found: Xray, face: Face, above: bool, width: int, data: st.DataObject
) -> None:
    place = XrayCursor(
        face,
        above,
        token=data.draw(st.sampled_from([0, found.last])),
        option=data.draw(st.integers(0, len(found.table.question.options) - 1)),
        block=data.draw(st.integers(0, found.table.blocks - 1)),
    )
    drawn = draw_xray(found, place, "", "", width)
    lines = plain(drawn.rows).split("\n")
    assert len(lines) == len(drawn.rows)
    assert max(map(cell_len, lines)) <= max(width, 40)
    assert drawn.heading <= drawn.table <= len(drawn.rows)
    text = "\n".join(lines)
    assert not {c for c in text if (ord(c) < 32 and c != "\n") or c in "\x7f\x9b\u202e"}
    refs = {span.ref for row in drawn.rows for span in row if span.ref}
    if not (face in (Face.PARTS, Face.HEAD_MAP) and found.compared is None):
        assert place.ref in refs or face is Face.PARTS
    for ref in refs:
        elsewhere = replace(place)
        elsewhere.go(ref)
        assert elsewhere.ref == ref


def test_how_exactly_blocks_are_read_is_said_below_where_that_is_not_to_the_bit() -> None:
    question = Question("i", "story_class", "", "Is it?", ("yes", "no"), 0)
    found = xray_of(question, [[-1.0, -2.0], [-2.0, -1.0]], [b"a"])
    assert "self-test" not in plain(draw_xray(found, XrayCursor(), "", "", 100).rows)
    found.access = replace(found.access, deviation=0.004)
    assert "self-test by up to 0.004" in plain(draw_xray(found, XrayCursor(), "", "", 200).rows)


def test_what_was_not_read_yet_is_waited_for_and_what_cannot_be_is_told() -> None:
    question = Question("i", "story_class", "", "Is it?", ("yes", "no"), 0)
    found = xray_of(question, [[-1.0, -2.0], [-2.0, -1.0]], [b"a", b"b", b"c"])
    for place in (
        XrayCursor(token=0),
        XrayCursor(Face.HEADS, token=2),
        XrayCursor(Face.PARTS, token=2),
        XrayCursor(Face.HEAD_MAP, token=2),
    ):
        waiting = plain(draw_xray(found, place, "Reading…", "", 100).rows)
        assert "Reading…" in waiting
        failed = plain(draw_xray(found, place, "", "It died.", 100).rows)
        assert "It died." in failed
        assert map_of(found, place) is None


@pytest.mark.parametrize(
    ("gold", "sign", "words"),
    [
        (0, "✗", "wrong: the right answer led until block 0"),
        (1, "✓", "right"),
        (None, "", "no gold"),
    ],
)
def test_the_first_line_says_how_it_came_about(gold: int | None, sign: str, words: str) -> None:
    question = Question("i", "story_class", "", "Is it?", ("yes", "no"), gold)
    found = xray_of(question, [[-1.0, -2.0], [-2.0, -1.0]], [b"a"])
    first = plain(draw_xray(found, XrayCursor(option=0, block=1), "", "", 120).rows[:1]).strip()
    assert first.startswith(f"{sign} Settles at block 1".strip())
    assert words in first


def test_where_several_may_be_right_the_answer_is_the_set() -> None:
    question = Question(
        "i", "story_class", "", "Which?", ("a", "b", "c"), None, golds=(0, 1), multiple=True
    )
    near = [-1.0, -1.1, -9.0]
    found = xray_of(question, [[-9.0, -9.0, -1.0], near, [-1.1, -1.0, -9.0]], [b"a"])
    assert found.outcome() == ("Settles at block 1, right.", True)
    first = plain(draw_xray(found, XrayCursor(), "", "", 120).rows)
    assert "Several may be right" in first


def test_the_answer_is_compared_with_the_right_option_or_the_runner_up() -> None:
    question = Question("i", "story_class", "", "Which?", ("a", "b", "c"), 2)
    wrong = xray_of(question, [[-1.0, -2.0, -3.0]], [b"a"])
    assert wrong.compared == (0, 2)
    right = xray_of(replace(question, gold=0), [[-1.0, -2.0, -3.0]], [b"a"])
    assert right.compared == (0, 1)
    assert xray_of(question, [[-1.0, math.nan, math.nan]], [b"a"]).compared is None


def test_tokens_are_told_by_what_they_spell_or_their_name() -> None:
    question = Question("i", "story_class", "", "Is it?", ("yes", "no"), 0)
    found = xray_of(question, [[-1.0, -2.0]], [b" dog", b" ", b"\n", b"", b"\xff"])
    assert [found.token(place) for place in range(5)] == ["dog", "␣", "⏎", "<x>", "\ufffd"]


def test_a_margin_names_its_tokens_and_its_sides() -> None:
    question = Question("i", "story_class", "", "Is it?", ("yes", "no"), 1)
    found = xray_of(question, [[-1.0, -2.0], [-1.0, -2.0]], [b"a"])
    found.attribution = Attribution(
        1.5, 0.0, (0.25, 1.0), (0.0, 0.25), 0.0, (" yes", " no"), capped=True
    )
    said = " ".join(plain(draw_xray(found, XrayCursor(Face.PARTS), "", "", 120).rows).split())
    assert "“yes” is ahead of “no” by 1.500 logits (tokens “yes” and “no”)" in said
    assert "Most comes from attention of block 1, +1.00" in said
    assert "Right speaks for “yes”, left for “no”" in said
    assert "the model limits its logits to a range" in said


def test_a_long_text_is_cut_to_its_lines_and_says_so() -> None:
    words = " ".join(f"word{i}" for i in range(40))
    whole, cut = (clipped(words, Role.PLAIN, 30, most=most) for most in (99, 3))
    assert len(whole) > 3 == len(cut)
    assert cut[:2] == whole[:2]
    assert plain(cut).rstrip().endswith("…")
    assert "…" not in plain(whole)
