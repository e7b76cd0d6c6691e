"""Which spans can be compared, and what a trace says of them."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.heatmaps import trace_map
from core.blocks.spans import PromptSpan, SpanKind
from core.blocks.trace import TraceTable, compared_options, pair_spans
from core.contract.question import Form, OptionScore, Question
from core.contract.setting import Setting
from core.models.blocks import TraceBase, TraceCell
from core.models.protocol import ModelInfo

INFO = ModelInfo("m", "m.gguf", "f", frozenset(), blocks=2)


def made(*lengths: tuple[str, int]) -> tuple[PromptSpan, ...]:
    edges = accumulate((length for _, length in lengths), initial=0)
    return tuple(
        PromptSpan(SpanKind.SENTENCE, text, tokens)
        for (text, _), tokens in zip(lengths, pairwise(edges), strict=True)
    )


def names(spans: tuple[PromptSpan, ...]) -> list[str]:
    return [span.text for span in spans]


def test_equal_length_and_position_can_be_compared() -> None:
    found = pair_spans(made(("a", 3), ("b", 4), ("c", 2)), made(("a", 3), ("x", 4), ("c", 2)))
    assert found.comparable == (True, True, True)
    assert found.ranges == ((0, 3), (3, 7), (7, 9))
    assert len(found.differing) == 1


def test_spans_after_a_change_of_length_cannot_be_compared() -> None:
    found = pair_spans(made(("a", 3), ("b", 4), ("c", 2)), made(("a", 3), ("x", 5), ("c", 2)))
    assert found.comparable == (True, False, False)
    assert names(found.spans) == ["a", "b", "c"]
    assert len(found.differing) == 0


def test_sentences_in_another_order_are_one_with_what_is_between() -> None:
    here = made(("a", 3), ("b", 4), ("c", 2), ("d", 6), ("e", 1))
    there = made(("a", 3), ("d", 6), ("c", 2), ("b", 4), ("e", 1))
    found = pair_spans(here, there)
    assert names(found.spans) == ["a", "b / c / d", "e"]
    assert found.comparable == (True, True, True)
    assert found.ranges == ((0, 3), (3, 15), (15, 16))
    assert found.spans[1].kind is SpanKind.SEVERAL
    assert len(found.differing) == 1


def test_one_more_sentence_leaves_both_ends() -> None:
    here = made(("a", 3), ("b", 6), ("c", 2), ("d", 1))
    there = made(("a", 3), ("x", 2), ("y", 4), ("c", 2), ("d", 1))
    assert names(pair_spans(here, there).spans) == ["a", "b", "c", "d"]
    assert pair_spans(here, there).ranges == ((0, 3), (3, 9), (9, 11), (11, 12))
    chance = made(("a", 3), ("x", 6), ("b", 6), ("c", 2), ("d", 1))
    assert pair_spans(here, chance).comparable == (True, False, False, False)
    longer = made(("a", 3), ("x", 2), ("y", 5), ("c", 2), ("d", 1))
    assert pair_spans(here, longer).comparable == (True, False, False, False)


def test_a_border_inside_a_token_is_no_border() -> None:
    first, second, third = made(("a", 3), ("b", 4), ("c", 2))
    blurred = PromptSpan(second.kind, "b", None)
    found = pair_spans((first, blurred, third), (first, second, third))
    assert names(found.spans) == ["a / b", "c"]
    assert found.ranges == ((0, 7), (7, 9))


SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=7)


@given(SIZES, SIZES)
def test_what_is_compared_has_the_same_tokens_in_both(one: list[int], other: list[int]) -> None:
    here = made(*((f"h{n}", size) for n, size in enumerate(one)))
    there = made(*((f"t{n}", size) for n, size in enumerate(other)))
    found = pair_spans(here, there)
    ours = {edge for span in here for edge in span.tokens or ()}
    theirs = {edge for span in there for edge in span.tokens or ()}
    for start, stop in found.ranges:
        assert {start, stop} <= ours & theirs
    assert " / ".join(names(found.spans)) == " / ".join(names(here))
    assert all(one[1] <= other[0] for one, other in pairwise(found.ranges))
    if sum(one) == sum(other):
        assert found.ranges[-1][1] == sum(one)
    assert pair_spans(here, here).comparable == (True,) * len(here)


def question(gold: int | None, text: str = "Is it?") -> Question:
    return Question("item", "layer", "", text, ("yes", "no", "maybe"), gold)


def scored(*values: float) -> tuple[OptionScore, ...]:
    return tuple(OptionScore(value) for value in values)


BASE = TraceBase(scored(-1, -3, -2), scored(-3, -1, -2))


def test_the_options_compared_are_the_two_right_ones_or_the_leaders() -> None:
    assert compared_options(question(0), question(2)) == (0, 2)
    assert compared_options(question(0), question(0)) is None
    assert compared_options(question(0), question(0), BASE) == (0, 1)
    assert compared_options(question(1), question(None), BASE) == (1, 0)
    assert compared_options(question(None), question(None), BASE) == (0, 1)
    alike = TraceBase(BASE.prompt, BASE.prompt)
    assert compared_options(question(None), question(None), alike) == (0, 2)


def traced(contrast_gold: int, base: TraceBase, cells: list[TraceCell]) -> TraceTable:
    pairing = pair_spans(made(("a", 3), ("b", 4), ("c", 2)), made(("a", 3), ("x", 4), ("c", 3)))
    contrast = ContrastPrompt("contrast", Setting(), question(contrast_gold, "Was it?"))
    table = TraceTable(question(0), contrast, pairing, 2)
    table.add(base)
    for cell in cells:
        table.add(cell)
    return table


def test_shares_stand_at_their_spans_and_blocks() -> None:
    cells = [
        TraceCell(0, 0, BASE.contrast),
        TraceCell(0, 1, BASE.prompt),
        TraceCell(1, 1, scored(-2, -2, -2)),
    ]
    table = traced(1, BASE, cells)
    assert table.restored == ((0.0, None), (1.0, 0.5), (None, None))
    assert table.peak() == (1, 0, 1.0)
    assert table.done == 3
    heat = trace_map(table, INFO, 9)
    assert [row.note for row in heat.rows] == ["", "", "not comparable: other tokens there"]
    assert (
        "Margin of “yes” over “no”: +2.000 nats here, -2.000 in the contrast prompt." in heat.notes
    )
    assert any("one pair of prompts" in note for note in heat.notes)


@pytest.mark.parametrize(("apart", "contrast"), [(0.09, False), (0.11, True)])
def test_margins_that_hardly_differ_are_no_contrast(apart: float, contrast: bool) -> None:
    base = TraceBase(scored(-1, -2, -3), scored(-1 - apart, -2, -3))
    table = traced(1, base, [TraceCell(0, 0, base.prompt)])
    assert table.margins_differ is contrast
    assert table.restored[0][0] == (pytest.approx(1) if contrast else None)
    said = any("No contrast" in note for note in trace_map(table, INFO, 9).notes)
    assert said is not contrast


def test_a_map_says_how_the_prompt_was_put_and_what_of_it_was_changed() -> None:
    table = traced(1, BASE, [])
    bare = " ".join(trace_map(table, INFO, 9).notes)
    assert "Zero-shot" not in bare
    assert "so that both are as long" not in bare
    said = " ".join(trace_map(table, INFO, 9, Form.CHAT, "do=1: It rains").notes)
    assert "Zero-shot, chat prompt, log-likelihood." in said
    assert "Here do=1: It rains, so that both are as long." in said
