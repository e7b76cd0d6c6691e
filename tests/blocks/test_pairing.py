"""Which spans can be compared, and what a trace says of them."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.heatmaps import trace_map
from core.blocks.pair_validity import Condition
from core.blocks.pairing import pair_from_both_ends, pair_spans
from core.blocks.spans import PromptSpan, SpanKind
from core.blocks.trace import TraceTable, compared_options
from core.contract.question import Form, OptionScore, Question
from core.contract.setting import Setting
from core.models.blocks import Part, TraceBase, TraceCell
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


def test_behind_a_change_of_length_spans_are_counted_from_the_end() -> None:
    here, there = made(("a", 3), ("b", 4), ("c", 2)), made(("a", 3), ("x", 6), ("c", 2))
    found = pair_from_both_ends(here, there)
    assert found.comparable == (True, False, True)
    assert (found.ranges, found.shifts) == (((0, 3), (7, 9)), (0, 2))
    assert found.from_end == (2,)
    assert not found.differing
    assert not found.aligned
    assert found.shift_at(7, 8) == 2
    assert found.shift_at(2, 4) is None
    back = pair_from_both_ends(there, here)
    assert (back.ranges, back.shifts) == (((0, 3), (9, 11)), (0, -2))


def test_one_more_sentence_leaves_every_span_comparable_and_the_pair_not_aligned() -> None:
    here = made(("a", 3), ("c", 2), ("d", 1))
    found = pair_from_both_ends(here, made(("a", 3), ("x", 2), ("c", 2), ("d", 1)))
    assert (found.comparable, found.from_end) == ((True,) * 3, (1, 2))
    assert not found.aligned
    assert pair_from_both_ends(here, here).aligned


def test_nothing_is_counted_from_the_end_before_other_words_or_another_length() -> None:
    here = made(("a", 3), ("b", 4), ("c", 2), ("d", 1))
    other = pair_from_both_ends(here, made(("a", 2), ("b", 4), ("x", 2), ("d", 1)))
    assert other.comparable == (False, False, False, True)
    longer = pair_from_both_ends(here, made(("a", 3), ("b", 5), ("c", 2), ("d", 2)))
    assert longer.comparable == (True, False, False, False)


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


@given(SIZES, SIZES, SIZES)
def test_what_is_counted_from_the_end_says_the_same_as_far_from_it(
    one: list[int], other: list[int], end: list[int]
) -> None:
    ends = [(f"e{n}", size) for n, size in enumerate(end)]
    here = made(*((f"h{n}", size) for n, size in enumerate(one)), *ends)
    there = made(*((f"t{n}", size) for n, size in enumerate(other)), *ends)
    found = pair_from_both_ends(here, there)
    assert found.spans == pair_spans(here, there).spans
    shift = sum(other) - sum(one)
    if shift:
        assert found.from_end
        assert found.comparable[-len(end) :] == (True,) * len(end)
    else:
        assert found == pair_spans(here, there)
    for index in found.from_end:
        span, counterpart = found.spans[index], found.contrast[index]
        assert span.tokens is not None
        assert counterpart in there
        assert counterpart is not None
        assert counterpart.text == span.text
        assert counterpart.tokens == (span.tokens[0] + shift, span.tokens[1] + shift)


def question(gold: int | None, text: str = "Is it?") -> Question:
    return Question("item", "layer", "", text, ("yes", "no", "maybe"), gold)


def scored(*values: float) -> tuple[OptionScore, ...]:
    return tuple(OptionScore(value, tokens=1) for value in values)


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
    assert table.effects == ((0.0, None), (4.0, 2.0), (None, None))
    assert table.failing == (Condition.ALIGNED,)
    assert table.restored == ((None,) * 2,) * 3
    assert table.peak() is None
    assert table.done == 3
    heat = trace_map(table, INFO, 9)
    assert [row.note for row in heat.rows] == ["", "", "not comparable: other tokens there"]
    assert (
        "Margin of “yes” over “no”: +2.000 nats here, -2.000 in the contrast prompt." in heat.notes
    )
    assert any("one pair of prompts" in note for note in heat.notes)


def test_rows_counted_from_the_end_have_effects_in_nats_and_no_finding() -> None:
    pairing = pair_from_both_ends(
        made(("a", 3), ("b", 4), ("c", 2)), made(("a", 3), ("x", 4), ("y", 1), ("c", 2))
    )
    contrast = ContrastPrompt("contrast", Setting(), question(1, "Was it?"))
    table = TraceTable(question(0), contrast, pairing, 2)
    for result in (BASE, TraceCell(0, 1, scored(-2, -2, -2)), TraceCell(1, 1, BASE.prompt)):
        table.add(result)
    assert table.failing == (Condition.ALIGNED,)
    assert (table.effect(0, 1), table.effect(2, 1)) == (None, 4)
    assert table.by_construction(2, 1)
    assert table.peak() is None
    heat = trace_map(table, INFO, 9)
    assert heat.by_construction == {(2, 1)}
    assert [note for note in heat.notes if note.startswith("Span 2 is counted from the end")]


def aligned(base: TraceBase, *cells: TraceCell) -> TraceTable:
    """A trace whose spans can all be compared; both options are one token."""
    pairing = pair_spans(made(("a", 3), ("b", 4)), made(("a", 3), ("x", 4)))
    contrast = ContrastPrompt("contrast", Setting(), question(1, "Was it?"))
    table = TraceTable(question(0), contrast, pairing, 2)
    for result in (base, *cells):
        table.add(result)
    return table


def test_of_a_valid_pair_there_are_shares_and_the_readout_is_no_finding() -> None:
    cells = [TraceCell(1, 0, scored(-2, -2, -2)), TraceCell(1, 1, BASE.prompt)]
    table = aligned(BASE, *cells)
    assert table.valid
    assert table.restored == ((None, 0.5), (None, 1.0))
    assert table.by_construction(1, 1)
    assert table.peak() == (0, 1, 0.5)
    heat = trace_map(table, INFO, 9)
    assert heat.by_construction == {(1, 1)}
    assert heat.rows[0].values == (None, 0.5)
    table.part = Part.ATTENTION
    assert table.peak() == (1, 1, 1.0)


@pytest.mark.parametrize(
    ("base", "condition"),
    [
        (TraceBase(scored(-3, -1, -2), scored(-6, -1, -2)), Condition.ANSWERED),
        (TraceBase(scored(-1, -3, -2), scored(-1, -1.5, -2)), Condition.ANSWERED_OTHERWISE),
        (TraceBase(scored(-1, -1.4, -3), scored(-1.5, -1, -3)), Condition.FAR_APART),
    ],
)
def test_of_any_other_pair_there_are_effects_in_nats_and_the_reason(
    base: TraceBase, condition: Condition
) -> None:
    table = aligned(base, TraceCell(0, 0, base.prompt))
    here, there = base.margins(0, 1)
    assert table.failing == (condition,)
    assert table.effect(0, 0) == pytest.approx(here - there)
    assert table.restored == ((None, None), (None, None))
    assert table.peak() is None
    heat = trace_map(table, INFO, 9)
    assert heat.rows[0].values == (pytest.approx(here - there), None)
    assert f"Effects in nats, no shares: {condition}." in heat.notes


@given(st.lists(st.floats(-9, 0), min_size=6, max_size=6))
def test_shares_never_come_of_a_difference_below_a_nat(values: list[float]) -> None:
    base = TraceBase(scored(*values[:3]), scored(*values[3:]))
    table = aligned(base, TraceCell(0, 0, base.prompt))
    here, there = base.margins(0, 1)
    assert (table.share(0, 0) is not None) == table.valid
    if table.valid:
        assert here > 0 > there
        assert here - there >= 1
        assert table.share(0, 0) == 1


def test_a_map_says_how_the_prompt_was_put_and_what_of_it_was_changed() -> None:
    table = traced(1, BASE, [])
    bare = " ".join(trace_map(table, INFO, 9).notes)
    assert "Zero-shot" not in bare
    assert "so that both are as long" not in bare
    said = " ".join(trace_map(table, INFO, 9, Form.CHAT, "do=1: It rains").notes)
    assert "Zero-shot, chat prompt, log-likelihood." in said
    assert "Here do=1: It rains, so that both prompts have the same length." in said
