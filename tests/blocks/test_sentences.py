"""What a trace comes to is said in words that hold: what, where, and what it is not."""

from __future__ import annotations

from dataclasses import replace

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.sentences import cell_sentence, contrast_sentence, margins_sentence, peak_sentence
from core.blocks.spans import PromptSpan, SpanKind
from core.blocks.trace import TraceTable, pair_spans
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


PAIRING = pair_spans(made(("a", 3), ("b", 4), ("c", 2)), made(("a", 3), ("x", 4), ("c", 3)))


def scored(*values: float) -> tuple[OptionScore, ...]:
    return tuple(OptionScore(value) for value in values)


def table(base: TraceBase | None, *cells: TraceCell) -> TraceTable:
    found = TraceTable(ASKED, CONTRAST, PAIRING, 2)
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
    found = table(BASE, TraceCell(1, 1, scored(-1.5, -2.5)), TraceCell(0, 1, THERE))
    assert peak_sentence(found) == "Most is restored by span 1 at block 1: 0.75."
    assert "by the attention of span 1" in peak_sentence(found, Part.ATTENTION)
    assert margins_sentence(found) == (
        "Margin of “A rain” over “B sun”: +2.000 nats here, -2.000 in the contrast prompt."
    )
    assert "restores 0.750" in cell_sentence(found, 1, 1)
    assert "restores 0.000" in cell_sentence(found, 1, 0)


def test_next_to_nothing_is_no_peak() -> None:
    found = table(BASE, TraceCell(0, 0, scored(-2.9, -1.1)))
    assert peak_sentence(found).startswith("Nothing restores a tenth of it: at most 0.05")


def test_without_contrast_no_figure_is_given() -> None:
    found = table(TraceBase(HERE, scored(-1.01, -3)), TraceCell(0, 1, THERE))
    assert peak_sentence(found).startswith("No contrast")
    assert cell_sentence(found, 1, 0) == "Span 1 at block 0: no contrast."


def test_what_cannot_be_compared_is_said_of_the_contrast_prompt_and_of_the_span() -> None:
    assert contrast_sentence(CONTRAST, PAIRING) == (
        "Compared with the contrast prompt, where span 1 says something else; "
        "1 of 3 spans cannot be compared."
    )
    both = pair_spans(made(("a", 3), ("b", 4)), made(("x", 3), ("y", 4)))
    assert (
        contrast_sentence(CONTRAST, both)
        == "Compared with the contrast prompt, where spans 0 and 1 say something else."
    )
    assert "cannot be compared" in cell_sentence(table(BASE), 2, 0)
