"""Options that begin alike are traced at the token that decides between them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.pairing import pair_from_both_ends
from core.blocks.spans import PromptSpan, SpanKind
from core.blocks.trace import Direction, TraceTable
from core.blocks.trace_cells import fill
from core.contract.question import Question
from core.contract.setting import Setting
from core.models.blocks import Action, Edit, Part, TraceCell, margin
from core.models.llama.client import LlamaModel
from tests.models.blocks import CONTRAST, STORY

ALIKE = ("no", "the cup was open", "the cup was closed")
"""What is compared are the last two."""
SENT = tuple(f" {option}" for option in ALIKE)
LONGER = CONTRAST.replace("the cup", "the cup was closed. the cup")


def asked(text: str, gold: int, options: tuple[str, ...]) -> Question:
    return Question("item", "layer", "", text, options, gold)


async def spans(model: LlamaModel, prompt: str, options: tuple[str, ...]) -> list[PromptSpan]:
    """All tokens but the last, and the last."""
    end = len(await model.blocks.tokens(prompt, options))
    return [
        PromptSpan(SpanKind.SENTENCE, prompt, (0, end - 1)),
        PromptSpan(SpanKind.SENTENCE, "last", (end - 1, end)),
    ]


async def traced(
    model: LlamaModel, other: str, options: tuple[str, ...], golds: tuple[int, int]
) -> dict[Direction, TraceTable]:
    """This prompt and another one, traced in both directions."""
    contrast = ContrastPrompt("other", Setting(), asked(other, golds[1], options))
    question = asked(STORY, golds[0], options)
    sent = question.continuations()
    here, there = await spans(model, STORY, sent), await spans(model, other, sent)
    pairing = pair_from_both_ends(here, there)
    table = TraceTable(question, contrast, pairing, model.info.blocks)
    tables = {}
    for direction in (Direction.DENOISING, Direction.NOISING):
        filled = replace(table.empty(), direction=direction)
        runs = (STORY, other) if direction is Direction.DENOISING else (other, STORY)
        async for _place in fill(filled, model.blocks, *runs):
            pass
        tables[direction] = filled
    return tables


async def test_the_tokens_that_options_share_end_where_they_part(model: LlamaModel) -> None:
    prompt = await model.blocks.tokens(STORY, SENT)
    every = await model.blocks.shared(STORY, SENT)
    assert every.tokens == prompt
    two = await model.blocks.shared(STORY, SENT[1:])
    text = b"".join(token.data for token in two.tokens[len(prompt) :])
    assert text.startswith(b" the cup was")
    scores = await model.score(STORY, SENT[1:])
    behind = [score.tokens - left for score, left in zip(scores, two.left, strict=True)]
    assert behind[0] == behind[1] > 0
    assert min(two.left) >= 1


@pytest.mark.parametrize("other", [CONTRAST, LONGER], ids=["as long", "longer"])
async def test_the_last_row_is_what_both_begin_with_and_its_cells_are_patches(
    model: LlamaModel, other: str
) -> None:
    tables = await traced(model, other, ALIKE, (1, 2))
    start = len(await model.blocks.tokens(STORY, SENT))
    two = await model.blocks.shared(STORY, SENT[1:])
    shift = len((await model.blocks.shared(other, SENT[1:])).tokens) - len(two.tokens)
    assert (shift != 0) is (other is LONGER)
    for direction, table in tables.items():
        noising = direction is Direction.NOISING
        assert table.options == (1, 2)
        assert len(table.rows.spans) == 3
        span = table.rows.spans[2]
        assert span.kind is SpanKind.BEGINNING
        assert span.tokens == (start, len(two.tokens))
        assert span.name.startswith("both options begin “the cup was")
        assert table.rows.shift(2) == shift
        assert table.base is not None
        assert table.base.prompt == await model.score(STORY, SENT), "of all options, as before"
        changed, source = (STORY, other) if noising else (other, STORY)
        by = 0 if noising else shift
        for block in range(table.blocks):
            first, stop = start + by, len(two.tokens) + by
            moved = shift if noising else -shift
            edit = Edit(Action.COPY, Part.RESIDUAL, block, first, stop, shift=moved)
            patch = await model.blocks.patch(changed, SENT[1:], [edit], source)
            change = margin(patch.patched, 0, 1) - margin(patch.plain, 0, 1)
            assert table.effect(2, block) == (-change if noising else change)
        here, there = table.base.margins(1, 2)
        assert table.effects[1][-1] == 0, "what decides is not read at the prompt's last token"
        assert table.by_construction(2, table.blocks - 1) is (set(two.left) == {1})
        if set(two.left) == {1}:
            runs = [await model.score(prompt, SENT[1:]) for prompt in (STORY, other)]
            alone = margin(runs[0], 0, 1) - margin(runs[1], 0, 1)
            readout = table.effect(2, table.blocks - 1)
            assert readout == pytest.approx(alone, abs=1e-5)
            assert readout == pytest.approx(here - there, abs=2e-3), "in a batch of another shape"
        assert not table.by_construction(1, table.blocks - 1)


async def test_nothing_changes_for_options_of_one_token(model: LlamaModel) -> None:
    options, sent = ("yes", "no"), (" yes", " no")
    for direction, table in (await traced(model, CONTRAST, options, (0, 1))).items():
        assert table.rows == table.pairing
        assert table.done == len(table.pairing.traced) * table.blocks
        runs = (STORY, CONTRAST) if direction is Direction.DENOISING else (CONTRAST, STORY)
        cells = model.blocks.trace(*runs, sent, table.pairing.ranges)
        plain = table.empty()
        plain.direction = direction
        async for cell in cells:
            plain.add(cell)
            assert isinstance(cell, TraceCell) or plain.base == table.base
        assert plain.effects == table.effects
        tokens = [score.tokens for score in await model.score(STORY, sent)]
        assert table.by_construction(1, table.blocks - 1) or set(tokens) != {1}
