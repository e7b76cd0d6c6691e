"""What a trace comes to is said in words that hold: what, where, and what it is not."""

from __future__ import annotations

from dataclasses import replace

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.pairing import Pairing, pair_spans
from core.blocks.sentences import cell_sentence, contrast_sentence, margins_sentence, peak_sentence
from core.blocks.spans import PromptSpan, SpanKind
from core.blocks.trace import TraceTable
from core.contract.question import OptionScore, Question
from core.contract.setting import Setting
from core.models.blocks import Part, TraceBase, TraceCell

ASKED = Question("item", "layer", "", "Is it?", ("A", "B"), 0, meanings=("rain", "sun"))
CONTRAST = ContrastPrompt("the contrast prompt", Setting(), replace(ASKED, text="Was it?", gold=1))


def made(*lengths: tuple[str, int]) -> tuple[PromptSpan, ...]:
    found, place = [], 0
    for text, length in lengths:
        found.append(PromptSpan(SpanKind.SENTENCE, text, (place, place + length)))
        place += length
    return tuple(found)


PAIRING = pair_spans(made(("a", 3), ("b", 4), ("c", 2)), made(("a", 3), ("x", 4), ("c", 2)))
SHIFTED = pair_spans(made(("a", 3), ("b", 4), ("c", 2)), made(("a", 3), ("x", 4), ("c", 3)))


def scored(*values: float) -> tuple[OptionScore, ...]:
    return tuple(OptionScore(value, tokens=1) for value in values)


def table(
    base: TraceBase | None,
    *cells: TraceCell,
    pairing: Pairing = PAIRING,
    part: Part = Part.RESIDUAL,
) -> TraceTable:
    found = TraceTable(ASKED, CONTRAST, pairing, 2, part)
    for one in (base, *cells):
        if one is not None:
            found.add(one)
    return found


HERE, THERE = scored(-1, -3), scored(-3, -1)
BASE = TraceBase(HERE, THERE)


def test_nothing_is_said_before_the_two_runs_are_known() -> None:
    assert peak_sentence(table(None)) == margins_sentence(table(None)) == ""
    assert peak_sentence(table(BASE)) == ""
    assert "not known yet" in cell_sentence(table(BASE), 0, 0)


def test_the_peak_and_the_margins_name_span_block_and_options() -> None:
    cells = TraceCell(1, 1, scored(-1.5, -2.5)), TraceCell(0, 1, scored(-3.5, -1))
    found = table(BASE, *cells)
    assert peak_sentence(found) == (
        "Span 1 at block 1 restores most, 0.75 of the difference: it raises “A rain” by 3.00 nats."
    )
    attention = table(BASE, *cells, part=Part.ATTENTION)
    assert peak_sentence(attention).startswith("The attention of span 1 at block 1 restores most")
    assert margins_sentence(found) == (
        "Margin of “A rain” over “B sun”: +2.000 nats here, -2.000 in the contrast prompt."
    )
    assert cell_sentence(found, 1, 1) == (
        "Span 1 at block 1, copied into the contrast run, raises “A rain” over “B sun” by 3.000 "
        "nats, 0.750 of the difference."
    )
    assert "lowers “A rain” under “B sun” by 0.500 nats, -0.125" in cell_sentence(found, 1, 0)


def test_next_to_nothing_is_no_peak() -> None:
    found = table(BASE, TraceCell(0, 0, scored(-2.9, -1.1)))
    assert peak_sentence(found).startswith("Nothing restores a tenth of it: at most 0.05")


def test_without_a_valid_pair_the_reasons_are_given_and_effects_in_nats() -> None:
    found = table(TraceBase(HERE, scored(-1.01, -3)), TraceCell(0, 1, THERE))
    assert peak_sentence(found) == (
        "Effects in nats, no shares: the contrast prompt does not get the other answer; the "
        "margins differ by less than 1 nat."
    )
    assert cell_sentence(found, 1, 0).endswith("lowers “A rain” under “B sun” by 3.990 nats.")


def test_the_readout_is_named_as_what_it_is() -> None:
    found = table(BASE, TraceCell(1, 2, HERE))
    assert "by construction" in cell_sentence(found, 2, 1)
    assert peak_sentence(found) == ""


def test_what_cannot_be_compared_is_said_of_the_contrast_prompt_and_of_the_span() -> None:
    assert contrast_sentence(CONTRAST, SHIFTED) == (
        "Compared with the contrast prompt, where span 1 says something else; "
        "1 of 3 spans cannot be compared."
    )
    both = pair_spans(made(("a", 3), ("b", 4)), made(("x", 3), ("y", 4)))
    assert (
        contrast_sentence(CONTRAST, both)
        == "Compared with the contrast prompt, where spans 0 and 1 say something else."
    )
    assert "cannot be compared" in cell_sentence(table(BASE, pairing=SHIFTED), 2, 0)
